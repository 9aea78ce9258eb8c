// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>

#include "model/invalid.h"
#include "nnburst_run/elements.h"
#include "report/benchmark_json.h"
#include "support/image_file.h"
#include "system/read_file.h"

namespace nnburst::run {

namespace {

constexpr std::size_t kMaximumOutputFileBytes = std::size_t{1} << 30U;

const Operand& outputOf(const TfliteModel& model) {
    return model.model.main.operands[model.model.main.outputIndexes[0]];
}

Result<std::vector<float>> readFloats(const std::string& path) {
    NNBURST_TRY_ASSIGN(const auto bytes, system::readFile(path, kMaximumOutputFileBytes));
    std::vector<float> values(bytes.size() / sizeof(float));
    if (values.empty() || bytes.size() % sizeof(float) != 0) {
        return invalid("{} has {} bytes: must be a multiple of {}, and more than 0", path,
                       bytes.size(), sizeof(float));
    }
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

Result<ClassifierAccuracy> classify(const Dataset& dataset, const TfliteModel& model,
                                    Runner& runner, const tools::ImagePreparation& preparation,
                                    std::vector<std::chrono::nanoseconds>& latencies) {
    constexpr std::size_t kTop = 5;
    const Operand& input = model.model.main.operands[model.model.main.inputIndexes[0]];
    if (model.inputNames.size() != 1) {
        return invalid("labelled images for a model of {} inputs: it must have one",
                       model.inputNames.size());
    }
    NNBURST_TRY(tools::checkImageOperand(input));
    ClassifierAccuracy accuracy;
    for (const LabelledImage& labelled : dataset.images) {
        NNBURST_TRY_ASSIGN(const tools::Image image, tools::readImage(labelled.path));
        tools::writeImage(image, preparation, input, runner.input(0));
        NNBURST_TRY_ASSIGN(const std::chrono::nanoseconds latency, runner.execute());
        latencies.push_back(latency);
        NNBURST_TRY_ASSIGN(const std::vector<RankedElement> largest,
                           largestElements(outputOf(model), runner.output(0), kTop));
        if (largest.empty()) {
            return invalid("an output without elements cannot name a class");
        }
        const auto isLabel = [&](const RankedElement& element) {
            return element.index == labelled.label;
        };
        ++accuracy.images;
        accuracy.top1 += isLabel(largest.front()) ? 1U : 0U;
        accuracy.top5 += std::any_of(largest.begin(), largest.end(), isLabel) ? 1U : 0U;
        accuracy.predicted.push_back(largest.front().index);
    }
    return accuracy;
}

Result<std::vector<float>> runSequence(const Sequence& sequence, const TfliteModel& model,
                                       Runner& runner,
                                       std::vector<std::chrono::nanoseconds>& latencies) {
    NNBURST_TRY_ASSIGN(const std::vector<float> input, readFloats(sequence.input));
    const std::size_t stepBytes = runner.input(0).size();
    if (model.inputNames.size() != 1 || (input.size() * sizeof(float)) % stepBytes != 0) {
        return invalid("{} has {} bytes: must be a multiple of {}, the size of the only input",
                       sequence.input, input.size() * sizeof(float), stepBytes);
    }
    runner.resetStates();
    std::vector<float> output;
    for (std::size_t i = 0; i < input.size(); i += stepBytes / sizeof(float)) {
        std::memcpy(runner.input(0).data(), &input[i], stepBytes);
        NNBURST_TRY_ASSIGN(const std::chrono::nanoseconds latency, runner.execute());
        latencies.push_back(latency);
        const std::span<const std::byte> bytes = runner.output(0);
        const std::size_t begin = output.size();
        output.resize(begin + bytes.size() / sizeof(float));
        std::memcpy(&output[begin], bytes.data(), (output.size() - begin) * sizeof(float));
        runner.feedBack();
    }
    return output;
}

Result<SequenceAccuracy> runSequences(const Dataset& dataset, const TfliteModel& model,
                                      Runner& runner,
                                      std::vector<std::chrono::nanoseconds>& latencies) {
    const Subgraph& main = model.model.main;
    if (main.operands[main.inputIndexes[0]].type != OperandType::TENSOR_FLOAT32 ||
        outputOf(model).type != OperandType::TENSOR_FLOAT32) {
        return invalid("sequences for a model of {} elements: must be TENSOR_FLOAT32",
                       toString(outputOf(model).type));
    }
    std::vector<float> statistics;
    if (!dataset.statistics.empty()) {
        NNBURST_TRY_ASSIGN(statistics, readFloats(dataset.statistics));
    }
    SequenceAccuracy accuracy;
    for (const Sequence& sequence : dataset.sequences) {
        NNBURST_TRY_ASSIGN(const std::vector<float> expected, readFloats(sequence.output));
        NNBURST_TRY_ASSIGN(const std::vector<float> actual,
                           runSequence(sequence, model, runner, latencies));
        if (actual.size() != expected.size()) {
            return invalid("{} has {} elements: must be {}, as the output", sequence.output,
                           expected.size(), actual.size());
        }
        RootMeanSquare error;
        for (std::size_t i = 0; i < actual.size(); ++i) {
            const double difference = std::abs(double{actual[i]} - expected[i]);
            error.add(difference);
            accuracy.largestError = std::max(accuracy.largestError, difference);
        }
        ++accuracy.sequences;
        accuracy.meanSquaredError =
            std::max(accuracy.meanSquaredError, error.value() * error.value());
        if (!statistics.empty()) {
            NNBURST_TRY_ASSIGN(const SpeechErrors speech,
                               speechErrors(actual, expected, statistics));
            accuracy.melCepstralError =
                std::max(accuracy.melCepstralError.value_or(0), speech.melCepstral);
            accuracy.logF0Error = std::max(accuracy.logF0Error.value_or(0), speech.logF0);
        }
    }
    return accuracy;
}

/// How much the latency moves in the course of the run.
std::optional<double> noiseOfPieces(std::span<const std::chrono::nanoseconds> latencies) {
    constexpr std::size_t kPieces = 16;
    std::vector<double> medians;
    const std::size_t size = latencies.size() / kPieces;
    for (std::size_t piece = 0; size != 0 && piece < kPieces; ++piece) {
        const auto part = latencies.subspan(piece * size, size);
        std::vector<std::chrono::nanoseconds> samples(part.begin(), part.end());
        medians.push_back(tools::summarise(samples).p50);
    }
    return tools::noiseOf(std::move(medians));
}

}  // namespace

Result<ModelAccuracy> measureAccuracy(const Dataset& dataset, const TfliteModel& model,
                                      Runner& runner, const tools::ImagePreparation& preparation) {
    ModelAccuracy accuracy;
    std::vector<std::chrono::nanoseconds> latencies;
    if (!dataset.images.empty()) {
        NNBURST_TRY_ASSIGN(accuracy.classifier,
                           classify(dataset, model, runner, preparation, latencies));
    } else {
        NNBURST_TRY_ASSIGN(accuracy.sequences, runSequences(dataset, model, runner, latencies));
    }
    accuracy.executions = latencies.size();
    accuracy.noise = noiseOfPieces(latencies);
    accuracy.latency = tools::summarise(latencies);
    return accuracy;
}

Result<SpeechErrors> speechErrors(std::span<const float> actual, std::span<const float> expected,
                                  std::span<const float> statistics) {
    // A frame has 40 amplitudes, of which the first is energy and not compared, 7 aperiodicities,
    // log F0 and voicing.
    constexpr std::size_t kFrame = 49;
    constexpr std::size_t kFirstAmplitude = 1;
    constexpr std::size_t kAmplitudesEnd = 40;
    constexpr std::size_t kLogF0 = 47;
    constexpr std::size_t kVoicing = 48;
    const std::size_t stepSize = statistics.size() / 2;
    if (stepSize == 0 || stepSize % kFrame != 0 || actual.size() % stepSize != 0 ||
        actual.size() != expected.size()) {
        return invalid(
            "{} and {} elements of speech with {} pairs of mean and deviation: must be as many, "
            "and frames of {}",
            actual.size(), expected.size(), stepSize, kFrame);
    }
    const auto natural = [&](std::span<const float> values, std::size_t index) {
        const std::size_t pair = 2 * (index % stepSize);
        return double{values[index]} * statistics[pair + 1] + statistics[pair];
    };
    RootMeanSquare amplitude;
    RootMeanSquare logF0;
    for (std::size_t frame = 0; frame < actual.size(); frame += kFrame) {
        for (std::size_t i = frame + kFirstAmplitude; i < frame + kAmplitudesEnd; ++i) {
            amplitude.add(natural(actual, i) - natural(expected, i));
        }
        if (natural(actual, frame + kVoicing) > 0 && natural(expected, frame + kVoicing) > 0) {
            logF0.add(natural(actual, frame + kLogF0) - natural(expected, frame + kLogF0));
        }
    }
    return SpeechErrors{.melCepstral = amplitude.value(), .logF0 = logF0.value()};
}

std::optional<double> mltsTop1(const std::string& model) {
    static constexpr std::array<std::pair<const char*, double>, 3> kTop1{
        {{"mobilenet_v1_0.25_128", 0.444},
         {"mobilenet_v1_0.25_128_quant", 0.402},
         {"mobilenet_v2_1.0_224_quant", 0.617}}};
    const auto* found = std::find_if(kTop1.begin(), kTop1.end(),
                                     [&](const auto& entry) { return model == entry.first; });
    return found == kTop1.end() ? std::nullopt : std::optional(found->second);
}

std::size_t differentPredictions(const ClassifierAccuracy& a, const ClassifierAccuracy& b) {
    std::size_t different = 0;
    for (std::size_t i = 0; i < std::min(a.predicted.size(), b.predicted.size()); ++i) {
        different += a.predicted[i] != b.predicted[i] ? 1U : 0U;
    }
    return different;
}

std::string percentText(double share) {
    return fmt::format("{:.1f} %", share * 100);
}

std::string textOf(const ModelAccuracy& accuracy) {
    std::string text = fmt::format("{} on {}\n", accuracy.model, accuracy.device);
    if (const auto& classifier = accuracy.classifier) {
        text += fmt::format("  top-1 {} ({} of {} images), top-5 {}",
                            percentText(classifier->top1Share()), classifier->top1,
                            classifier->images, percentText(classifier->top5Share()));
        if (accuracy.expectedTop1) {
            text += fmt::format("; expected top-1 {}", percentText(*accuracy.expectedTop1));
        }
        text += "\n";
    }
    if (const auto& sequences = accuracy.sequences) {
        text +=
            fmt::format("  {} sequences: mean squared error {:.3g}, largest error {:.3g}\n",
                        sequences->sequences, sequences->meanSquaredError, sequences->largestError);
        if (sequences->melCepstralError) {
            text += fmt::format(
                "  MelCepLogF0: amplitudes {:.3g} (limit {:g}), log F0 {:.3g} (limit {:g})\n",
                *sequences->melCepstralError, kMelCepstralLimit, *sequences->logF0Error,
                kLogF0Limit);
        }
    }
    text += fmt::format("  latency of {} executions, us: p50 {:.1f}, p99 {:.1f}, max {:.1f}\n",
                        accuracy.executions, accuracy.latency.p50, accuracy.latency.p99,
                        accuracy.latency.max);
    return text;
}

tools::Json jsonOf(const ModelAccuracy& accuracy) {
    tools::Json json{{"model", accuracy.model},
                     {"device", accuracy.device},
                     {"executions", accuracy.executions},
                     {"p50Us", accuracy.latency.p50},
                     {"p99Us", accuracy.latency.p99},
                     {"maxUs", accuracy.latency.max},
                     {"expectedTop1", tools::orNull(accuracy.expectedTop1)}};
    if (const auto& classifier = accuracy.classifier) {
        json["classifier"] = {{"images", classifier->images},
                              {"top1", classifier->top1},
                              {"top5", classifier->top5},
                              {"predicted", classifier->predicted}};
    }
    if (const auto& sequences = accuracy.sequences) {
        json["sequences"] = {{"sequences", sequences->sequences},
                             {"meanSquaredError", sequences->meanSquaredError},
                             {"largestError", sequences->largestError},
                             {"melCepstralError", tools::orNull(sequences->melCepstralError)},
                             {"logF0Error", tools::orNull(sequences->logF0Error)}};
    }
    return json;
}

std::optional<ModelAccuracy> readAccuracy(const tools::Json& json) {
    ModelAccuracy accuracy;
    try {
        accuracy.model = json.at("model").get<std::string>();
        accuracy.device = json.at("device").get<std::string>();
        accuracy.executions = json.at("executions").get<std::size_t>();
        accuracy.latency = {.p50 = json.at("p50Us").get<double>(),
                            .p99 = json.at("p99Us").get<double>(),
                            .max = json.at("maxUs").get<double>()};
        if (json.contains("classifier")) {
            const tools::Json& classifier = json["classifier"];
            accuracy.classifier = ClassifierAccuracy{
                .images = classifier.at("images").get<std::size_t>(),
                .top1 = classifier.at("top1").get<std::size_t>(),
                .top5 = classifier.at("top5").get<std::size_t>(),
                .predicted = classifier.at("predicted").get<std::vector<std::size_t>>()};
            if (accuracy.classifier->images == 0) {
                return std::nullopt;
            }
        }
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    return accuracy;
}

AccuracyDrift driftBetween(const ModelAccuracy& before, const ModelAccuracy& now) {
    AccuracyDrift drift{.model = now.model};
    if (before.classifier && now.classifier) {
        drift.top1 = now.classifier->top1Share() - before.classifier->top1Share();
        drift.differentImages = differentPredictions(*before.classifier, *now.classifier);
        drift.isWorse = drift.top1 < -kTop1Tolerance;
    }
    drift.latencyRatio = before.latency.p50 > 0 ? now.latency.p50 / before.latency.p50 : 0;
    return drift;
}

std::string textOf(const AccuracyDrift& drift) {
    return fmt::format(
        "{}: top-1 {:+.1f} points, {} images with another largest output, latency "
        "{:.3g} times{}\n",
        drift.model, drift.top1 * 100, drift.differentImages, drift.latencyRatio,
        drift.isWorse ? "; WORSE" : "");
}

}  // namespace nnburst::run
