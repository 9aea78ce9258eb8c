// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/worker_orders.h"

#include <utility>

#include "log/logger.h"

namespace nnburst::device {

namespace {

constexpr kj::Duration kReportAgainAfter = 10 * kj::MILLISECONDS;

}  // namespace

WorkerOrders::WorkerOrders(EventLoop& loop, Service& service, UniqueFd channel,
                           std::function<void()> stop)
    : loop_(loop),
      service_(service),
      channel_(std::move(channel)),
      stop_(std::move(stop)),
      orders_(loop.io().unixEventPort, channel_.get(), kj::UnixEventPort::FdObserver::OBSERVE_READ),
      tasks_(*this) {
    // An error shows when the orders are read.
    (void)sendWorkerMessage(channel_.get(), {.kind = WorkerMessage::Kind::READY});
}

void WorkerOrders::taskFailed(kj::Exception&& exception) {
    logger().debug("client: {}", exception.getDescription().cStr());
}

kj::Promise<void> WorkerOrders::follow() {
    if (!followAvailable()) {
        return kj::READY_NOW;
    }
    return orders_.whenBecomesReadable().then([this] { return follow(); });
}

/// False if no more orders will come.
bool WorkerOrders::followAvailable() {
    while (true) {
        auto received = receiveWorkerMessage(channel_.get());
        if (!received) {
            return false;
        }
        if (!*received) {
            return true;
        }
        switch ((*received)->message.kind) {
            case WorkerMessage::Kind::SERVE:
                serve((*received)->message.client, std::move((*received)->socket));
                break;
            case WorkerMessage::Kind::DRAIN:
                stop_();
                break;
            case WorkerMessage::Kind::PING:
                tasks_.add(report({.kind = WorkerMessage::Kind::ALIVE}));
                break;
            case WorkerMessage::Kind::GONE:
            case WorkerMessage::Kind::READY:
            case WorkerMessage::Kind::ALIVE:
                break;
        }
    }
}

void WorkerOrders::serve(std::uint64_t number, UniqueFd socket) {
    tasks_.add(kj::evalNow([&] {
                   auto stream = loop_.io().lowLevelProvider->wrapUnixSocketFd(
                       kj::AutoCloseFd(socket.release()));
                   return service_.serve(kj::mv(stream), number);
               }).catch_([this](kj::Exception&& exception) {
                     taskFailed(kj::mv(exception));
                 }).then([this, number] {
        return report({.kind = WorkerMessage::Kind::GONE, .client = number});
    }));
}

/// The channel has no room for the message while the broker has not read those before it.
kj::Promise<void> WorkerOrders::report(const WorkerMessage& message) {
    const Result<> sent = sendWorkerMessage(channel_.get(), message);
    if (sent || sent.error().status != ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT) {
        return kj::READY_NOW;
    }
    return loop_.timer().afterDelay(kReportAgainAfter).then([this, message] {
        return report(message);
    });
}

}  // namespace nnburst::device
