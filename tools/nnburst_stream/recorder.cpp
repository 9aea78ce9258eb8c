// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/recorder.h"

#include <algorithm>

namespace nnburst::stream {

namespace {

void add(WaitStats& sum, const WaitStats& begin, const WaitStats& end) noexcept {
    for (const WaitStat& stat : kWaitStats) {
        // The driver may write anything into its side. A count that has decreased counts as
        // unchanged.
        stat.set(sum, stat.of(sum) + std::max(stat.of(end), stat.of(begin)) - stat.of(begin));
    }
}

}  // namespace

void Recorder::beginSegment() noexcept {
    series_.beginSegment();
    lastOutput_.reset();
    measuredUntil_.reset();
}

void Recorder::addWarmUp(const FrameRecord& frame) noexcept {
    warmUp_.add(frame.isRefused ? kEndless : frame.completed - frame.due);
    addInterval(frame, false);
}

void Recorder::add(const FrameRecord& frame) noexcept {
    const nanoseconds latency = frame.isRefused ? kEndless : frame.completed - frame.due;
    latency_.add(latency);
    addInterval(frame, true);
    if (frame.isRefused) {
        ++misses_.refused;
    } else {
        series_.add(frame.due - begin_, latency);
        misses_.late += deadline_ && latency > *deadline_ ? 1 : 0;
    }
    if (frame.timing.timeInDriver != kTimeNotAvailable) {
        timeInDriver_.add(std::chrono::microseconds(frame.timing.timeInDriver));
    }
    if (frame.timing.timeOnDevice != kTimeNotAvailable) {
        timeOnDevice_.add(std::chrono::microseconds(frame.timing.timeOnDevice));
    }
    const TimePoint until = std::max(frame.completed, frame.due + period_.value_or(nanoseconds(0)));
    measuredTime_ += until - measuredUntil_.value_or(frame.due);
    measuredUntil_ = until;
}

void Recorder::addUnsent(std::uint64_t frames) noexcept {
    misses_.unsent += frames;
    for (std::uint64_t i = 0; i < frames; ++i) {
        latency_.add(kEndless);
    }
}

void Recorder::addWaits(const BurstWaitStats& begin, const BurstWaitStats& end) noexcept {
    if (!waits_) {
        waits_.emplace();
    }
    stream::add(waits_->client, begin.client, end.client);
    stream::add(waits_->driver, begin.driver, end.driver);
}

void Recorder::addInterval(const FrameRecord& frame, bool isMeasured) noexcept {
    if (frame.isRefused) {
        return;
    }
    if (period_ && lastOutput_ && isMeasured) {
        jitter_.add(std::chrono::abs(frame.completed - *lastOutput_ - *period_));
    }
    lastOutput_ = frame.completed;
}

}  // namespace nnburst::stream
