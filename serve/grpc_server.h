// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The connections of gRPC.

#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

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
    GrpcServer(const GrpcServer&) = delete;
    GrpcServer& operator=(const GrpcServer&) = delete;
    /// Cancels the requests that run and waits for them.
    ~GrpcServer();

    /// Where it listens.
    [[nodiscard]] const Address& address() const noexcept { return address_; }

    /// Refuses new requests and waits for those that run, for at most `time`; then they are
    /// cancelled. Streams end after the request that runs, or at once.
    void shutDown(std::chrono::milliseconds time);

  private:
    GrpcServer(ServerState& state, Address address, const Options& options)
        : state_(state),
          service_(state),
          address_(std::move(address)),
          requestsOfVersion_(options.maximumWaiting + options.instances) {}

    /// Follows a change of the state: sets the answer of health checks and raises the limit on
    /// threads. One call at a time.
    void update();

    ServerState& state_;
    GrpcService service_;
    Address address_;
    const std::size_t requestsOfVersion_;  ///< of a model that may wait and run at a time
    std::size_t threads_ = 0;              ///< limit on threads, never lowered; for `update`
    grpc::ResourceQuota quota_;
    std::unique_ptr<grpc::Server> server_;
};

}  // namespace nnburst::serve
