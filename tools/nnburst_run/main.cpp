// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-run: runs a model file on a device and compares the outputs with golden ones.

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "model/invalid.h"
#include "model/read_file.h"
#include "nnburst/graph_dump.h"
#include "nnburst_run/elements.h"
#include "nnburst_run/options.h"
#include "nnburst_run/runner.h"
#include "support/device_source.h"
#include "support/latency.h"
#include "support/model_source.h"

namespace nnburst::run {

namespace {

using Bytes = std::vector<std::byte>;

/// Limit on the size of files: a sequence of some hours of features, or some thousand images.
constexpr std::size_t kMaximumFileBytes = std::size_t{4} << 30U;

const Operand& outputOperand(const TfliteModel& model, std::size_t index) {
    return model.model.main.operands[model.model.main.outputIndexes[index]];
}

/// Checks that there are as many files as operands, or none.
Result<> checkCount(const char* option, std::size_t files, std::size_t operands) {
    if (files != 0 && files != operands) {
        return invalid("{} with {} files: the model needs {}", option, files, operands);
    }
    return {};
}

Result<std::vector<Bytes>> readFiles(const std::vector<std::string>& paths) {
    std::vector<Bytes> files;
    for (const std::string& path : paths) {
        NNBURST_TRY_ASSIGN(Bytes contents, readFile(path, kMaximumFileBytes));
        files.push_back(std::move(contents));
    }
    return files;
}

Result<> writeFile(const std::string& path, const Bytes& contents) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(contents.data()),
                 static_cast<std::streamsize>(contents.size()));
    stream.close();
    return stream ? Result<>() : Result<>(invalid("cannot write {}", path));
}

Result<std::vector<std::string>> readLabels(const std::string& path) {
    std::vector<std::string> labels;
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
        labels.push_back(line);
    }
    if (labels.empty()) {
        return invalid("cannot read labels from {}", path);
    }
    return labels;
}

/// The result of a run.
struct Outcome {
    std::vector<Bytes> outputs;  ///< of all steps, one after the other
    std::vector<std::chrono::nanoseconds> latencies;
};

/// Runs all steps of `inputs`; if there are none, one step of zeros.
Result<Outcome> runSteps(Runner& runner, const TfliteModel& model, const Options& options,
                         const std::vector<Bytes>& inputs) {
    std::vector<InputFile> files;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        files.push_back({.path = options.inputs[i],
                         .fileBytes = inputs[i].size(),
                         .operandBytes = runner.input(i).size()});
    }
    std::uint64_t steps = 1;
    if (!files.empty()) {
        NNBURST_TRY_ASSIGN(steps, countSteps(files));
    }
    Outcome outcome;
    outcome.outputs.resize(model.outputNames.size());
    outcome.latencies.reserve(steps * options.repeat);
    for (std::uint64_t step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::span<std::byte> input = runner.input(i);
            std::ranges::copy(std::span(inputs[i]).subspan(step * input.size(), input.size()),
                              input.begin());
        }
        for (std::uint64_t i = 0; i < options.repeat; ++i) {
            NNBURST_TRY_ASSIGN(const std::chrono::nanoseconds latency, runner.execute());
            outcome.latencies.push_back(latency);
        }
        for (std::size_t i = 0; i < outcome.outputs.size(); ++i) {
            const std::span<const std::byte> output = runner.output(i);
            outcome.outputs[i].insert(outcome.outputs[i].end(), output.begin(), output.end());
        }
        runner.feedBack();
    }
    return outcome;
}

void printComparison(const Comparison& comparison, const Operand& operand) {
    const bool isQuantized = operand.scale != 0.0F;
    if (comparison.differing == 0) {
        fmt::print("  the same as the golden output in all {} elements\n", comparison.elements);
        return;
    }
    fmt::print("  largest difference {:.6g}{}, at element {}; {} of {} elements differ\n",
               comparison.largestDifference, isQuantized ? " steps" : "", comparison.largestAt,
               comparison.differing, comparison.elements);
    if (comparison.steps == 1) {
        fmt::print("  top-1 is {}\n",
                   comparison.stepsWithSameTop == 1 ? "the same" : "another element");
    } else {
        fmt::print("  top-1 is the same in {} of {} steps\n", comparison.stepsWithSameTop,
                   comparison.steps);
    }
}

Result<> printTop(const Operand& operand, std::span<const std::byte> lastStep, std::size_t count,
                  const std::vector<std::string>& labels) {
    NNBURST_TRY_ASSIGN(const auto largest, largestElements(operand, lastStep, count));
    for (const auto& [index, value] : largest) {
        fmt::print("  {:>6}  {:>12.6g}{}\n", index, value,
                   index < labels.size() ? "  " + labels[index] : "");
    }
    return {};
}

/// Prints the requested properties of one output. Returns false if it is out of tolerance.
Result<bool> reportOutput(const Operand& operand, const Options& options, const Bytes& contents,
                          const Bytes* golden, std::span<const std::byte> lastStep,
                          const std::vector<std::string>& labels) {
    bool isTolerable = true;
    if (golden != nullptr) {
        NNBURST_TRY_ASSIGN(const Comparison comparison, compare(operand, *golden, contents));
        printComparison(comparison, operand);
        isTolerable = !options.tolerance || comparison.largestDifference <= *options.tolerance;
        if (!isTolerable) {
            fmt::print("  out of tolerance, which is {:.6g}\n", *options.tolerance);
        }
    }
    if (options.top != 0) {
        NNBURST_TRY(printTop(operand, lastStep, options.top, labels));
    }
    return isTolerable;
}

Result<ExitStatus> run(const Options& options) {
    NNBURST_TRY_ASSIGN(const TfliteModel model, tools::loadModel(options.model));
    if (!options.dump.empty()) {
        const std::string picture = graphDump(model.model);
        const auto bytes = std::as_bytes(std::span(picture));
        NNBURST_TRY(writeFile(options.dump, Bytes(bytes.begin(), bytes.end())));
    }
    NNBURST_TRY(checkCount("--input", options.inputs.size(), model.inputNames.size()));
    NNBURST_TRY(checkCount("--output", options.outputs.size(), model.outputNames.size()));
    NNBURST_TRY(checkCount("--expect", options.expected.size(), model.outputNames.size()));
    NNBURST_TRY_ASSIGN(const std::vector<Bytes> inputs, readFiles(options.inputs));
    NNBURST_TRY_ASSIGN(const std::vector<Bytes> golden, readFiles(options.expected));
    std::vector<std::string> labels;
    if (!options.labels.empty()) {
        NNBURST_TRY_ASSIGN(labels, readLabels(options.labels));
    }

    NNBURST_TRY_ASSIGN(const SharedDevice device, tools::openDevice(options.device));
    NNBURST_TRY_ASSIGN(Runner runner, Runner::create(model, *device, options.via));
    NNBURST_TRY_ASSIGN(Outcome outcome, runSteps(runner, model, options, inputs));

    bool isTolerable = true;
    for (std::size_t i = 0; i < outcome.outputs.size(); ++i) {
        fmt::print("output {} \"{}\"\n", i, model.outputNames[i]);
        NNBURST_TRY_ASSIGN(
            const bool isOutputTolerable,
            reportOutput(outputOperand(model, i), options, outcome.outputs[i],
                         golden.empty() ? nullptr : &golden[i], runner.output(i), labels));
        isTolerable = isTolerable && isOutputTolerable;
        if (!options.outputs.empty()) {
            NNBURST_TRY(writeFile(options.outputs[i], outcome.outputs[i]));
        }
    }
    if (options.repeat > 1) {
        const std::size_t executions = outcome.latencies.size();
        const tools::Latency latency = tools::summarise(outcome.latencies);
        fmt::print("{} executions, in microseconds: p50 {:.1f}, p99 {:.1f}, max {:.1f}\n",
                   executions, latency.p50, latency.p99, latency.max);
    }
    return isTolerable ? ExitStatus::SUCCESS : ExitStatus::OUT_OF_TOLERANCE;
}

}  // namespace
}  // namespace nnburst::run

int main(int argc, char** argv) {
    using namespace nnburst::run;
    const auto parsed = parseOptions(argc, argv, std::cout, std::cerr);
    if (const auto* status = std::get_if<ExitStatus>(&parsed)) {
        return static_cast<int>(*status);
    }
    const auto status = run(std::get<Options>(parsed));
    if (!status) {
        fmt::print(stderr, "nnburst-run: {}: {}\n", nnburst::toString(status.error().status),
                   status.error().message);
        return static_cast<int>(ExitStatus::FAILURE);
    }
    return static_cast<int>(*status);
}
