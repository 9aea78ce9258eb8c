// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stream of messages between the RPC system and one client. Their memory is charged to the
/// client. While a client does not read its answers, none of its messages is read.

#include <capnp/serialize-async.h>
#include <kj/async-io.h>

#include <cstddef>
#include <deque>

#include "device/driver/open_calls.h"
#include "device/rpc/descriptors.h"

namespace nnburst::device {

/// Used on the event loop's thread only.
class ClientMessages final : public capnp::MessageStream {
  public:
    /// What a message takes beside its bytes, and what each capability in it takes: objects of the
    /// RPC system.
    static constexpr std::uint64_t kBytesBesideMessage = 1024;

    /// `stream` is one that `peer` wraps. Messages are charged to the account of `peer`; without
    /// one they are not.
    ClientMessages(SharedPeer peer, kj::AsyncCapabilityStream& stream);

    /// A message is charged from the arrival of its first bytes until it is dropped; a call until
    /// it is closed, too (OpenCalls). A message that exceeds a limit, or that checkMessage refuses,
    /// ends the connection (OVERLOADED). No message is read while an answer waits to be written, so
    /// that few unread answers accumulate, nor while many calls are unanswered
    /// (OpenCalls::mustPauseReading).
    kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
        kj::ArrayPtr<kj::AutoCloseFd> fdSpace, capnp::ReaderOptions options,
        kj::ArrayPtr<capnp::word> scratchSpace) override;

    kj::Promise<void> writeMessage(
        kj::ArrayPtr<const int> fds,
        kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override;
    kj::Promise<void> writeMessages(
        kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override;
    /// Charges a message that the RPC system is going to send. RESOURCE_EXHAUSTED_*; never for one
    /// of at most OpenCalls::kBytesOfCall: its call is charged for it.
    [[nodiscard]] Result<Charge> chargeUnwritten(std::uint64_t bytes) const;
    /// The RPC system has sent the message of `charge`: keeps the charge until the message is
    /// written. Called for each message, in the order in which they are written.
    void noteUnwritten(Charge charge) { unwritten_.push_back(std::move(charge)); }

    kj::Maybe<int> getSendBufferSize() override { return stream_.getSendBufferSize(); }
    kj::Promise<void> end() override { return stream_.end(); }

  private:
    [[nodiscard]] Result<Charge> chargeFor(capnp::MessageReader& message);
    void noteSent(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments);
    kj::Promise<void> counted(kj::Promise<void> write, std::size_t messages);
    void endWrite(std::size_t messages);
    void logFailedWrite(const kj::Exception& exception) const;
    [[nodiscard]] bool mayRead() const noexcept {
        return writeCount_ == 0 && !openCalls_.mustPauseReading();
    }
    kj::Promise<void> whenMayRead();

    const SharedPeer peer_;
    OpenCalls openCalls_;
    Result<> sent_;  ///< an error if a message that was sent exceeds a limit
    /// Without a buffer: with the one that Cap'n Proto 1.1 takes by itself, large messages arrived
    /// without their descriptors now and then.
    capnp::AsyncCapabilityMessageStream stream_;
    std::deque<Charge> unwritten_;                     // of messages that were sent
    std::size_t writeCount_ = 0;                       // writes that have not ended
    kj::Own<kj::PromiseFulfiller<void>> whenMayRead_;  // of the reader that waits
};

}  // namespace nnburst::device
