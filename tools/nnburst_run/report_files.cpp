// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/report_files.h"

#include <sstream>
#include <utility>

#include "model/invalid.h"
#include "support/latency.h"
#include "support/run_context.h"
#include "system/read_file.h"

namespace nnburst::run {

namespace {

/// Medians of this many pieces of a run say how much its times move.
constexpr std::size_t kPieces = 16;

/// Limit on the size of files that are read.
constexpr std::size_t kMaximumRunFileBytes = std::size_t{1} << 30U;

Result<std::string> readText(const std::string& path) {
    NNBURST_TRY_ASSIGN(const auto bytes, system::readFile(path, kMaximumRunFileBytes));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<EarlierRun> readEarlierRun(const std::string& path) {
    NNBURST_TRY_ASSIGN(const std::string text, readText(path));
    const auto rows = tools::readBenchmarkRows(text);
    if (!rows) {
        return invalid("cannot compare with {}: it is no JSON file of --json", path);
    }
    EarlierRun run{.rows = *rows, .accuracy = {}};
    const tools::Json json = tools::Json::parse(text, nullptr, false);
    if (json.contains("accuracy") && json["accuracy"].is_array()) {
        for (const tools::Json& entry : json["accuracy"]) {
            if (auto accuracy = readAccuracy(entry)) {
                run.accuracy.push_back(std::move(*accuracy));
            }
        }
    }
    return run;
}

Result<std::vector<std::string>> readLabels(const std::string& path) {
    NNBURST_TRY_ASSIGN(const std::string text, readText(path));
    std::vector<std::string> labels;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        labels.push_back(line);
    }
    if (labels.empty()) {
        return invalid("{} has no labels: must have one on each line", path);
    }
    return labels;
}

}  // namespace

tools::BenchmarkRow latencyRow(const std::string& name,
                               std::span<const std::chrono::nanoseconds> latencies) {
    std::vector<double> medians;
    const std::size_t pieceSize = latencies.size() / kPieces;
    for (std::size_t piece = 0; pieceSize != 0 && piece < kPieces; ++piece) {
        const auto part = latencies.subspan(piece * pieceSize, pieceSize);
        std::vector<std::chrono::nanoseconds> samples(part.begin(), part.end());
        medians.push_back(tools::summarise(samples).p50);
    }
    std::vector<std::chrono::nanoseconds> all(latencies.begin(), latencies.end());
    return {.name = name,
            .iterations = latencies.size(),
            .realTimeUs = tools::summarise(all).p50,
            .processorTimeUs = 0,
            .noise = tools::noiseOf(std::move(medians))};
}

std::string jsonText(const Options& options, std::span<const tools::BenchmarkRow> rows,
                     const tools::Json& members) {
    std::vector<const char*> arguments;
    for (const std::string& argument : options.commandLine) {
        arguments.push_back(argument.c_str());
    }
    tools::Json json = tools::benchmarkJson(
        tools::runContext(static_cast<int>(arguments.size()), arguments.data()), rows);
    json.update(members);
    return tools::toText(json);
}

Result<ReportFiles> ReportFiles::open(const Options& options) {
    ReportFiles files;
    if (!options.labels.empty()) {
        NNBURST_TRY_ASSIGN(files.labels, readLabels(options.labels));
    }
    if (!options.compare.empty()) {
        // Before --json may replace it.
        NNBURST_TRY_ASSIGN(files.earlier, readEarlierRun(options.compare));
    }
    for (const std::string& output : options.outputs) {
        NNBURST_TRY_ASSIGN(tools::OutputFile file, tools::OutputFile::open(output));
        files.outputs.push_back(std::move(file));
    }
    NNBURST_TRY_ASSIGN(files.dump, tools::OutputFile::open(options.dump));
    NNBURST_TRY_ASSIGN(files.trace, tools::OutputFile::open(options.trace));
    NNBURST_TRY_ASSIGN(files.json, tools::OutputFile::open(options.json));
    NNBURST_TRY_ASSIGN(files.html, tools::OutputFile::open(options.html));
    std::vector<const tools::OutputFile*> all{&files.dump, &files.trace, &files.json, &files.html};
    for (const tools::OutputFile& output : files.outputs) {
        all.push_back(&output);
    }
    NNBURST_TRY(tools::checkSeparate(all));
    return files;
}

std::string modelName(const std::string& source) {
    const std::string name = source.substr(source.rfind('/') + 1);
    constexpr std::string_view kExtension = ".tflite";
    return name.ends_with(kExtension) ? name.substr(0, name.size() - kExtension.size()) : name;
}

}  // namespace nnburst::run
