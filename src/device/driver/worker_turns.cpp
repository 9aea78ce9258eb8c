// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/worker_turns.h"

#include <utility>

#include "log/assert.h"

namespace nnburst::device {

kj::Promise<WorkerTurns::TurnPointer> WorkerTurns::take(uid_t user) {
    OfUser& turns = users_[user];
    if (turns.taken < kMaximumTurns) {
        ++turns.taken;
        return std::make_unique<Turn>(*this, user);
    }
    auto pair = kj::newPromiseAndFulfiller<void>();
    turns.waiting.push_back(kj::mv(pair.fulfiller));
    return pair.promise.then([this, user] { return std::make_unique<Turn>(*this, user); });
}

/// Passes the turn on to the one that has waited longest.
void WorkerTurns::end(uid_t user) {
    const auto found = users_.find(user);
    NNBURST_ASSERT(found != users_.end(), "user {} has no turn that could end", user);
    OfUser& turns = found->second;
    if (!turns.waiting.empty()) {
        turns.waiting.front()->fulfill();
        turns.waiting.pop_front();
    } else if (--turns.taken == 0) {
        users_.erase(found);
    }
}

}  // namespace nnburst::device
