// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The application's end of the control plane to one driver process. A thread of its own runs the
/// event loop; the application's threads pass their calls to it and wait for the answers. A second
/// thread runs the application's callbacks, so that these may make calls themselves.
///
/// The connection is lost when the socket closes, or when a call waits and the driver has shown no
/// sign of life for kHangTimeout. Then all pending and later calls fail with DEVICE_UNAVAILABLE,
/// and every burst is notified. A lost connection is never restored.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "burst/controller.h"
#include "device/client/driver_link.h"
#include "device/client/driver_process.h"
#include "device/local/scheduler.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/nnburst.capnp.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Thread-safe. Shared by all objects that were created over it; closed with the last of them, on
/// any thread.
class Connection {
  public:
    /// Asynchronous calls whose callback has not returned yet.
    static constexpr std::size_t kMaximumPendingCallbacks = Scheduler::kMaximumWaitingJobs;

    /// Connects over `socket` and exchanges versions. `driverName` is used in messages. `child`
    /// ends with the connection; null for a driver that another process started. DEVICE_UNAVAILABLE
    /// if the peer does not speak our protocol, or none of `versions`; others are for tests.
    [[nodiscard]] static Result<std::shared_ptr<Connection>> open(
        UniqueFd socket, const std::string& driverName, std::unique_ptr<DriverProcess> child,
        const ProtocolVersions& versions = {});
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] bool isLost() const noexcept { return isLost_->load(std::memory_order_relaxed); }

    /// Runs `start` on the event loop's thread and waits for its answer, at most until the
    /// connection is lost. Not from a thread of the connection.
    template <class T>
    [[nodiscard]] Result<T> call(kj::Function<kj::Promise<Result<T>>()> start) {
        return loop_->call<T>(
            [this, start = kj::mv(start)]() mutable { return link_->track<T>(start); });
    }

    /// Runs `job` on the event loop's thread. Does not wait. May be called on any thread.
    void post(kj::Function<void()> job) { (void)loop_->post(kj::mv(job)); }

    /// Starts a call on the event loop's thread. Does not wait, and is not told of errors: `start`
    /// is not run, or its promise dropped, if the connection is lost. May be called on any thread.
    void send(kj::Function<kj::Promise<void>()> start) {
        post([link = link_, start = kj::mv(start)]() mutable { link->start(start); });
    }

    /// The HAL version whose rules the driver's device follows.
    [[nodiscard]] HalVersion halVersion() const noexcept { return halVersion_; }

    /// Asks the driver for a sign of life.
    [[nodiscard]] Result<> ping();

    /// When to stop waiting for the answer to a call with `deadline`: kDeadlineGrace later. Never
    /// without a deadline, or if the driver does not know deadlines.
    [[nodiscard]] OptionalTimePoint giveUpAt(const OptionalTimePoint& deadline) const;

    /// Waits for `answer` until `giveUpAt`; returns whether it has come. In any case the call stays
    /// pending until the answer comes or the connection is lost. On the event loop's thread.
    [[nodiscard]] kj::Promise<bool> waitUntil(const OptionalTimePoint& giveUpAt,
                                              kj::Promise<void> answer) {
        return giveUpAt ? link_->waitUntil(*giveUpAt, kj::mv(answer))
                        : answer.then([] { return true; });
    }

    /// The driver's device. On the event loop's thread.
    [[nodiscard]] rpc::Device::Client& device() { return link_->device(); }

    /// Notifies `controller` when the connection is lost. On the event loop's thread.
    void notifyOfLoss(std::weak_ptr<burst::Controller> controller) {
        link_->notifyOfLoss(std::move(controller));
    }

    /// Calls `lost` once when the connection is lost, also if it is already. On the event loop's
    /// thread, which it must not block. May be called on any thread.
    void notifyOfLoss(std::function<void()> lost);

    /// Kills the driver process and waits for its end, if it is this connection's own. On any
    /// thread but the event loop's.
    void endDriver();

    /// The RPC system. On the event loop's thread, on which it may outlive this object.
    [[nodiscard]] DriverLink& link() noexcept { return *link_; }

    /// Reserves room for one callback, which `deliver` releases. RESOURCE_EXHAUSTED_TRANSIENT if
    /// kMaximumPendingCallbacks are outstanding.
    [[nodiscard]] Result<> reserveCallback();
    /// Runs `callback` on the callback thread and destroys it there; once for each reservation.
    /// `self` is this connection.
    static void deliver(std::shared_ptr<Connection> self, std::function<void()> callback);

  private:
    Connection(std::unique_ptr<DriverProcess> child, std::shared_ptr<Scheduler::Client> callbacks,
               std::shared_ptr<std::atomic<bool>> isLost) noexcept;

    std::unique_ptr<DriverProcess> child_;  // ended after the socket is closed
    std::shared_ptr<Scheduler::Client> callbacks_;
    const std::shared_ptr<std::atomic<std::size_t>> pendingCallbacks_ =
        std::make_shared<std::atomic<std::size_t>>(0);
    std::shared_ptr<std::atomic<bool>> isLost_;
    std::thread thread_;
    HalVersion halVersion_ = kLatestHalVersion;  // what the driver has said in `open`
    EventLoop* loop_ = nullptr;   // on the stack of thread_, until the destructor stops it
    DriverLink* link_ = nullptr;  // as loop_
};

}  // namespace nnburst::device
