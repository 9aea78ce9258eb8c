// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Measures the latency of a model with two numbers of kernel threads, by running it.

#include <chrono>
#include <optional>
#include <span>

namespace nnburst::exec {

class CompiledModel;

/// Latencies of one model, from the client's request until the client has the result.
struct LatencySample {
    std::chrono::nanoseconds median{};      ///< of back-to-back executions
    std::chrono::nanoseconds high{};        ///< p99 of back-to-back executions
    std::chrono::nanoseconds idleMedian{};  ///< of executions after a rest in which threads slept
    std::chrono::nanoseconds idleHigh{};    ///< p90 of executions after a rest (few samples)
};

/// Latencies of one model with more threads and with fewer.
struct LatencyComparison {
    LatencySample more;
    LatencySample fewer;
};

/// Runs both alternately, each as a burst with a client would run it, for about a second. If only
/// `fewer` leaves a processor on which a client can spin, the time that spinning saves is
/// subtracted from its latencies. A model of which one execution takes more than 0.2 s is run only
/// a few times, and one of more than 0.8 s counts as one of 0.8 s. Returns nothing if the latencies
/// cannot be measured (dimensions are not known, a run fails), or if the model is so fast that more
/// threads cannot help.
/// Runs wait at the engine's gate like other executions of MEDIUM priority.
[[nodiscard]] std::optional<LatencyComparison> compareLatencies(CompiledModel& more,
                                                                CompiledModel& fewer);

/// Quantile by nearest rank. Sorts `times`, which must not be empty.
[[nodiscard]] std::chrono::nanoseconds quantile(std::span<std::chrono::nanoseconds> times,
                                                double fraction) noexcept;

}  // namespace nnburst::exec
