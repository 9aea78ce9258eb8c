// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names of the numbers that are not durations (Round::numbers). Goals refer to them by these
/// names.

namespace nnburst::bench {

/// Of calls in a row between two readings of the clock: single calls of short operations are near
/// the clock's resolution, which is 10 ns on some machines.
inline constexpr const char* kBatchNumber = "batch, ns a call";
/// By the waiting of both sides.
inline constexpr const char* kBurntNumber = "burnt, % of a processor";
/// Of both processes.
inline constexpr const char* kCallsNumber = "system calls an execution";
/// Of all clients.
inline constexpr const char* kTotalNumber = "executions a second";
inline constexpr const char* kProcessorNumber = "executions a second for each processor of use";
inline constexpr const char* kTailNumber = "p99 of an execution, us";
inline constexpr const char* kFairnessNumber = "slowest / fastest client";
inline constexpr const char* kInputNumber = "ns an input";
inline constexpr const char* kIdleNumber = "driver while all are idle, % of a processor";
inline constexpr const char* kThreadsNumber = "driver, threads a burst";

}  // namespace nnburst::bench
