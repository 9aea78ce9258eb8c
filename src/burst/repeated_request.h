// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The driver's memory of a burst's last request. Most clients send the same request again and
/// again, with other contents of the same memory: one that comes for the second time is kept
/// resolved, as reusable executions are, and is not decoded any more.

#include <span>
#include <vector>

#include "burst/bound_request.h"
#include "burst/frame.h"

namespace nnburst::burst {

/// Used by the thread that serves the burst.
class RepeatedRequest {
  public:
    /// Takes a request's frame, and returns whether it is the same as the one before except for
    /// serial and deadline. Always false for a request with a name, which the ReusableRegistry
    /// remembers.
    [[nodiscard]] bool isSameAgain(std::span<const FrameLine> frame);

    /// The last request, ready to be run again; null if it is not.
    [[nodiscard]] BoundRequest* bound() noexcept { return bound_.isBound ? &bound_ : nullptr; }

    /// Resolves `request`, which is the last one and which `session` has just run, unless that was
    /// tried before. `account` may be null.
    void bind(const DecodedRequest& request, const exec::ExecutionSession& session,
              const SharedAccount& account);

    /// The frame of its last result, if that was a success and was sent; else empty. As long as
    /// runs remember their plan, the next result differs in serial and timing.
    [[nodiscard]] std::span<FrameLine> sentResult() noexcept { return sentResult_; }
    void keepResult(std::span<const FrameLine> frame) {
        sentResult_.assign(frame.begin(), frame.end());
    }
    void dropResult() noexcept { sentResult_.clear(); }

    /// After slots were unmapped (BoundRequest::unbindUnmapped).
    void unbindUnmapped(const SlotMappings& slots) noexcept {
        bound_.unbindUnmapped(slots);
        isBindingTried_ = isBindingTried_ && bound_.isBound;
    }

  private:
    std::vector<FrameLine> last_;
    std::vector<FrameLine> sentResult_;
    BoundRequest bound_;
    bool isBindingTried_ = false;
};

}  // namespace nnburst::burst
