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
    /// messages are read while there are as many of either. When they end together, with the
    /// connection or with the call that all wait for, that takes the event loop 10 us for each call
    /// and 1 us for each capability. A client that waits for nothing but its executions has fewer,
    /// so that its signs of life are read: a quarter of Scheduler::kMaximumWaitingJobs and those
    /// that run, with kMaximumPoolsPerMessage each.
    static constexpr std::size_t kManyUnanswered = 1024;
    static constexpr std::size_t kManyUnansweredCapabilities = 65536;
    /// Capabilities of one message: twice those of an allocate() with as many models as it may
    /// name.
    static constexpr std::uint64_t kMaximumCapabilities = 8192;

    /// Each call is charged to `account` as kBytesOfCall of messages, and as a call until the
    /// driver has answered it. Null: none is.
    explicit OpenCalls(SharedAccount account) noexcept;

    /// The client has sent `message`. RESOURCE_EXHAUSTED_* if too many calls are open.
    [[nodiscard]] Result<> noteReceived(capnp::rpc::Message::Reader message);
    /// The driver sends `message`. As noteReceived.
    [[nodiscard]] Result<> noteSent(capnp::rpc::Message::Reader message);

    /// The client has kManyUnanswered, or kManyUnansweredCapabilities.
    [[nodiscard]] bool areMany() const noexcept {
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
