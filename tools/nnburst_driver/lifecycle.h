// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a driver runs and stops: the first SIGTERM or SIGINT drains the driver, the second one stops
/// it at once. The service manager is notified of each step.

#include <kj/async.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "device/rpc/event_loop.h"
#include "service_manager.h"

namespace nnburst {

/// The object that serves clients: a service or a broker.
struct Serving {
    std::function<std::uint64_t()> clientCount;
    /// Accepts no more work. Resolves when what was accepted is finished.
    std::function<kj::Promise<void>()> drain;

    template <class Server>
    [[nodiscard]] static Serving of(Server& server) {
        return {.clientCount = [&server] { return server.connectionCount(); },
                .drain = [&server] { return server.drain(); }};
    }
};

/// On the event loop's thread.
class Lifecycle {
  public:
    Lifecycle(device::EventLoop& loop, Serving serving, const ServiceManager& manager)
        : loop_(loop),
          serving_(std::move(serving)),
          manager_(manager),
          stopRequest_(kj::newPromiseAndFulfiller<void>()) {}
    KJ_DISALLOW_COPY(Lifecycle);

    /// As the first signal; only the first call has an effect.
    void stop() { stopRequest_.fulfiller->fulfill(); }

    /// Serves until `gone` resolves, or until a signal stops the driver and all work is finished,
    /// at most `drainTimeout` after the signal. `stopAccepting` is called when the signal comes.
    /// Returns false if work is left.
    [[nodiscard]] bool run(kj::Promise<void> gone, std::chrono::milliseconds drainTimeout,
                           const std::function<void()>& stopAccepting);

  private:
    kj::Promise<void> stopSignal();
    kj::Promise<void> drain(std::chrono::milliseconds timeout);
    kj::Promise<void> report();

    device::EventLoop& loop_;
    const Serving serving_;
    const ServiceManager& manager_;
    kj::PromiseFulfillerPair<void> stopRequest_;
    bool isReadySent_ = false;  // READY=1 has reached the service manager, or comes too late
    bool isWorkLeft_ = false;
};

}  // namespace nnburst
