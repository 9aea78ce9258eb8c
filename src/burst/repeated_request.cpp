// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/repeated_request.h"

#include <algorithm>

#include "burst/request_frame.h"

namespace nnburst::burst {

namespace {

bool areSame(std::span<const FrameLine> a, std::span<const FrameLine> b) noexcept {
    return a.size() == b.size() && asksForTheSame(a[0], b[0]) &&
           std::equal(a.begin() + 1, a.end(), b.begin() + 1,
                      [](const auto& one, const auto& other) { return one.words == other.words; });
}

}  // namespace

bool RepeatedRequest::isSameAgain(std::span<const FrameLine> frame) {
    if (areSame(frame, last_)) {
        return !hasName(frame[0]);
    }
    last_.assign(frame.begin(), frame.end());
    bound_.isBound = false;
    isBindingTried_ = false;
    dropResult();
    return false;
}

void RepeatedRequest::bind(const DecodedRequest& request, const exec::ExecutionSession& session,
                           const SharedAccount& account) {
    if (!isBindingTried_) {
        bound_.bind(request, session, account);
        isBindingTried_ = true;
    }
}

}  // namespace nnburst::burst
