// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// JSON files in the form of Google Benchmark, and the comparison of two of them.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/json.h"

namespace nnburst::tools {

/// One measured quantity.
struct BenchmarkRow {
    std::string name;
    std::size_t iterations = 0;
    double realTimeUs = 0;       ///< mostly a median; infinite for what did not end
    double processorTimeUs = 0;  ///< of this program
    /// How much the time moves inside of the run, as a share of it: half of the range that the
    /// middle half of its pieces takes. Nothing: not known.
    std::optional<double> noise;
};

/// "context" and "benchmarks", as Google Benchmark writes them; further members may be added. Rows
/// with an infinite time are left out.
[[nodiscard]] Json benchmarkJson(std::span<const std::pair<std::string, std::string>> context,
                                 std::span<const BenchmarkRow> rows);

/// The rows of a file that benchmarkJson or Google Benchmark wrote; of repetitions the medians.
/// Nothing if it is no such file.
[[nodiscard]] std::optional<std::vector<BenchmarkRow>> readBenchmarkRows(const std::string& text);

/// Half of the range that the middle half of `values` takes, as a share of their median. Nothing
/// for fewer than four values.
[[nodiscard]] std::optional<double> noiseOf(std::vector<double> values);

enum class Change { SAME, FASTER, SLOWER, GONE, NEW };

struct ComparedRow {
    std::string name;
    double beforeUs = 0;
    double afterUs = 0;
    double ratio = 0;  ///< after / before
    double noise = 0;  ///< of both runs together; kMinimumNoise at least
    Change change = Change::SAME;
};

/// A smaller change than this share says nothing about a program, whatever the noise is: the
/// placement of its memory moves times as much.
inline constexpr double kMinimumNoise = 0.03;

struct BenchmarkComparison {
    std::vector<ComparedRow> rows;
    std::size_t comparedCount = 0;  ///< rows that both have
    std::size_t slowerCount = 0;
    std::size_t fasterCount = 0;

    /// Whether something was compared, and nothing is slower.
    [[nodiscard]] bool hasPassed() const noexcept { return comparedCount != 0 && slowerCount == 0; }
};

/// Rows of the same name. A row that is infinite now is slower than a finite one. One is slower or
/// faster if its times differ by more than twice the noise.
[[nodiscard]] BenchmarkComparison compareRows(std::span<const BenchmarkRow> before,
                                              std::span<const BenchmarkRow> after);

/// A table for people with a verdict in one sentence at its end.
[[nodiscard]] std::string textOf(const BenchmarkComparison& comparison);

}  // namespace nnburst::tools
