// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Answers each HTTP request on a listening socket with the metrics of a driver. To make their text
/// takes milliseconds of the event loop if the driver has many clients and bursts, so each text
/// answers all requests of a second.

#include <kj/async-io.h>
#include <kj/async.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "device/rpc/event_loop.h"
#include "nnburst/memory.h"

namespace nnburst::device {

/// A listening socket for metrics at a port of 127.0.0.1. GENERAL_FAILURE if it is in use.
[[nodiscard]] Result<UniqueFd> listenOnLoopback(std::uint16_t port);

/// Used on the event loop's thread only.
class MetricsServer : private kj::TaskSet::ErrorHandler {
  public:
    /// Limit on connections at a time. One more closes the oldest: so a client that sends its
    /// request at once is answered, however many others send nothing.
    static constexpr std::size_t kMaximumRequests = 8;
    /// How old the figures of an answer may be.
    static constexpr std::chrono::seconds kKeptFor{1};

    /// `text` gives the figures in the text format of Prometheus.
    MetricsServer(EventLoop& loop, std::function<std::string()> text) noexcept
        : loop_(loop), text_(std::move(text)) {}
    KJ_DISALLOW_COPY(MetricsServer);

    /// Answers requests that come to the listening socket, which is borrowed. Never resolves.
    [[nodiscard]] kj::Promise<void> listen(int socket);

  private:
    void taskFailed(kj::Exception&& /*exception*/) override {}  // the client is gone
    kj::Promise<void> acceptNext(kj::ConnectionReceiver& receiver);
    kj::Promise<void> answer(kj::Own<kj::AsyncIoStream> stream);
    [[nodiscard]] std::shared_ptr<const std::string> response();

    EventLoop& loop_;
    const std::function<std::string()> text_;
    std::shared_ptr<const std::string> response_;  // the last one; null before the first request
    std::chrono::steady_clock::time_point responseMade_;
    /// What ends a connection, by its number.
    std::map<std::uint64_t, kj::Own<kj::PromiseFulfiller<void>>> ends_;
    std::uint64_t lastNumber_ = 0;
    kj::TaskSet connections_{*this};  // last: they use all above
};

}  // namespace nnburst::device
