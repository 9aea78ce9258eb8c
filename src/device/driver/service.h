// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The driver's end of the control plane: serves a device to the clients that connect. The event
/// loop only moves messages; models are prepared and executed on job threads. What a
/// client holds is freed when its connection ends.

#include <kj/async.h>

#include <memory>

#include "device/local/local_device.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/protocol_version.h"
#include "nnburst/memory.h"

namespace nnburst::device {

/// Used on the event loop's thread only.
class Service {
  public:
    /// Connections at the same time; more are closed at once.
    static constexpr std::size_t kMaximumConnections = 1024;

    /// `versions` are those of the protocol that clients may speak; others are for tests.
    Service(EventLoop& loop, std::shared_ptr<LocalDevice> device,
            const ProtocolVersions& versions = {});
    ~Service();
    KJ_DISALLOW_COPY(Service);

    /// Serves one client. Resolves when it is gone and what it held is freed.
    [[nodiscard]] kj::Promise<void> serve(kj::Own<kj::AsyncCapabilityStream> client);

    /// Accepts clients on a listening Unix socket, which is borrowed. Never resolves.
    [[nodiscard]] kj::Promise<void> listen(int socket);

  private:
    class Log;

    kj::Promise<void> acceptNext(kj::ConnectionReceiver& receiver);

    EventLoop& loop_;
    std::shared_ptr<LocalDevice> device_;
    const ProtocolVersions versions_;
    std::size_t connectionCount_ = 0;
    kj::Own<kj::TaskSet::ErrorHandler> log_;
    kj::TaskSet clients_;
};

}  // namespace nnburst::device
