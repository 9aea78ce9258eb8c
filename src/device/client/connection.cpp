// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/connection.h"

#include <kj/common.h>

#include <future>

#include "burst/give_up_time.h"
#include "nnburst/burst.h"
#include "nnburst/hal_version.h"
#include "system/thread.h"

namespace nnburst::device {

namespace {

/// What the event loop's thread shows to the others.
struct LoopAndLink {
    EventLoop* loop = nullptr;
    DriverLink* link = nullptr;
};

}  // namespace

Connection::Connection(std::unique_ptr<DriverProcess> child,
                       std::shared_ptr<Scheduler::Client> callbacks,
                       std::shared_ptr<std::atomic<bool>> isLost) noexcept
    : child_(std::move(child)), callbacks_(std::move(callbacks)), isLost_(std::move(isLost)) {}

Result<std::shared_ptr<Connection>> Connection::open(UniqueFd socket, const std::string& driverName,
                                                     std::unique_ptr<DriverProcess> child,
                                                     const ProtocolVersions& versions) {
    NNBURST_TRY_ASSIGN(std::shared_ptr<Scheduler> scheduler,
                       Scheduler::create("nnburst-call", {.threads = 1, .threadsPerClient = 1}));
    auto callbacks = std::make_shared<Scheduler::Client>(std::move(scheduler));
    const auto isLost = std::make_shared<std::atomic<bool>>(false);
    const std::shared_ptr<Connection> connection(
        new Connection(std::move(child), std::move(callbacks), isLost));

    const auto started = std::make_shared<std::promise<Result<LoopAndLink>>>();
    const auto sharedSocket = std::make_shared<UniqueFd>(std::move(socket));
    NNBURST_TRY_ASSIGN(
        connection->thread_,
        system::startThread("nnburst-rpc", [started, sharedSocket, driverName, isLost,
                                            callbacks = connection->pendingCallbacks_] {
            bool isStarted = false;
            KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&] {
                             EventLoop loop;
                             DriverLink link(loop, std::move(*sharedSocket), driverName, isLost,
                                             callbacks);
                             isStarted = true;
                             started->set_value(LoopAndLink{&loop, &link});
                             link.run();
                         })) {
                if (!isStarted) {
                    started->set_value(tl::unexpected<Error>(toError(*exception)));
                }
            }
        }));
    NNBURST_TRY_ASSIGN(const LoopAndLink running, started->get_future().get());
    connection->loop_ = running.loop;
    connection->link_ = running.link;
    NNBURST_TRY_ASSIGN(connection->halVersion_,
                       connection->call<HalVersion>(
                           [link = running.link, versions] { return link->open(versions); }));
    return connection;
}

Connection::~Connection() {
    if (link_ != nullptr) {
        post([link = link_] { link->stop(); });
    }
    system::joinOrOrphan(thread_);
}

Result<> Connection::ping() {
    return call<void>([this] { return link_->ping(); });
}

OptionalTimePoint Connection::giveUpAt(const OptionalTimePoint& deadline) const {
    return supportsDeadlines(halVersion_) ? burst::giveUpAt(deadline, kDeadlineGrace)
                                          : std::nullopt;
}

void Connection::notifyOfLoss(std::function<void()> lost) {
    post([link = link_, lost = std::move(lost)]() mutable { link->notifyOfLoss(std::move(lost)); });
}

void Connection::endDriver() {
    if (child_) {
        child_->end();
    }
}

Result<> Connection::reserveCallback() {
    if (pendingCallbacks_->fetch_add(1, std::memory_order_relaxed) >= kMaximumPendingCallbacks) {
        pendingCallbacks_->fetch_sub(1, std::memory_order_relaxed);  // only a count
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       "cannot launch: " + std::to_string(kMaximumPendingCallbacks) +
                           " callbacks are outstanding already");
    }
    return {};
}

void Connection::deliver(std::shared_ptr<Connection> self, std::function<void()> callback) {
    const std::shared_ptr<Scheduler::Client> callbacks = self->callbacks_;
    const std::shared_ptr<std::atomic<std::size_t>> pending = self->pendingCallbacks_;
    // Once the callback has run the application may drop everything, and its thread is the one that
    // is to close the connection, not one of the connection's own.
    self = nullptr;
    callbacks->submit([pending, callback = std::move(callback)]() mutable {
        KJ_DEFER(pending->fetch_sub(1, std::memory_order_relaxed));  // also if the callback throws
        callback();
        callback = nullptr;
    });
}

}  // namespace nnburst::device
