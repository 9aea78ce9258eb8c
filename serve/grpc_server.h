// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The connections of gRPC.

#include <grpcpp/server.h>

#include <chrono>
#include <memory>

#include "failure.h"
#include "grpc_service.h"
#include "options.h"

namespace nnburst::serve {

class GrpcServer {
  public:
    /// Listens on `address`, for this service and for gRPC's service of health checks. UNAVAILABLE
    /// if it cannot listen there, or a file of TLS cannot be read.
    [[nodiscard]] static Outcome<std::unique_ptr<GrpcServer>> start(ServerState& state,
                                                                    const Address& address,
                                                                    const Options& options);

    /// Where it listens.
    [[nodiscard]] const Address& address() const noexcept { return address_; }

    /// Sets the answer of health checks from now on.
    void setHealth(bool isHealthy);
    /// Refuses new requests and waits for those that run, for at most `time`; then they are
    /// cancelled.
    void shutDown(std::chrono::milliseconds time);

  private:
    GrpcServer(ServerState& state, Address address)
        : service_(state), address_(std::move(address)) {}

    GrpcService service_;
    Address address_;
    std::unique_ptr<grpc::Server> server_;
};

}  // namespace nnburst::serve
