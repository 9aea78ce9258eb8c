// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A stream whose driver is killed again and again, at random moments: each frame has a right
/// result, or an error; none is wrong, and none hangs. Prints how long the gaps were.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include "device/driver_process.h"
#include "nnburst/supervised_device.h"

#ifndef NNBURST_KILLS
#define NNBURST_KILLS 20
#endif

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;
using Milliseconds = std::chrono::duration<double, std::milli>;

class Gaps {
  public:
    explicit Gaps(const char* name) : name_(name) {}
    void add(std::chrono::nanoseconds gap) { gaps_.push_back(Milliseconds(gap).count()); }
    void print() {
        std::sort(gaps_.begin(), gaps_.end());
        if (!gaps_.empty()) {
            std::printf("%-28s median %7.2f ms, p90 %7.2f ms, maximum %7.2f ms\n", name_,
                        gaps_[gaps_.size() / 2], gaps_[gaps_.size() * 9 / 10], gaps_.back());
        }
    }

  private:
    const char* name_;
    std::vector<double> gaps_;
};

/// One frame, by each way of a burst in turn.
class Frames {
  public:
    explicit Frames(Burst& burst)
        : burst_(burst), reusable_(std::move(*burst.createReusableExecution(add_.request, {}))) {}

    /// False: an error, as it is to be while there is no driver.
    bool run(std::uint32_t number) {
        const auto value = static_cast<float>(number % 1000000);
        add_.a()[0] = value;
        add_.out()[0] = -1.0F;
        const Result<> result = execute(number);
        if (!result) {
            EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE)
                << result.error().message;
            return false;
        }
        EXPECT_EQ(add_.out()[0], value + 10.0F) << "frame " << number;
        return true;
    }

  private:
    Result<> execute(std::uint32_t number) {
        switch (number % 4) {
            case 0:
                return burst_.execute(add_.request, {}, outcome_);
            case 1: {
                const auto submitted = reusable_->submit({});
                return submitted ? burst_.wait(*submitted, outcome_)
                                 : Result<>(tl::unexpected<Error>(submitted.error()));
            }
            default:
                return reusable_->compute({}, outcome_);
        }
    }

    Burst& burst_;
    AddRequest add_;
    ExecutionOutcome outcome_;
    std::unique_ptr<ReusableExecution> reusable_;
};

TEST(SupervisedStream, hasARightResultOrAnErrorForEachFrameHoweverOftenTheDriverIsKilled) {
    setLogLevel(LogLevel::ERROR);  // each loss is a warning
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto device = *superviseDriver(
        {.start = [] { return spawnDriver({.logLevel = LogLevel::ERROR}, NNBURST_DRIVER_PATH); },
         .backoff = 1ms,
         .maximumBackoff = 1ms});
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({}));

    std::atomic<bool> isEnding{false};
    std::thread killer([&] {
        std::mt19937 random(seed);
        std::uniform_int_distribution<int> microseconds(0, 60'000);
        for (int kill = 0; kill < NNBURST_KILLS;) {
            std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
            for (const pid_t driver : spawnedDrivers()) {
                kill += ::kill(driver, SIGKILL) == 0 ? 1 : 0;
            }
        }
        isEnding = true;
    });

    Gaps starts("start of the driver");
    Gaps restorations("preparation and burst");
    Gaps gaps("last to first right frame");
    Frames frames(*burst);
    std::uint32_t frame = 0;
    std::uint64_t right = 0;
    auto lastRight = std::chrono::steady_clock::now();
    bool wasRight = true;
    while (!isEnding) {
        const bool isRight = frames.run(++frame);
        const auto now = std::chrono::steady_clock::now();
        if (isRight) {
            if (!wasRight) {
                gaps.add(now - lastRight);
                starts.add(device->supervisionStats().lastStart);
                restorations.add(device->supervisionStats().lastRestoration);
            }
            lastRight = now;
            ++right;
        } else {
            std::this_thread::sleep_for(200us);  // the next frame of the camera
        }
        wasRight = isRight;
    }
    killer.join();
    EXPECT_TRUE(eventually([&] { return frames.run(++frame); })) << "the stream goes on";
    EXPECT_GT(right, 0U);
    const SupervisionStats stats = device->supervisionStats();
    std::printf("%d kills, %llu losses noticed, %llu of %u frames right\n", NNBURST_KILLS,
                static_cast<unsigned long long>(stats.losses),
                static_cast<unsigned long long>(right), frame);
    setLogLevel(LogLevel::INFO);
    starts.print();
    restorations.print();
    gaps.print();
}

}  // namespace
}  // namespace nnburst::test
