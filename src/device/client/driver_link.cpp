// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/driver_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "burst/control_plane.h"
#include "device/rpc/conversion.h"
#include "device/rpc/rpc_limits.h"
#include "nnburst/device.h"
#include "nnburst/fence.h"
#include "system/time.h"

namespace nnburst::device {

namespace {

/// While a call waits, the driver is pinged if it has shown no sign of life for this long.
constexpr kj::Duration kPingInterval = toKj(burst::kPingInterval);

/// Number of timer steps in which the answer to a ping is awaited.
constexpr int kAnswerSteps = 4;

/// With kPingInterval before, all steps are kHangTimeout.
kj::Duration answerStep() noexcept {
    return toKj(kHangTimeout - burst::kPingInterval) / kAnswerSteps;
}

}  // namespace

DriverLink::Session::Session(EventLoop& loop, UniqueFd socket)
    : stream(loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(socket.release()))),
      messages(*stream),
      network(messages, kMaximumFdsPerMessage, capnp::rpc::twoparty::Side::CLIENT, readerOptions()),
      rpcSystem(capnp::makeRpcClient(network)) {}

DriverLink::DriverLink(EventLoop& loop, UniqueFd socket, std::string driverName,
                       std::shared_ptr<std::atomic<bool>> isLost,
                       std::shared_ptr<const std::atomic<std::size_t>> pendingCallbacks)
    : loop_(loop),
      driverName_(std::move(driverName)),
      isLost_(std::move(isLost)),
      pendingCallbacks_(std::move(pendingCallbacks)),
      session_(kj::heap<Session>(loop, std::move(socket))),
      driver_([this] {
          capnp::MallocMessageBuilder message;
          auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
          server.setSide(capnp::rpc::twoparty::Side::SERVER);
          return session_->rpcSystem.bootstrap(server).castAs<rpc::Driver>();
      }()),
      device_(nullptr),
      lastSignOfLife_(loop.timer().now()),
      watcher_(kj::READY_NOW),
      stopping_(kj::newPromiseAndFulfiller<void>()),
      stopped_(stopping_.promise.fork()),
      hanging_(kj::newPromiseAndFulfiller<void>()) {}

void DriverLink::run() {
    loop_.run(session_->network.onDisconnect()
                  .exclusiveJoin(session_->messages.whenCutOff())
                  .exclusiveJoin(kj::mv(hanging_.promise))
                  .exclusiveJoin(stopped_.addBranch()));
    lose();
    loop_.run(stopped_.addBranch());
}

void DriverLink::stop() {
    stopping_.fulfiller->fulfill();
}

/// Not inside a promise of the link: it takes down all of them.
void DriverLink::lose() {
    isLost_->store(true, std::memory_order_relaxed);  // only a hint: calls ask the link itself
    for (const std::weak_ptr<burst::Controller>& weak : controllers_) {
        if (const auto controller = weak.lock()) {
            controller->connectionLost();
        }
    }
    controllers_.clear();
    for (const PendingFence& fence : fences_) {
        failFence(fence.fd.get());
    }
    fences_.clear();
    calls_.cancel(kj::Exception(kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__,
                                kj::str("the driver is gone")));
    watcher_ = kj::READY_NOW;
    session_ = nullptr;
    for (const std::function<void()>& lost : std::exchange(lossCallbacks_, {})) {
        lost();
    }
}

Error DriverLink::lostError() const {
    return {ErrorStatus::DEVICE_UNAVAILABLE, driverName_ + ": the connection is lost"};
}

kj::Promise<Result<HalVersion>> DriverLink::open(const ProtocolVersions& versions) {
    return ask(versions.newest)
        .then([this, versions](auto&& answer) -> kj::Promise<Result<HalVersion>> {
            const auto next = versions.nextAfter(answer.getProtocolVersion());
            return next ? ask(*next).then(
                              [this, versions](auto&& second) { return accept(second, versions); })
                        : accept(answer, versions);
        });
}

kj::Promise<capnp::Response<rpc::Driver::OpenResults>> DriverLink::ask(std::uint32_t version) {
    auto call = driver_.openRequest();
    call.setProtocolVersion(version);
    return call.send();
}

kj::Promise<Result<HalVersion>> DriverLink::accept(rpc::Driver::OpenResults::Reader answer,
                                                   const ProtocolVersions& versions) {
    const auto refused = [](Error error) {
        return Result<HalVersion>(tl::unexpected<Error>(std::move(error)));
    };
    if (!versions.contains(answer.getProtocolVersion())) {
        return refused({ErrorStatus::DEVICE_UNAVAILABLE,
                        fmt::format("{}: it speaks version {} of the protocol, this library "
                                    "versions {} to {}",
                                    driverName_, answer.getProtocolVersion(), versions.oldest,
                                    versions.newest)});
    }
    if (const Result<> status = fromMessage(answer.getStatus()); !status) {
        return refused(status.error());
    }
    device_ = answer.getDevice();
    return device_.getHalVersionRequest().send().then(
        [refused](auto&& response) -> Result<HalVersion> {
            const auto version = static_cast<HalVersion>(response.getHalVersion());
            if (version > kLatestHalVersion) {
                return refused(
                    {ErrorStatus::DEVICE_UNAVAILABLE,
                     fmt::format("the driver follows HAL version number {}: must "
                                 "be 0 to {}",
                                 response.getHalVersion(), static_cast<int>(kLatestHalVersion))});
            }
            return version;
        });
}

kj::Promise<Result<>> DriverLink::ping() {
    return driver_.pingRequest().send().then([](auto&&) { return Result<>(); });
}

void DriverLink::start(kj::Function<kj::Promise<void>()>& start) {
    if (session_.get() != nullptr) {
        calls_.wrap(kj::evalNow(start)).detach([](kj::Exception&&) {});
    }
}

kj::Promise<bool> DriverLink::waitUntil(TimePoint giveUpAt, kj::Promise<void> answer) {
    constexpr std::chrono::nanoseconds kLongestAlarm = std::chrono::hours(24 * 365);
    const auto left =
        std::clamp(system::saturatingDifference(giveUpAt, std::chrono::steady_clock::now()),
                   std::chrono::nanoseconds(0), kLongestAlarm);
    kj::ForkedPromise<void> forked = calls_.wrap(kj::mv(answer)).fork();
    beginWaiting();
    forked.addBranch()
        .then([this] { endWaiting(); }, [this](kj::Exception&&) { endWaiting(); })
        .detach([](kj::Exception&&) {});  // the other branch has the error
    return forked.addBranch()
        .then([] { return true; })
        .exclusiveJoin(loop_.timer().afterDelay(toKj(left)).then([] { return false; }));
}

void DriverLink::notifyOfLoss(std::weak_ptr<burst::Controller> controller) {
    std::erase_if(controllers_, [](const auto& weak) { return weak.expired(); });
    controllers_.push_back(std::move(controller));
}

void DriverLink::notifyOfLoss(std::function<void()> lost) {
    if (session_.get() == nullptr) {
        lost();
    } else {
        lossCallbacks_.push_back(std::move(lost));
    }
}

void DriverLink::failOnLoss(UniqueFd fence, std::shared_ptr<const void> attachment) {
    if (fences_.size() >= dropFencesAt_) {
        dropSignalledFences();
        dropFencesAt_ = 2 * fences_.size() + 1;  // looks at about one for each that is added
    }
    fences_.push_back({.fd = std::move(fence), .attachment = std::move(attachment)});
}

/// Keeps a fence whose state cannot be read because no descriptor is free: it may be pending, and
/// has to fail if the link is lost.
void DriverLink::dropSignalledFences() {
    std::erase_if(fences_, [](const PendingFence& known) {
        const auto state = fenceState(known.fd.get());
        return state && *state != FenceState::PENDING;
    });
}

void DriverLink::beginWaiting() {
    if (waitingCalls_++ == 0) {
        lastSignOfLife_ = loop_.timer().now();
    }
    if (!isWatching_) {
        isWatching_ = true;
        watcher_ = watchDriver().eagerlyEvaluate(nullptr);
    }
}

void DriverLink::endWaiting() noexcept {
    --waitingCalls_;
    lastSignOfLife_ = loop_.timer().now();
}

bool DriverLink::isAwaitingDriver() {
    dropSignalledFences();
    return waitingCalls_ > 0 || pendingCallbacks_->load(std::memory_order_relaxed) > 0 ||
           !fences_.empty();
}

/// Ends by itself, at most kPingInterval after the driver owes nothing any more.
kj::Promise<void> DriverLink::watchDriver() {
    return loop_.timer()
        .atTime(lastSignOfLife_ + kPingInterval)
        .then([this]() -> kj::Promise<void> {
            if (!isAwaitingDriver()) {
                isWatching_ = false;
                return kj::READY_NOW;
            }
            if (loop_.timer().now() - lastSignOfLife_ < kPingInterval) {
                return watchDriver();
            }
            return pingDriver();
        });
}

kj::Promise<void> DriverLink::pingDriver() {
    const kj::TimePoint sentAt = loop_.timer().now();
    return ping()
        .then([](const Result<>&) { return true; },
              [](kj::Exception&&) { return true; })  // an answer, too
        .exclusiveJoin(countDown(kAnswerSteps).then([] { return false; }))
        .then([this, sentAt](bool isAlive) -> kj::Promise<void> {
            if (isAlive) {
                lastSignOfLife_ = loop_.timer().now();
            } else if (lastSignOfLife_ <= sentAt) {
                hanging_.fulfiller->fulfill();
                return kj::READY_NOW;
            }
            return watchDriver();
        });
}

/// Waits for `steps` steps of answerStep(), each from the end of the one before. While this process
/// is stopped (by a signal, a debugger, a frozen control group, a paused machine) at most one of
/// them passes. Unless that is the last one, an answer that has come meanwhile is still read.
kj::Promise<void> DriverLink::countDown(int steps) {
    return loop_.timer().afterDelay(answerStep()).then([this, steps]() -> kj::Promise<void> {
        return steps > 1 ? countDown(steps - 1) : kj::READY_NOW;
    });
}

}  // namespace nnburst::device
