// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stream of messages between the RPC system and a driver.

#include <capnp/serialize-async.h>
#include <kj/async-io.h>

namespace nnburst::device {

/// Used on the event loop's thread only. A message that checkResolution refuses ends the
/// connection.
class DriverMessages final : public capnp::MessageStream {
  public:
    explicit DriverMessages(kj::AsyncCapabilityStream& stream) : stream_(stream) {}

    kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
        kj::ArrayPtr<kj::AutoCloseFd> fdSpace, capnp::ReaderOptions options,
        kj::ArrayPtr<capnp::word> scratchSpace) override;

    kj::Promise<void> writeMessage(
        kj::ArrayPtr<const int> fds,
        kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override {
        return stream_.writeMessage(fds, segments);
    }
    kj::Promise<void> writeMessages(
        kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override {
        return stream_.writeMessages(messages);
    }
    kj::Maybe<int> getSendBufferSize() override { return stream_.getSendBufferSize(); }
    kj::Promise<void> end() override { return stream_.end(); }

  private:
    /// Without a buffer, for the reason in driver/client_messages.h.
    capnp::AsyncCapabilityMessageStream stream_;
};

}  // namespace nnburst::device
