// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How soon a model answers with more threads and with fewer, found by running it.

#include <chrono>
#include <optional>
#include <span>

namespace nnburst::exec {

class CompiledModel;

/// From a client's request until the client has the answer.
struct AnswerTimes {
    std::chrono::nanoseconds median{};      ///< one after the other
    std::chrono::nanoseconds high{};        ///< p99 of these
    std::chrono::nanoseconds idleMedian{};  ///< after a rest, in which threads went to sleep
    std::chrono::nanoseconds idleHigh{};    ///< p90 of these, which are few
};

/// Of one model with more threads and with fewer.
struct AnswerComparison {
    AnswerTimes more;
    AnswerTimes fewer;
};

/// Runs both in turn, each as a burst with a client would run it, for about a second. What a client
/// saves who can spin beside the kernels is taken off the times of `fewer`, if it can there alone.
/// None if it cannot be found out (dimensions are not known, or a run fails), or if the model is so
/// fast that more threads cannot pay. Runs wait at the engine's gate like others of MEDIUM
/// priority.
[[nodiscard]] std::optional<AnswerComparison> compareAnswerTimes(CompiledModel& more,
                                                                 CompiledModel& fewer);

/// Nearest rank. Sorts `times`, of which there are some.
[[nodiscard]] std::chrono::nanoseconds quantile(std::span<std::chrono::nanoseconds> times,
                                                double fraction) noexcept;

}  // namespace nnburst::exec
