// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/report_files.h"

#include <fstream>
#include <iterator>

#include "model/invalid.h"
#include "support/latency.h"
#include "support/run_context.h"

namespace nnburst::run {

namespace {

/// Medians of this many pieces of a run say how much its times move.
constexpr std::size_t kPieces = 16;

}  // namespace

Result<> writeText(const std::string& path, std::string_view contents) {
    std::ofstream stream(path, std::ios::binary);
    stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    stream.close();
    return stream ? Result<>() : Result<>(invalid("cannot write {}", path));
}

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

Result<> writeJson(const Options& options, std::span<const tools::BenchmarkRow> rows,
                   const tools::Json& members) {
    if (options.json.empty()) {
        return {};
    }
    std::vector<const char*> arguments;
    for (const std::string& argument : options.commandLine) {
        arguments.push_back(argument.c_str());
    }
    tools::Json json = tools::benchmarkJson(
        tools::runContext(static_cast<int>(arguments.size()), arguments.data()), rows);
    json.update(members);
    return writeText(options.json, tools::toText(json));
}

Result<EarlierRun> readEarlierRun(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
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

std::string modelName(const std::string& source) {
    const std::string name = source.substr(source.rfind('/') + 1);
    constexpr std::string_view kExtension = ".tflite";
    return name.ends_with(kExtension) ? name.substr(0, name.size() - kExtension.size()) : name;
}

}  // namespace nnburst::run
