// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The calls between the driver and one client that the RPC system keeps in its tables: calls of
/// the client until it has finished them, whether they were answered or not, and calls to the
/// client until it has returned. The client decides how long both take, so each call is charged to
/// it.

#include <capnp/rpc.capnp.h>

#include <cstdint>
#include <unordered_map>

#include "account/account.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Used on the event loop's thread only.
class OpenCalls {
  public:
    /// What a call takes in the tables: objects of the RPC system, and the capabilities of its
    /// answer.
    static constexpr std::uint64_t kBytesOfCall = 2048;
    /// Limit on calls to the client that it has not answered: when it disconnects, all of them fail
    /// at once on the event loop. A client that answers has fewer than the executions that it may
    /// launch.
    static constexpr std::size_t kMaximumUnanswered = 8192;
    /// Calls of the client that the driver has not answered, and capabilities in them, at which
    /// reading its messages pauses. All may end together, with the connection or with a call for
    /// which all wait; that takes the event loop 10 us for each call and 1 us for each capability.
    /// A client that only waits for its executions stays below both, so that its pings are read: it
    /// has a quarter of Scheduler::kMaximumWaitingJobs and those that run, with
    /// kMaximumPoolsPerMessage each.
    static constexpr std::size_t kManyUnanswered = 1024;
    static constexpr std::size_t kManyUnansweredCapabilities = 65536;
    /// Limit on capabilities of one message: twice those of an allocate() with the largest number
    /// of models.
    static constexpr std::uint64_t kMaximumCapabilities = 8192;

    /// Each call is charged to `account` as kBytesOfCall of messages, and as a call until the
    /// driver has answered it. Null: nothing is charged.
    explicit OpenCalls(SharedAccount account) noexcept;

    /// The client has sent `message`. RESOURCE_EXHAUSTED_* if too many calls are open.
    [[nodiscard]] Result<> noteReceived(capnp::rpc::Message::Reader message);
    /// The driver sends `message`. As noteReceived.
    [[nodiscard]] Result<> noteSent(capnp::rpc::Message::Reader message);

    /// Whether kManyUnanswered or kManyUnansweredCapabilities is reached.
    [[nodiscard]] bool mustPauseReading() const noexcept {
        return unanswered_.size() >= kManyUnanswered ||
               unansweredCapabilities_ >= kManyUnansweredCapabilities;
    }

  private:
    /// Charges by the numbers of the calls. The side that opens a call chooses its number.
    using Charges = std::unordered_map<std::uint32_t, Charge>;

    [[nodiscard]] Result<> open(Charges& calls, std::uint32_t number);

    const SharedAccount account_;
    Charges ofClient_;
    Charges ofDriver_;
    struct UnansweredCall {
        Charge charge;
        std::uint64_t capabilities = 0;
    };
    /// The calls that the driver has not answered, by their numbers.
    std::unordered_map<std::uint32_t, UnansweredCall> unanswered_;
    std::uint64_t unansweredCapabilities_ = 0;  ///< all of these
};

/// The capabilities that `message` brings or names.
[[nodiscard]] std::uint64_t countCapabilities(capnp::rpc::Message::Reader message);

}  // namespace nnburst::device
