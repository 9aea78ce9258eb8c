// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a driver and a broker do beside serving their clients: answer about metrics, reap the child
/// that measures the machine, and stop on a signal.

#include <kj/async.h>

#include <chrono>
#include <optional>

#include "device/driver/metrics.h"
#include "device/driver/metrics_server.h"
#include "device/rpc/event_loop.h"
#include "driver_setup.h"
#include "lifecycle.h"

namespace nnburst {

/// Reaps `child`, if there is one, when it has ended.
[[nodiscard]] kj::Promise<void> reapWhenEnded(device::EventLoop& loop, std::optional<pid_t> child);

/// Used on the event loop's thread only.
class ServingFrame {
  public:
    /// `server` is a service or a broker. All arguments are borrowed.
    template <class Server>
    ServingFrame(device::EventLoop& loop, Setup& setup, Server& server)
        : setup_(setup),
          metrics_(loop, [&server] { return device::metricsText(server); }),
          answering_(setup.metrics.serve(metrics_).eagerlyEvaluate(nullptr)),
          reaping_(reapWhenEnded(loop, setup.measuring).eagerlyEvaluate(nullptr)),
          lifecycle_(loop, Serving::of(server), setup.manager) {}
    KJ_DISALLOW_COPY(ServingFrame);

    [[nodiscard]] Lifecycle& lifecycle() noexcept { return lifecycle_; }

    /// As Lifecycle::run, with `accepting`, which accepts clients at the listening socket: a signal
    /// cancels it and closes the socket.
    [[nodiscard]] bool runAccepting(kj::Promise<void> accepting,
                                    std::chrono::milliseconds drainTimeout);

  private:
    Setup& setup_;
    device::MetricsServer metrics_;
    const kj::Promise<void> answering_;
    const kj::Promise<void> reaping_;
    Lifecycle lifecycle_;
};

}  // namespace nnburst
