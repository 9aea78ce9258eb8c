// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/accuracy_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/markup.h"
#include "report/page.h"
#include "report/plot.h"

namespace nnburst::run {

namespace {

using tools::HtmlTable;
using Mood = HtmlTable::Mood;

HtmlTable classifiers(std::span<const ModelAccuracy> models) {
    HtmlTable table(
        {"model", "device", "images", "top-1", "expected top-1", "top-5", "p50, us", "p99, us"});
    for (const ModelAccuracy& model : models) {
        if (const auto& classifier = model.classifier) {
            const bool isBelow = model.expectedTop1 &&
                                 classifier->top1Share() < *model.expectedTop1 - kExpectedTolerance;
            table.add({model.model,
                       model.device,
                       std::to_string(classifier->images),
                       {percentText(classifier->top1Share()), isBelow ? Mood::BAD : Mood::NONE},
                       model.expectedTop1 ? percentText(*model.expectedTop1) : "",
                       percentText(classifier->top5Share()),
                       tools::numberText(model.latency.p50),
                       tools::numberText(model.latency.p99)});
        }
    }
    return table;
}

HtmlTable sequences(std::span<const ModelAccuracy> models) {
    HtmlTable table({"model", "device", "sequences", "mean squared error", "largest error",
                     "amplitudes", "log F0", "p50, us", "p99, us"});
    for (const ModelAccuracy& model : models) {
        if (const auto& result = model.sequences) {
            const auto limited = [](const std::optional<double>& error, double limit) {
                return error ? HtmlTable::Cell(fmt::format("{:.3g} of {:g}", *error, limit),
                                               *error > limit ? Mood::BAD : Mood::GOOD)
                             : HtmlTable::Cell("");
            };
            table.add({model.model, model.device, std::to_string(result->sequences),
                       fmt::format("{:.3g}", result->meanSquaredError),
                       fmt::format("{:.3g}", result->largestError),
                       limited(result->melCepstralError, kMelCepstralLimit),
                       limited(result->logF0Error, kLogF0Limit),
                       tools::numberText(model.latency.p50), tools::numberText(model.latency.p99)});
        }
    }
    return table;
}

HtmlTable drifts(std::span<const ModelAccuracy> models, std::span<const ModelAccuracy> against) {
    HtmlTable table(
        {"model", "against", "top-1, points", "other largest output, images", "latency, ratio"});
    for (const ModelAccuracy& model : models) {
        if (const ModelAccuracy* before = runOf(against, model.model)) {
            const AccuracyDrift drift = driftBetween(*before, model);
            table.add(
                {model.model,
                 before->device,
                 {fmt::format("{:+.1f}", drift.top1 * 100), drift.isWorse ? Mood::BAD : Mood::NONE},
                 std::to_string(drift.differentImages),
                 tools::numberText(drift.latencyRatio, 2)});
        }
    }
    return table;
}

tools::BarChart latencies(std::span<const ModelAccuracy> models,
                          std::span<const ModelAccuracy> against) {
    tools::BarChart chart{.title = "Latency, p50: each model has its own scale", .unit = "us"};
    for (const ModelAccuracy& model : models) {
        tools::BarGroup& group = chart.groups.emplace_back();
        group.name = model.model;
        group.bars.push_back({.name = "now", .colour = 0, .value = model.latency.p50});
        if (const ModelAccuracy* before = runOf(against, model.model)) {
            group.bars.push_back({.name = "against", .colour = 1, .value = before->latency.p50});
        }
    }
    return chart;
}

}  // namespace

const ModelAccuracy* runOf(std::span<const ModelAccuracy> against, const std::string& model) {
    const auto found = std::find_if(against.begin(), against.end(),
                                    [&](const ModelAccuracy& run) { return run.model == model; });
    return found == against.end() ? nullptr : &*found;
}

std::string accuracyPage(std::span<const ModelAccuracy> models,
                         std::span<const ModelAccuracy> against, const std::string& machine) {
    std::string body =
        fmt::format("<h1>Accuracy of {} model{}</h1>\n<p class=\"quiet\">{}</p>\n", models.size(),
                    models.size() == 1 ? "" : "s", tools::escaped(machine));
    const auto section = [&](const char* title, const HtmlTable& table) {
        if (!table.isEmpty()) {
            body += fmt::format("<h2>{}</h2>\n{}", title, table.html());
        }
    };
    section("Classifiers", classifiers(models));
    section("Sequences", sequences(models));
    section("Drift", drifts(models, against));
    body += toSvg(latencies(models, against));
    return tools::reportPage("nnburst-run: accuracy", body);
}

}  // namespace nnburst::run
