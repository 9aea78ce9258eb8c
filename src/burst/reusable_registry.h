// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The reusable executions that a driver remembers for one burst: requests that the client has
/// named, to have them computed again without sending them again.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "account/account.h"
#include "burst/request_frame.h"
#include "exec/run/execution_session.h"
#include "nnburst/device.h"

namespace nnburst::burst {

class SlotMappings;

/// Used by the thread that serves the burst.
class ReusableRegistry {
  public:
    struct Execution {
        /// Resolves `given`, which `session` has just run, so that it can be run again as it is.
        /// Not bound afterwards if that cannot be (ExecutionSession::bind), or if `account`, which
        /// may be null, may not be charged for it: then it keeps no memory. Drops the request that
        /// was bound before.
        void bind(const DecodedRequest& given, const exec::ExecutionSession& session,
                  const SharedAccount& account);

        /// Not bound afterwards; frees the memory and gives its charge back. Costs next to nothing
        /// if there is none.
        void clear() noexcept;

        /// Whether the last result that was sent had `shapes`, those of the run that has just
        /// succeeded. A run that used its memo has the shapes of the run before, so these are not
        /// compared.
        [[nodiscard]] bool hasSent(const std::vector<OutputShape>& shapes) const noexcept {
            return bindings.memo.wasHit ? !sentShapes.empty() : shapes == sentShapes;
        }

        /// Not bound afterwards if the memory of one of its pools is no longer in `slots`.
        void unbindUnmapped(const SlotMappings& slots) noexcept;

        /// True from the first `remember` on; false again if the request cannot be bound.
        bool isKnown = false;
        /// Whether `bindings` can be used. False once the client has freed a slot of the request:
        /// computes that are still in the queue then resolve the whole request again.
        bool isBound = false;
        std::uint32_t generation = 0;
        DecodedRequest request;
        exec::RequestBindings bindings;  ///< into `request` and the mapped slots
        /// The output shapes of the last result that was sent; empty if there is none.
        std::vector<OutputShape> sentShapes;
        Charge charge;  ///< for all of this
    };

    /// Remembers `request`, which `session` has just run, under its name, in place of what had the
    /// number before. Null if the request has no name or cannot be bound (ExecutionSession::bind),
    /// or if `account`, which may be null, may not be charged for it.
    Execution* remember(const DecodedRequest& request, const exec::ExecutionSession& session,
                        const SharedAccount& account = nullptr);

    /// Null if the name, which the client sent, is not or no longer known.
    [[nodiscard]] Execution* find(const ExecutionName& name) noexcept {
        const std::size_t index = std::size_t{name.number} - 1;  // no execution has number 0
        if (index >= executions_.size()) {
            return nullptr;
        }
        Execution& execution = executions_[index];
        return execution.isKnown && execution.generation == name.generation ? &execution : nullptr;
    }

    /// After slots were unmapped: executions that use them are run as a whole the next time.
    void unbindUnmapped(const SlotMappings& slots) noexcept;

  private:
    std::vector<Execution> executions_;  // by number less 1
};

}  // namespace nnburst::burst
