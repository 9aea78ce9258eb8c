// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/accuracy_run.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "model/invalid.h"
#include "nnburst_run/accuracy.h"
#include "nnburst_run/accuracy_page.h"
#include "nnburst_run/dataset.h"
#include "nnburst_run/input_steps.h"
#include "nnburst_run/report_files.h"
#include "nnburst_run/runner.h"
#include "support/device_source.h"
#include "support/machine.h"
#include "support/model_source.h"

namespace nnburst::run {

namespace {

Result<ModelAccuracy> accuracyOf(const std::string& source, const TfliteModel& model,
                                 const Dataset& dataset, const std::string& deviceName,
                                 KernelChoice kernels, const Options& options) {
    NNBURST_TRY_ASSIGN(const SharedDevice device,
                       tools::openDevice(deviceName, driverOptions(kernels, options.threads)));
    NNBURST_TRY_ASSIGN(Runner runner, Runner::create(model, *device, options.via));
    NNBURST_TRY_ASSIGN(ModelAccuracy accuracy,
                       measureAccuracy(dataset, model, runner, options.images));
    accuracy.model = modelName(source);
    accuracy.device = kernels == KernelChoice::FAST
                          ? deviceName
                          : fmt::format("{}, {} kernels", deviceName, toString(kernels));
    accuracy.expectedTop1 = options.expectedTop1 ? options.expectedTop1 : mltsTop1(accuracy.model);
    return accuracy;
}

tools::BenchmarkRow rowOf(const ModelAccuracy& accuracy) {
    return {.name = accuracy.model + "/p50",
            .iterations = accuracy.executions,
            .realTimeUs = accuracy.latency.p50,
            .noise = accuracy.noise};
}

/// Refuses options that the data has no use for.
Result<> checkFits(const Options& options, const Dataset& dataset) {
    if (dataset.sequences.empty()) {
        return {};
    }
    if (options.expectedTop1) {
        return invalid("--expect-top1: {} has sequences, which have no top-1", options.dataset);
    }
    if (options.images != tools::ImagePreparation()) {
        return invalid("--mean, --std, --crop and --square need images: {} has sequences",
                       options.dataset);
    }
    return {};
}

/// The models of `models` that `against` has too: how far they are apart. True if one is worse.
bool printDrifts(const std::vector<ModelAccuracy>& models,
                 const std::vector<ModelAccuracy>& against) {
    bool isWorse = false;
    for (const ModelAccuracy& model : models) {
        if (const ModelAccuracy* other = runOf(against, model.model)) {
            const AccuracyDrift drift = driftBetween(*other, model);
            fmt::print("against {}: {}", other->device, textOf(drift));
            isWorse = isWorse || drift.isWorse;
        }
    }
    return isWorse;
}

}  // namespace

DriverOptions driverOptions(KernelChoice kernels, std::uint32_t threads) {
    return {.threads = threads,
            .useXnnpack = kernels != KernelChoice::REFERENCE,
            .useDotProducts = kernels == KernelChoice::FAST};
}

Result<ExitStatus> runAccuracy(const Options& options) {
    NNBURST_TRY_ASSIGN(const Dataset dataset, readDataset(options.dataset, options.limit));
    NNBURST_TRY(checkFits(options, dataset));
    NNBURST_TRY_ASSIGN(ReportFiles files, ReportFiles::open(options));
    std::vector<std::string> sources{options.model};
    sources.insert(sources.end(), options.moreModels.begin(), options.moreModels.end());
    std::vector<ModelAccuracy> models;
    std::vector<ModelAccuracy> against;
    std::vector<tools::BenchmarkRow> rows;
    tools::Json members;
    members["accuracy"] = tools::Json::array();
    ExitStatus status = ExitStatus::SUCCESS;
    for (const std::string& source : sources) {
        NNBURST_TRY_ASSIGN(
            const TfliteModel model,
            tools::loadModel(source, {.signature = options.signature,
                                      .inputDimensions = options.shapes,
                                      .integersFitInt32 = options.integersFitInt32}));
        if (!dataset.images.empty()) {
            printAssumedNormalization(model, options.images);
        }
        NNBURST_TRY_ASSIGN(
            ModelAccuracy accuracy,
            accuracyOf(source, model, dataset, options.device, options.kernels, options));
        fmt::print("{}", textOf(accuracy));
        const auto& classifier = accuracy.classifier;
        if (classifier && options.expectedTop1 && classifier->top1Share() < *options.expectedTop1) {
            fmt::print("  out of tolerance: a top-1 share below {:g}\n", *options.expectedTop1);
            status = ExitStatus::OUT_OF_TOLERANCE;
        }
        rows.push_back(rowOf(accuracy));
        members["accuracy"].push_back(jsonOf(accuracy));
        models.push_back(std::move(accuracy));
        if (options.against) {
            NNBURST_TRY_ASSIGN(ModelAccuracy other, accuracyOf(source, model, dataset, "local",
                                                               *options.against, options));
            against.push_back(std::move(other));
        }
    }
    // Other kernels are no earlier run: only --compare judges.
    (void)printDrifts(models, against);
    bool isWorse = false;
    if (files.earlier) {
        isWorse = printDrifts(models, files.earlier->accuracy);
        const auto comparison = tools::compareRows(files.earlier->rows, rows);
        fmt::print("\n{}", tools::textOf(comparison));
        isWorse = isWorse || !comparison.hasPassed();
    }
    if (!options.json.empty()) {
        NNBURST_TRY(files.json.write(jsonText(options, rows, members)));
    }
    if (!options.html.empty()) {
        if (against.empty() && files.earlier) {
            against = std::move(files.earlier->accuracy);
        }
        NNBURST_TRY(files.html.write(accuracyPage(
            models, against, fmt::format("{}; {}", tools::processorName(), tools::kernelName()))));
    }
    return status == ExitStatus::SUCCESS && isWorse ? ExitStatus::WORSE : status;
}

}  // namespace nnburst::run
