// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A worker's side of the channel to its broker: serves the clients that the broker passes to it.

#include <kj/async-unix.h>
#include <kj/async.h>

#include <functional>

#include "device/driver/service.h"
#include "device/driver/worker_messages.h"
#include "device/rpc/event_loop.h"
#include "nnburst/unique_fd.h"

namespace nnburst::device {

/// Used on the event loop's thread only. Must not outlive `service`.
class WorkerOrders final : private kj::TaskSet::ErrorHandler {
  public:
    /// Tells the broker that the worker is ready. `stop` is called when the broker wants the worker
    /// to drain.
    WorkerOrders(EventLoop& loop, Service& service, UniqueFd channel, std::function<void()> stop);
    KJ_DISALLOW_COPY(WorkerOrders);

    /// Follows the broker's orders. Resolves when the broker has closed the channel.
    [[nodiscard]] kj::Promise<void> follow();

  private:
    void taskFailed(kj::Exception&& exception) override;
    bool followAvailable();
    void serve(std::uint64_t number, UniqueFd socket);
    [[nodiscard]] kj::Promise<void> report(const WorkerMessage& message);

    EventLoop& loop_;
    Service& service_;
    const UniqueFd channel_;
    const std::function<void()> stop_;
    kj::UnixEventPort::FdObserver orders_;
    kj::TaskSet tasks_;  // clients that are served, and reports
};

}  // namespace nnburst::device
