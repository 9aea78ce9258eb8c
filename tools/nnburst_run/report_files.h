// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The files that nnburst-run writes and reads about its measurements.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst_run/accuracy.h"
#include "nnburst_run/options.h"
#include "report/benchmark_json.h"
#include "report/json.h"
#include "support/output_file.h"

namespace nnburst::run {

/// A row for the latencies (at least one) of a model.
[[nodiscard]] tools::BenchmarkRow latencyRow(const std::string& name,
                                             std::span<const std::chrono::nanoseconds> latencies);

/// `rows` and the further `members`, as --json writes them.
[[nodiscard]] std::string jsonText(const Options& options,
                                   std::span<const tools::BenchmarkRow> rows,
                                   const tools::Json& members);

/// An earlier file of --json.
struct EarlierRun {
    std::vector<tools::BenchmarkRow> rows;
    std::vector<ModelAccuracy> accuracy;
};

/// The files that options name beside models and inputs. They are opened and read before anything
/// runs, so that a wrong name costs no measurement. Those that were not named do nothing.
struct ReportFiles {
    /// INVALID_ARGUMENT if one cannot be read or written.
    [[nodiscard]] static Result<ReportFiles> open(const Options& options);

    std::optional<EarlierRun> earlier;  ///< --compare
    std::vector<std::string> labels;
    std::vector<tools::OutputFile> outputs;
    tools::OutputFile dump;
    tools::OutputFile trace;
    tools::OutputFile json;
    tools::OutputFile html;
};

/// "mobilenet_v1_0.25_128" of "models/mobilenet_v1_0.25_128.tflite".
[[nodiscard]] std::string modelName(const std::string& source);

}  // namespace nnburst::run
