// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a driver runs and stops: the first SIGTERM or SIGINT lets it finish what it has begun, the
/// second one ends it. The service manager is told of each step.

#include <kj/async.h>

#include <chrono>
#include <functional>

#include "device/driver/service.h"
#include "device/rpc/event_loop.h"
#include "service_manager.h"

namespace nnburst {

/// On the event loop's thread.
class Lifecycle {
  public:
    Lifecycle(device::EventLoop& loop, device::Service& service, const ServiceManager& manager)
        : loop_(loop), service_(service), manager_(manager) {}
    KJ_DISALLOW_COPY(Lifecycle);

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
    device::Service& service_;
    const ServiceManager& manager_;
    bool isWorkLeft_ = false;
};

}  // namespace nnburst
