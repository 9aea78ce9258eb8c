// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// REST over connections: cpp-httplib reads requests and writes answers, on connections
/// (rest_connection.h) and threads (rest_threads.h) of this server.

#include <chrono>
#include <memory>
#include <string>

#include "failure.h"
#include "options.h"
#include "rest_service.h"

namespace nnburst::serve {

class RestServer {
  public:
    /// Listens on `address` and answers by `service`, which outlives the server. UNAVAILABLE if it
    /// cannot listen there, RESOURCE_EXHAUSTED if the system has too few threads.
    [[nodiscard]] static Outcome<std::unique_ptr<RestServer>> start(const RestService& service,
                                                                    const Address& address,
                                                                    const Options& options);
    RestServer(const RestServer&) = delete;
    RestServer& operator=(const RestServer&) = delete;
    /// Aborts the connections.
    ~RestServer();

    /// Accepts no more connections, and ends each one after its request, at the latest at
    /// `deadline`.
    void shutDown(std::chrono::steady_clock::time_point deadline);

    /// Where it listens.
    [[nodiscard]] const Address& address() const noexcept;

  private:
    class Impl;
    explicit RestServer(std::unique_ptr<Impl> impl) noexcept;

    std::unique_ptr<Impl> impl_;
};

}  // namespace nnburst::serve
