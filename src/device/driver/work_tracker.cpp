// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/work_tracker.h"

#include <utility>

namespace nnburst::device {

WorkTracker::Stoppable::Stoppable(std::shared_ptr<WorkTracker> tracker,
                                  std::function<void(Token)> stop)
    : tracker_(std::move(tracker)) {
    tracker_->stoppables_.emplace(this, std::move(stop));
}

WorkTracker::Stoppable::~Stoppable() {
    tracker_->stoppables_.erase(this);
}

void WorkTracker::add(const std::shared_ptr<FencedEnd>& execution) {
    if (fenced_.size() == fenced_.capacity()) {  // so that each costs a constant time on average
        std::erase_if(fenced_, [](const auto& known) { return known.expired(); });
        fenced_.reserve(2 * fenced_.size() + 1);
    }
    fenced_.push_back(execution);
}

Result<> WorkTracker::check() const {
    if (isRefusing_) {
        return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                       "the driver is stopping and accepts nothing more");
    }
    return {};
}

void WorkTracker::refuseMore() {
    isRefusing_ = true;
    for (const auto& [stoppable, stop] : std::exchange(stoppables_, {})) {
        stop(token_);
    }
}

bool WorkTracker::isIdle() {
    std::erase_if(fenced_, [](const auto& known) {
        const auto execution = known.lock();
        return !execution || execution->isGiven();
    });
    return fenced_.empty() && token_.use_count() == 1;
}

}  // namespace nnburst::device
