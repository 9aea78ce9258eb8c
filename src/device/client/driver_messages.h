// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stream of messages between the RPC system and a driver.

#include <capnp/rpc.capnp.h>
#include <capnp/serialize-async.h>
#include <kj/async-io.h>

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "nnburst/result.h"

namespace nnburst::device {

/// Used on the event loop's thread only. The connection ends at a message that checkResolution
/// refuses, at one of a kind that no driver sends (the RPC system would answer with a copy), and
/// at a call that exceeds a limit.
class DriverMessages final : public capnp::MessageStream {
  public:
    /// Limit on calls of the driver whose answers are not written because it does not read. A
    /// driver of this library leaves no more unanswered (OpenCalls::kMaximumUnanswered).
    /// The RPC system drops the answers by recursion: these take less than 4 MiB of stack.
    static constexpr std::size_t kMaximumUnanswered = 8192;
    /// Limit on calls that the driver has not finished: the RPC system keeps their answers.
    static constexpr std::size_t kMaximumUnfinished = 2 * kMaximumUnanswered;

    explicit DriverMessages(kj::AsyncCapabilityStream& stream) : stream_(stream) {}

    kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
        kj::ArrayPtr<kj::AutoCloseFd> fdSpace, capnp::ReaderOptions options,
        kj::ArrayPtr<capnp::word> scratchSpace) override;

    kj::Promise<void> writeMessage(
        kj::ArrayPtr<const int> fds,
        kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override;
    kj::Promise<void> writeMessages(
        kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override;
    /// Resolves when the driver is cut off. The RPC system waits until its messages are written,
    /// which a driver that does not read can prevent. To be called once.
    [[nodiscard]] kj::Promise<void> whenCutOff() { return kj::mv(cutOff_.promise); }

    kj::Maybe<int> getSendBufferSize() override { return stream_.getSendBufferSize(); }
    kj::Promise<void> end() override { return stream_.end(); }

  private:
    /// Checks a message that the driver has sent, and notes the calls that it opens and finishes.
    [[nodiscard]] Result<> noteReceived(capnp::rpc::Message::Reader message);
    [[nodiscard]] Result<> noteCall(std::uint32_t number);
    /// `write`, which writes `answers` answers to calls of the driver.
    kj::Promise<void> counted(kj::Promise<void> write, std::size_t answers);

    std::unordered_set<std::uint32_t> unfinished_;  ///< calls of the driver, by their numbers
    std::size_t unanswered_ = 0;  ///< calls of the driver whose answers are not written
    kj::PromiseFulfillerPair<void> cutOff_ = kj::newPromiseAndFulfiller<void>();
    /// Without a buffer, for the reason in driver/client_messages.h.
    capnp::AsyncCapabilityMessageStream stream_;
};

}  // namespace nnburst::device
