// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/segment.h"

#include <algorithm>
#include <array>

#include "nnburst/burst.h"
#include "nnburst/session.h"

namespace nnburst::stream {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::uint64_t kMaximumRounds = 20;
constexpr std::uint64_t kMinimumFrames = 25;
constexpr std::chrono::nanoseconds kShortestTime = 250ms;
constexpr std::uint64_t kMinimumPeriods = 10;

/// Limits of short segments: frames at their beginning that are not measured, measured frames,
/// time, and the period, so that a slow stream does not wait for minutes.
constexpr std::uint64_t kShortWarmUp = 3;
constexpr std::uint64_t kMinimumFramesOfShort = 5;
constexpr std::chrono::nanoseconds kTimeOfShort = 500ms;
constexpr std::chrono::nanoseconds kLongestPeriodOfShort = 100ms;

/// An estimate shrinks by this fraction each time it is relied on, until a wrong one is noticed.
constexpr std::int64_t kCaution = 16;

/// Rounds into which `whole` can be divided so that none is shorter than `least`.
template <class Amount>
std::uint64_t roundsOf(Amount whole, Amount least) {
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(whole / least), 1, kMaximumRounds);
}

/// The frames of a segment that are in flight, in the order in which they were sent.
class Pipeline {
  public:
    Pipeline(Target& target, const Segment& segment, Recorder& recorder,
             const std::atomic<bool>& stop) noexcept
        : target_(target), segment_(segment), recorder_(recorder), stop_(stop) {}

    /// Collects outputs until there is a free buffer for the next frame, and then while outputs may
    /// come before that frame is due.
    Result<> makeRoom(const OptionalTimePoint& due) {
        while (sent_ - collected_ == target_.bufferCount() ||
               (sent_ != collected_ && due && canComeBefore(*due))) {
            NNBURST_TRY(collect());
        }
        return {};
    }

    /// Sends the next frame, for which there must be a free buffer. Without `due` it is due now.
    /// Returns false, and sends nothing, if it is stopped before the frame is due.
    Result<bool> send(const OptionalTimePoint& due, bool isMeasured) {
        const std::size_t buffer = sent_ % target_.bufferCount();
        target_.write(buffer, segment_.firstFrame + sent_);
        Frame& frame = frames_[buffer];
        frame.isMeasured = isMeasured;
        frame.sent = due ? waitUntil(*due, stop_, segment_.spin) : TimePoint(steady_clock::now());
        frame.due = due.value_or(frame.sent);
        if (frame.sent < frame.due) {
            return false;
        }
        OptionalTimePoint deadline;
        if (segment_.deadline) {
            deadline = frame.due + *segment_.deadline;
        }
        NNBURST_TRY(target_.send(buffer, deadline));
        ++sent_;
        recorder_.noteInFlight(sent_ - collected_);
        return true;
    }

    Result<> collectAll() {
        while (sent_ != collected_) {
            NNBURST_TRY(collect());
        }
        return {};
    }

  private:
    struct Frame {
        TimePoint due;
        TimePoint sent;
        bool isMeasured = false;
    };

    [[nodiscard]] const Frame& oldest() const noexcept {
        return frames_[collected_ % target_.bufferCount()];
    }
    /// The time at which the driver could begin with the oldest frame.
    [[nodiscard]] TimePoint beginOfOldest() const noexcept {
        return std::max(oldest().sent, lastCompleted_);
    }

    bool canComeBefore(TimePoint due) noexcept {
        if (TimePoint(steady_clock::now()) >= due) {
            return false;
        }
        if (beginOfOldest() + quickest_.value_or(0ns) < due) {
            return true;
        }
        *quickest_ -= *quickest_ / kCaution;
        return false;
    }

    Result<> collect() {
        const Frame frame = oldest();
        const Result<> result = target_.collect(collected_ % target_.bufferCount());
        FrameRecord record{.due = frame.due, .completed = steady_clock::now()};
        if (result) {
            target_.finish();
            record.timing = target_.timing();
            const std::chrono::nanoseconds took = record.completed - beginOfOldest();
            quickest_ = std::min(took, quickest_.value_or(took));
        } else if (isMissedDeadline(result.error().status)) {
            record.isRefused = true;
        } else {
            return tl::unexpected<Error>(result.error());
        }
        lastCompleted_ = record.completed;
        ++collected_;
        if (frame.isMeasured) {
            recorder_.add(record);
        } else {
            recorder_.addWarmUp(record);
        }
        return {};
    }

    Target& target_;
    const Segment& segment_;
    Recorder& recorder_;
    const std::atomic<bool>& stop_;
    std::array<Frame, kMaximumInFlight> frames_{};  // by buffer
    std::uint64_t sent_ = 0;
    std::uint64_t collected_ = 0;
    TimePoint lastCompleted_;
    std::optional<std::chrono::nanoseconds> quickest_;  // shrinks when it is relied on (kCaution)
};

}  // namespace

std::vector<SegmentLength> divideIntoSegments(const Options& options) {
    const std::uint64_t frames = options.frames.value_or(0);
    const std::chrono::nanoseconds time = options.duration().value_or(0ns);
    std::uint64_t rounds = 1;
    if (!options.baselines.empty()) {
        const auto periods =
            options.period().value_or(0ns) * static_cast<std::int64_t>(kMinimumPeriods);
        rounds = std::max(roundsOf(frames, kMinimumFrames),
                          roundsOf(time, std::max(kShortestTime, periods)));
    }
    std::vector<SegmentLength> segments;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const auto divisor = static_cast<std::int64_t>(rounds);
        segments.push_back(
            {.frames = frames * (i + 1) / rounds - frames * i / rounds, .time = time / divisor});
    }
    return segments;
}

Segment shortSegment(const Options& options, std::uint64_t most,
                     std::chrono::nanoseconds perFrame) {
    std::optional<std::chrono::nanoseconds> period = options.period();
    if (period) {
        period = std::min(*period, kLongestPeriodOfShort);
    }
    const std::chrono::nanoseconds each = std::max({period.value_or(0ns), perFrame, 1ns});
    const auto inTime = static_cast<std::uint64_t>(kTimeOfShort / each);
    const std::uint64_t frames =
        std::min({most, options.frames.value_or(most), std::max(inTime, kMinimumFramesOfShort)});
    return {.start = steady_clock::now(),
            .warmUp = std::min(options.warmUp, kShortWarmUp),
            .length = {.frames = frames, .time = 0ns},
            .period = period,
            .deadline = options.deadline()};
}

Result<std::uint64_t> sendSegment(Target& target, const Segment& segment, Recorder& recorder,
                                  const std::atomic<bool>& stop) {
    NNBURST_TRY(target.setMeasure(segment.measure));
    recorder.beginSegment();
    Pipeline pipeline(target, segment, recorder, stop);
    std::optional<TimePoint> end;         // set at the first measured frame
    std::optional<BurstWaitStats> waits;  // before the first measured frame
    for (std::uint64_t i = 0;;) {
        OptionalTimePoint due;
        if (segment.period) {
            due = segment.start + *segment.period * static_cast<std::int64_t>(i);
        }
        NNBURST_TRY(pipeline.makeRoom(due));
        const TimePoint now = steady_clock::now();
        const bool isMeasured = i >= segment.warmUp;
        if (isMeasured && !end) {
            end = due.value_or(now) + segment.length.time;
            waits = target.waitStats();
        }
        const bool isLongEnough = isMeasured && i - segment.warmUp >= segment.length.frames &&
                                  std::max(now, due.value_or(now)) >= *end;
        if (isLongEnough || stop.load(std::memory_order_relaxed)) {
            NNBURST_TRY(pipeline.collectAll());
            if (isLongEnough && due && *due < *end) {
                const auto waiting = (*end - *due + *segment.period - 1ns) / *segment.period;
                recorder.addUnsent(static_cast<std::uint64_t>(waiting));
            }
            if (waits) {
                recorder.addWaits(*waits, *target.waitStats());
            }
            return i;
        }
        NNBURST_TRY_ASSIGN(const bool isSent, pipeline.send(due, isMeasured));
        i += isSent ? 1 : 0;
    }
}

}  // namespace nnburst::stream
