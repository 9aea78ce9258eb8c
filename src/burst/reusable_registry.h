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
#include "burst/bound_request.h"
#include "burst/request_frame.h"
#include "exec/run/execution_session.h"

namespace nnburst::burst {

class SlotMappings;

/// Used by the thread that serves the burst.
class ReusableRegistry {
  public:
    /// Remembers `request`, which `session` has just run, under its name, in place of what had the
    /// number before. Null if the request has no name or cannot be bound (ExecutionSession::bind),
    /// or if `account`, which may be null, may not be charged for it.
    BoundRequest* remember(const DecodedRequest& request, const exec::ExecutionSession& session,
                           const SharedAccount& account = nullptr);

    /// Null if the name, which the client sent, is not or no longer known.
    [[nodiscard]] BoundRequest* find(const ExecutionName& name) noexcept {
        const std::size_t index = std::size_t{name.number} - 1;  // no execution has number 0
        if (index >= entries_.size()) {
            return nullptr;
        }
        Entry& entry = entries_[index];
        return entry.isKnown && entry.generation == name.generation ? &entry.request : nullptr;
    }

    /// After slots were unmapped: executions that use them are run as a whole the next time.
    void unbindUnmapped(const SlotMappings& slots) noexcept;

  private:
    struct Entry {
        BoundRequest request;
        bool isKnown = false;  ///< from `remember` on, unless the request could not be bound
        std::uint32_t generation = 0;
    };
    std::vector<Entry> entries_;  // by number less 1
};

}  // namespace nnburst::burst
