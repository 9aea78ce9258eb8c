// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/worker_orders.h"

#include <utility>

#include "log/logger.h"

namespace nnburst::device {

WorkerOrders::WorkerOrders(EventLoop& loop, Service& service, UniqueFd channel,
                           std::function<void()> stop)
    : loop_(loop),
      service_(service),
      channel_(std::move(channel)),
      stop_(std::move(stop)),
      orders_(loop.io().unixEventPort, channel_.get(), kj::UnixEventPort::FdObserver::OBSERVE_READ),
      clients_(*this) {}

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
            case WorkerMessage::Kind::GONE:
                break;
        }
    }
}

void WorkerOrders::serve(std::uint64_t number, UniqueFd socket) {
    auto gone = kj::defer([this, number] {
        // Without room the broker learns of it when the worker ends.
        (void)sendWorkerMessage(channel_.get(),
                                {.kind = WorkerMessage::Kind::GONE, .client = number});
    });
    clients_.add(kj::evalNow([&] {
                     auto stream = loop_.io().lowLevelProvider->wrapUnixSocketFd(
                         kj::AutoCloseFd(socket.release()));
                     return service_.serve(kj::mv(stream), number);
                 }).attach(kj::mv(gone)));
}

}  // namespace nnburst::device
