// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sockets of a driver: the one that its clients come from, and those for metrics.

#include <kj/async.h>

#include <memory>
#include <optional>
#include <string>

#include "device/driver/metrics_server.h"
#include "device/rpc/unix_socket.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "options.h"

namespace nnburst {

/// Where clients come from. One member is set; `listener` only by openSocket().
struct ClientSource {
    std::unique_ptr<device::UnixListener> listener;  ///< of --socket
    std::optional<int> systemd;                      ///< a listening socket
    int fd = -1;                                     ///< one connected socket
    int worker = -1;                                 ///< the channel to a broker

    [[nodiscard]] int listeningSocket() const noexcept {
        return listener ? listener->fd() : systemd.value_or(-1);
    }
};

/// The listening socket as messages name it.
[[nodiscard]] std::string nameOf(const ClientSource& source, const driver::Options& options);

/// Refuses none and several sources. Does not open the socket of --socket.
[[nodiscard]] Result<ClientSource> chooseSource(const driver::Options& options);

/// Refuses options of sockets that do not fit the source.
[[nodiscard]] Result<> checkSocketOptions(const driver::Options& options);

/// Opens the socket of --socket, if there is one.
[[nodiscard]] Result<> openSocket(const driver::Options& options, ClientSource& source);

/// The listening sockets for metrics, if there are any.
struct MetricsSockets {
    std::unique_ptr<device::UnixListener> local;
    UniqueFd loopback;

    [[nodiscard]] static Result<MetricsSockets> open(const driver::Options& options);
    [[nodiscard]] kj::Promise<void> serve(device::MetricsServer& server) const;
};

}  // namespace nnburst
