// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a case of the stress program ended, and what was measured meanwhile. A case runs in a
/// process of its own, which hands this to the process that started it as one line of JSON.

#include <cstdint>
#include <optional>
#include <string>

namespace nnburst::stress {

enum class Outcome : std::uint8_t {
    SUCCESS,
    SKIPPED,  ///< this machine cannot show it
    FAILURE,  ///< something is wrong: a result, a call that had to succeed, resources that stay
    HANG,     ///< something did not end within kHangBound
    CRASH,    ///< the driver, or the case itself, ended by a signal or without being asked to
};

[[nodiscard]] const char* toString(Outcome outcome) noexcept;

/// What one process holds, from /proc.
struct Usage {
    std::uint64_t memoryBytes = 0;   ///< private memory that is present (RssAnon)
    std::uint64_t addressBytes = 0;  ///< mapped addresses (VmSize)
    std::uint64_t descriptors = 0;
    std::uint64_t threads = 0;
    std::uint64_t sharedMappings = 0;  ///< of shared memory of this library
};

/// What a client measured while it was served.
struct Service {
    std::uint64_t executions = 0;    ///< of its burst, each with checked results
    std::uint64_t controlCalls = 0;  ///< connections with a preparation and an execution each
    double medianUs = 0;             ///< of the burst's executions
    double p99Us = 0;
    double longestUs = 0;
    double longestControlUs = 0;
    std::uint64_t failures = 0;
    std::string firstFailure;
};

struct CaseResult {
    Outcome outcome = Outcome::SUCCESS;
    std::string reason;  ///< of any outcome but SUCCESS
    Service alone;
    Service beside;  ///< the attack
    Usage before;
    Usage after;
    Usage largest;      ///< of each figure, during the attack
    std::string notes;  ///< what the case counted

    /// Keeps the first reason of the worst outcome.
    void fail(Outcome worse, const std::string& why);
    /// The p99 of the good client's executions beside the attack and alone; none without both.
    [[nodiscard]] std::optional<double> ratio() const;
};

[[nodiscard]] std::string toJson(const CaseResult& result);
/// Nothing if `text` is not a result.
[[nodiscard]] std::optional<CaseResult> fromJson(const std::string& text);

}  // namespace nnburst::stress
