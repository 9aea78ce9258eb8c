// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "host_watch.h"

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

#include "forked_process.h"
#include "futex_word.h"
#include "length.h"
#include "percentile.h"
#include "processors.h"
#include "shared_object.h"
#include "stolen_time.h"

namespace nnburst::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Threads that spun in the round before go on for a while: a driver for 10 ms, if the client asks.
constexpr std::chrono::milliseconds kSettleTime{11};
constexpr int kWarmUpRoundTrips = 200;
constexpr int kRoundTripsPerBatch = 100;
constexpr std::size_t kBatches = 20;

double secondsBetween(Clock::time_point before, Clock::time_point after) {
    return std::chrono::duration<double>(after - before).count();
}

/// The words of the ping-pong: odd values are questions, even ones answers.
struct PingPong {
    StartSwitch start;
    Word word;
};

/// The other processor's side. It sleeps until it is asked.
class PingPongPartner {
  public:
    /// Nanoseconds of a round trip: the median of batches, so that an interruption does not count.
    [[nodiscard]] double measure() {
        std::this_thread::sleep_for(kSettleTime);
        const ScopedAffinity pinned(Affinity::CLIENT);
        shared_->start.turnOn();
        roundTrips(kWarmUpRoundTrips);
        std::vector<double> samples(kBatches);
        for (double& sample : samples) {
            const Clock::time_point before = Clock::now();
            roundTrips(kRoundTripsPerBatch);
            sample = secondsBetween(before, Clock::now()) * 1e9 / kRoundTripsPerBatch;
        }
        shared_->start.turnOff();
        return percentile(samples, 0.5);
    }

  private:
    void roundTrips(int times) {
        for (int i = 0; i < times; ++i, question_ += 2) {
            shared_->word.value.store(question_, std::memory_order_release);
            spinUntil(shared_->word.value, question_ + 1);
        }
    }

    void answer() {
        while (shared_->start.awaitOn()) {
            while (shared_->start.isOn()) {
                const std::uint32_t seen = shared_->word.value.load(std::memory_order_acquire);
                if (seen % 2 == 1) {
                    shared_->word.value.store(seen + 1, std::memory_order_release);
                }
            }
        }
    }

    SharedObject<PingPong> shared_;
    std::uint32_t question_ = 1;
    ForkedProcess partner_{processorPair()->driver, [this] { answer(); }};
};

/// A tiny run measures it once, in its first round: it needs both processors at once, which a busy
/// machine rarely offers.
double pingPongNs() {
    static PingPongPartner partner;
    if (length() == Length::TINY) {
        static const double first = partner.measure();
        return first;
    }
    return partner.measure();
}

double stolenFromPair() {
    return stolenSeconds(std::array{processorPair()->client, processorPair()->driver});
}

double secondsOfRun(Clock::time_point now) {
    static const Clock::time_point first = now;
    return secondsBetween(first, now);
}

}  // namespace

HostWatch::HostWatch() {
    state_.pingPongBeforeNs = pingPongNs();
    state_.stolenSeconds = -stolenFromPair();
    start_ = Clock::now();
    state_.startSeconds = secondsOfRun(start_);
}

HostState HostWatch::finish() {
    state_.seconds = secondsBetween(start_, Clock::now());
    state_.stolenSeconds += stolenFromPair();
    state_.pingPongAfterNs = pingPongNs();
    return state_;
}

}  // namespace nnburst::bench
