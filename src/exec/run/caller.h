// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// For whom a compiled model runs.

#include <atomic>
#include <cstdint>
#include <optional>

#include "account/account.h"
#include "exec/threads/execution_gate.h"
#include "exec/threads/lane_share.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Where the pass of an execution is kept beyond its run.
using KeptPass = std::optional<ExecutionGate::Pass>;

/// The client for which an execution runs, and its priority.
struct Caller {
    Caller(Priority given) noexcept : priority(given) {}  // NOLINT(google-explicit-constructor)
    Caller(Priority given, LaneShare* share, std::uint32_t number = 0,
           KeptPass* pass = nullptr) noexcept
        : priority(given), client(share), burstNumber(number), keptPass(pass) {}

    /// What the execution is charged to; null: it is not charged.
    [[nodiscard]] Account* account() const noexcept {
        return client == nullptr ? nullptr : client->account().get();
    }
    /// Becomes true when the client has gone; null: never.
    [[nodiscard]] const std::atomic<bool>* isCancelled() const noexcept {
        return client == nullptr ? nullptr : &client->isCancelled();
    }

    Priority priority;              ///< among the executions of the same client
    LaneShare* client = nullptr;    ///< null: callers without a client count as one
    std::uint32_t burstNumber = 0;  ///< from CompiledModel::addBurst; 0 for others
    /// Empty; gets the pass of the execution, which the caller ends once it has answered. Stays
    /// empty if the execution has copied unaligned arguments, or has got a low priority: then the
    /// pass ends with the run, as with null.
    KeptPass* keptPass = nullptr;
    /// True for a warm-up run (Plan::warmUp): its outputs are discarded.
    bool isWarmUp = false;
};

}  // namespace nnburst::exec
