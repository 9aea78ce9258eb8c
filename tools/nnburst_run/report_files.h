// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The files that nnburst-run writes and reads about its measurements.

#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst_run/accuracy.h"
#include "nnburst_run/options.h"
#include "report/benchmark_json.h"
#include "report/json.h"

namespace nnburst::run {

/// INVALID_ARGUMENT if the file cannot be written.
[[nodiscard]] Result<> writeText(const std::string& path, std::string_view contents);

/// A row for the latencies (at least one) of a model.
[[nodiscard]] tools::BenchmarkRow latencyRow(const std::string& name,
                                             std::span<const std::chrono::nanoseconds> latencies);

/// Writes `rows` and the further `members` to options.json, if that is wanted.
[[nodiscard]] Result<> writeJson(const Options& options, std::span<const tools::BenchmarkRow> rows,
                                 const tools::Json& members);

/// An earlier file of writeJson.
struct EarlierRun {
    std::vector<tools::BenchmarkRow> rows;
    std::vector<ModelAccuracy> accuracy;
};
/// INVALID_ARGUMENT if it is no such file.
[[nodiscard]] Result<EarlierRun> readEarlierRun(const std::string& path);

/// "mobilenet_v1_0.25_128" of "models/mobilenet_v1_0.25_128.tflite".
[[nodiscard]] std::string modelName(const std::string& source);

}  // namespace nnburst::run
