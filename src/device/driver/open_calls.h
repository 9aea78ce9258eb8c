// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The calls between the driver and one client that the RPC system keeps in its tables: those of
/// the client until it has finished them, whether they were answered or not, and those to the
/// client until it has returned. A client decides how long both take, so each is charged to it.

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
    /// Calls to the client that it has not answered. When it goes, all fail at once, on the event
    /// loop; there are fewer of a client that answers than executions that it may launch.
    static constexpr std::size_t kMaximumUnanswered = 8192;
    /// Calls of the client that the driver has not answered, and capabilities in them: no more
    /// messages are read while there are as many. When they end together, with the connection or
    /// with the one that all wait for, that takes the event loop some 10 us each. Fewer than these
    /// can wait for a job thread (Scheduler::kMaximumWaitingJobs) or for descriptors.
    static constexpr std::size_t kManyUnanswered = 1024;
    /// Capabilities of one message: twice those of an allocate() with as many models as it may
    /// name.
    static constexpr std::uint64_t kMaximumCapabilities = 8192;

    /// Each call is charged to `account` as kBytesOfCall of messages. Null: none is.
    explicit OpenCalls(SharedAccount account) noexcept;

    /// The client has sent `message`. RESOURCE_EXHAUSTED_* if too many calls are open.
    [[nodiscard]] Result<> noteReceived(capnp::rpc::Message::Reader message);
    /// The driver sends `message`. As noteReceived.
    [[nodiscard]] Result<> noteSent(capnp::rpc::Message::Reader message);

    /// The client has kManyUnanswered.
    [[nodiscard]] bool areMany() const noexcept { return unanswered_ >= kManyUnanswered; }

  private:
    /// Charges by the numbers of the calls. Those who open a call choose its number.
    using Charges = std::unordered_map<std::uint32_t, Charge>;

    [[nodiscard]] Result<> open(Charges& calls, std::uint32_t number);

    const SharedAccount account_;
    Charges ofClient_;
    Charges ofDriver_;
    /// By the numbers of calls that the driver has not answered: one and their capabilities.
    std::unordered_map<std::uint32_t, std::size_t> weights_;
    std::size_t unanswered_ = 0;  ///< all of these
};

/// The capabilities that `message` brings or names.
[[nodiscard]] std::uint64_t countCapabilities(capnp::rpc::Message::Reader message);

}  // namespace nnburst::device
