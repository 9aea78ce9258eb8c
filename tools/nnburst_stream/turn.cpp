// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_stream/turn.h"

#include <algorithm>

namespace nnburst::stream {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::uint64_t kMostRounds = 20;
constexpr std::uint64_t kFewestFrames = 25;
constexpr std::chrono::nanoseconds kShortestTime = 250ms;
constexpr std::uint64_t kFewestPeriods = 10;

/// Of short turns: frames at their beginning that are not measured, the fewest that are, and for
/// how long.
constexpr std::uint64_t kShortWarmUp = 3;
constexpr std::uint64_t kFewestOfShort = 5;
constexpr std::chrono::nanoseconds kTimeOfShort = 500ms;

bool isMissedDeadline(const Error& error) {
    return error.status == ErrorStatus::MISSED_DEADLINE_TRANSIENT ||
           error.status == ErrorStatus::MISSED_DEADLINE_PERSISTENT;
}

/// Rounds into which `whole` can be divided so that none is shorter than `least`.
template <class Amount>
std::uint64_t roundsOf(Amount whole, Amount least) {
    return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(whole / least), 1, kMostRounds);
}

}  // namespace

std::vector<TurnLength> divideIntoTurns(const Options& options) {
    const std::uint64_t frames = options.frames.value_or(0);
    const std::chrono::nanoseconds time = options.duration().value_or(0ns);
    std::uint64_t rounds = 1;
    if (!options.baselines.empty()) {
        const auto periods =
            options.period().value_or(0ns) * static_cast<std::int64_t>(kFewestPeriods);
        rounds = std::max(roundsOf(frames, kFewestFrames),
                          roundsOf(time, std::max(kShortestTime, periods)));
    }
    std::vector<TurnLength> turns;
    for (std::uint64_t i = 0; i < rounds; ++i) {
        const auto divisor = static_cast<std::int64_t>(rounds);
        turns.push_back(
            {.frames = frames * (i + 1) / rounds - frames * i / rounds, .time = time / divisor});
    }
    return turns;
}

Turn shortTurn(const Options& options, std::uint64_t most, std::chrono::nanoseconds perFrame) {
    const std::chrono::nanoseconds each = std::max({options.period().value_or(0ns), perFrame, 1ns});
    const auto inTime = static_cast<std::uint64_t>(kTimeOfShort / each);
    const std::uint64_t frames = std::min(most, std::max(inTime, kFewestOfShort));
    return {.start = steady_clock::now(),
            .warmUp = std::min(options.warmUp, kShortWarmUp),
            .length = {.frames = frames, .time = 0ns},
            .period = options.period(),
            .deadline = options.deadline()};
}

Result<std::uint64_t> sendTurn(Target& target, const Turn& turn, Recorder& recorder,
                               const std::atomic<bool>& stop) {
    recorder.beginTurn();
    ExecutionOptions options{.measure = turn.measure};
    std::optional<TimePoint> end;  // known when the first frame is measured
    for (std::uint64_t i = 0;; ++i) {
        const TimePoint now = steady_clock::now();
        TimePoint due =
            turn.period ? turn.start + *turn.period * static_cast<std::int64_t>(i) : now;
        const bool isMeasured = i >= turn.warmUp;
        if (isMeasured && !end) {
            end = due + turn.length.time;
        }
        const bool isLongEnough =
            isMeasured && i - turn.warmUp >= turn.length.frames && std::max(now, due) >= *end;
        if (isLongEnough || stop.load(std::memory_order_relaxed)) {
            if (isLongEnough && turn.period && due < *end) {
                const auto waiting = (*end - due + *turn.period - 1ns) / *turn.period;
                recorder.addUnsent(static_cast<std::uint64_t>(waiting));
            }
            return i;
        }
        target.write(turn.firstFrame + i);
        if (turn.period) {
            waitUntil(due, turn.spin);
        } else {
            due = steady_clock::now();
        }
        if (turn.deadline) {
            options.deadline = due + *turn.deadline;
        }
        const Result<> result = target.execute(options);
        FrameRecord record{.due = due, .completed = steady_clock::now()};
        if (result) {
            target.finish();
            record.timing = target.timing();
        } else if (isMissedDeadline(result.error())) {
            record.isRefused = true;
        } else {
            return tl::unexpected<Error>(result.error());
        }
        if (isMeasured) {
            recorder.add(record);
        } else {
            recorder.addWarmUp(record);
        }
    }
}

}  // namespace nnburst::stream
