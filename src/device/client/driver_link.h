// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The RPC system of one connection to a driver, and the decision that the connection is lost. All
/// of it lives on the event loop's thread.

#include <capnp/rpc-twoparty.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "burst/controller.h"
#include "device/client/driver_messages.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/nnburst.capnp.h"
#include "device/rpc/protocol_version.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

class DriverLink {
  public:
    /// `isLost` is set when the link is lost, so that other threads can look without waiting.
    /// While `pendingCallbacks` is not 0 the driver has to show signs of life.
    DriverLink(EventLoop& loop, UniqueFd socket, std::string driverName,
               std::shared_ptr<std::atomic<bool>> isLost,
               std::shared_ptr<const std::atomic<std::size_t>> pendingCallbacks);

    /// Serves until `stop`: calls while the link lasts, then refusals.
    void run();
    void stop();

    /// Finds a version of the protocol that both sides speak and fetches the device; returns the
    /// HAL version that it follows.
    [[nodiscard]] kj::Promise<Result<HalVersion>> open(const ProtocolVersions& versions);
    [[nodiscard]] kj::Promise<Result<>> ping();
    [[nodiscard]] rpc::Device::Client& device() { return device_; }

    /// Starts a call. It fails when the link is lost, and while it is pending the driver has to
    /// show signs of life.
    template <class T>
    [[nodiscard]] kj::Promise<Result<T>> track(kj::Function<kj::Promise<Result<T>>()>& start);

    /// Starts a call for which no thread waits. Does nothing if the link is lost.
    void start(kj::Function<kj::Promise<void>()>& start);

    /// Waits for `answer` until `giveUpAt`; returns whether it has come. Afterwards the call stays
    /// pending until the answer comes or the link is lost, but the answer is ignored. The driver
    /// has to show signs of life until then.
    [[nodiscard]] kj::Promise<bool> waitUntil(TimePoint giveUpAt, kj::Promise<void> answer);

    void notifyOfLoss(std::weak_ptr<burst::Controller> controller);
    /// Calls `lost` once, at once if the link is lost already.
    void notifyOfLoss(std::function<void()> lost);
    /// Fails `fence` when the link is lost, if it is still pending then. Until it is signalled the
    /// driver has to show signs of life. `attachment` is dropped when the fence was found
    /// signalled, which takes up to kPingInterval, or when the link is lost.
    void failOnLoss(UniqueFd fence, std::shared_ptr<const void> attachment);

  private:
    struct PendingFence {
        UniqueFd fd;
        std::shared_ptr<const void> attachment;
    };

    /// What lives as long as the link.
    struct Session {
        Session(EventLoop& loop, UniqueFd socket);

        kj::Own<kj::AsyncCapabilityStream> stream;
        DriverMessages messages;
        capnp::TwoPartyVatNetwork network;
        capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpcSystem;
    };

    /// Asks the driver to open with `version`.
    [[nodiscard]] kj::Promise<capnp::Response<rpc::Driver::OpenResults>> ask(std::uint32_t version);
    /// Takes the device from the driver's last answer.
    [[nodiscard]] kj::Promise<Result<HalVersion>> accept(rpc::Driver::OpenResults::Reader answer,
                                                         const ProtocolVersions& versions);
    void lose();
    [[nodiscard]] Error lostError() const;
    void beginWaiting();
    void endWaiting() noexcept;
    [[nodiscard]] bool isAwaitingDriver();
    void dropSignalledFences();
    kj::Promise<void> watchDriver();
    kj::Promise<void> pingDriver();
    kj::Promise<void> countDown(int steps);

    EventLoop& loop_;
    const std::string driverName_;
    const std::shared_ptr<std::atomic<bool>> isLost_;
    const std::shared_ptr<const std::atomic<std::size_t>> pendingCallbacks_;

    kj::Own<Session> session_;
    rpc::Driver::Client driver_;
    rpc::Device::Client device_;
    std::vector<std::weak_ptr<burst::Controller>> controllers_;
    std::vector<std::function<void()>> lossCallbacks_;
    std::vector<PendingFence> fences_;  // of executions that may be running
    std::size_t dropFencesAt_ = 1;      // number of fences at which signalled ones are dropped

    kj::Canceler calls_;  // all pending calls
    std::size_t waitingCalls_ = 0;
    kj::TimePoint lastSignOfLife_;  // or the start of waiting, if that is later
    bool isWatching_ = false;
    kj::Promise<void> watcher_;

    kj::PromiseFulfillerPair<void> stopping_;
    kj::ForkedPromise<void> stopped_;
    kj::PromiseFulfillerPair<void> hanging_;  // fulfilled when the driver gives no sign of life
};

template <class T>
kj::Promise<Result<T>> DriverLink::track(kj::Function<kj::Promise<Result<T>>()>& start) {
    if (session_.get() == nullptr) {
        return Result<T>(tl::unexpected<Error>(lostError()));
    }
    beginWaiting();
    return calls_.wrap(kj::evalNow(start))
        .then(
            [this](Result<T>&& result) {
                endWaiting();
                return kj::mv(result);
            },
            [this](kj::Exception&& exception) -> Result<T> {
                endWaiting();
                Error error = toError(exception);
                error.message = driverName_ + ": " + error.message;
                return tl::unexpected<Error>(std::move(error));
            });
}

}  // namespace nnburst::device
