// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The capabilities of prepared models in the driver.

#include <capnp/capability.h>

#include <memory>
#include <utility>
#include <vector>

#include "device/driver/client_context.h"
#include "device/local/local_prepared_model.h"
#include "device/rpc/nnburst.capnp.h"
#include "nnburst/result.h"

namespace nnburst::device {

using PreparedModels = std::vector<std::shared_ptr<LocalPreparedModel>>;

/// The prepared models of one client and their capabilities. Used on the event loop's thread only.
class PreparedModelServices {
  public:
    explicit PreparedModelServices(SharedClientContext client) noexcept
        : client_(std::move(client)) {}
    KJ_DISALLOW_COPY(PreparedModelServices);

    /// The capability of `model`, for which `charge` was made.
    [[nodiscard]] rpc::PreparedModel::Client serve(std::shared_ptr<LocalPreparedModel> model,
                                                   Charge charge);

    /// The models behind the capabilities of a list of a message, which must live until the promise
    /// resolves; null for one that this object does not serve. Errors of chargeForListed. Fails if
    /// the client has promised one of them and does not keep the promise in kResolutionTimeout.
    [[nodiscard]] kj::Promise<Result<PreparedModels>> find(
        capnp::List<rpc::PreparedModel>::Reader list);

  private:
    using Found = std::shared_ptr<LocalPreparedModel>;
    [[nodiscard]] kj::Promise<Found> find(rpc::PreparedModel::Client client);

    const SharedClientContext client_;
    capnp::CapabilityServerSet<rpc::PreparedModel> served_;
};

}  // namespace nnburst::device
