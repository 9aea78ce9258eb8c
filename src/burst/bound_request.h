// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A request that the driver has decoded and resolved to addresses, so that it can be run again
/// without its frame: for reusable executions (reusable_registry.h), and for a plain request that
/// repeats (repeated_request.h).

#include <vector>

#include "account/account.h"
#include "burst/request_frame.h"
#include "exec/run/execution_session.h"
#include "nnburst/types.h"

namespace nnburst::burst {

class SlotMappings;

/// Used by the thread that serves the burst.
struct BoundRequest {
    /// Resolves `given`, which `session` has just run, so that it can be run again as it is. Not
    /// bound afterwards if that cannot be (ExecutionSession::bind), or if `account`, which may be
    /// null, may not be charged for it: then it keeps no memory. Drops the request that was bound
    /// before.
    void bind(const DecodedRequest& given, const exec::ExecutionSession& session,
              const SharedAccount& account);

    /// Not bound afterwards; frees the memory and gives its charge back. Costs next to nothing if
    /// there is none.
    void clear() noexcept;

    /// Whether the last result that was sent had `shapes`, those of the run that has just
    /// succeeded. A run that used its memo has the shapes of the run before, so these are not
    /// compared.
    [[nodiscard]] bool hasSent(const std::vector<OutputShape>& shapes) const noexcept {
        return bindings.memo.wasHit ? !sentShapes.empty() : shapes == sentShapes;
    }

    /// Not bound afterwards if the memory of one of its pools is no longer in `slots`.
    void unbindUnmapped(const SlotMappings& slots) noexcept;

    /// Whether `bindings` can be used. False once the client has freed a slot of the request:
    /// computes that are still in the queue then resolve the whole request again.
    bool isBound = false;
    DecodedRequest request;
    exec::RequestBindings bindings;  ///< into `request` and the mapped slots
    /// The output shapes of the last result that was sent; empty if there is none.
    std::vector<OutputShape> sentShapes;
    Charge charge;  ///< for all of this
};

}  // namespace nnburst::burst
