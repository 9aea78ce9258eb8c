// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// With how many threads a model answers soonest, found by running it. A second thread halves the
/// time of a large model and doubles that of a small one; how much depends on the machine, and on
/// whether a processor is left for the client.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/compiled_model.h"

namespace nnburst::exec {

/// Numbers of threads to compare, in order, each with the best before it. None is 1 or more than
/// `processors`.
[[nodiscard]] std::vector<std::uint32_t> threadCountsToTry(std::size_t processors);

/// From a client's request until the client has the answer.
struct AnswerTimes {
    std::chrono::nanoseconds median{};      ///< one after the other
    std::chrono::nanoseconds high{};        ///< p99 of these
    std::chrono::nanoseconds idleMedian{};  ///< after a rest, in which threads went to sleep
    std::chrono::nanoseconds idleHigh{};    ///< p90 of these, which are few
};

/// Nearest rank. Sorts `times`, of which there are some.
[[nodiscard]] std::chrono::nanoseconds quantile(std::span<std::chrono::nanoseconds> times,
                                                double fraction) noexcept;

/// `more` threads are better than `fewer` in each way: not sooner at times and later at others.
[[nodiscard]] bool isWorthIt(const AnswerTimes& more, const AnswerTimes& fewer) noexcept;

/// Whether `more` answers sooner than `fewer`, the same model with fewer threads. Takes about a
/// second. False also if that cannot be found out.
[[nodiscard]] bool answersSooner(CompiledModel& more, CompiledModel& fewer);

}  // namespace nnburst::exec
