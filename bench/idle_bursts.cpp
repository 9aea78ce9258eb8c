// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the cost of idle bursts? A driver of its own serves a thousand bursts. Its processor
/// time is measured when their threads have been asleep for long.

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "burst_path.h"
#include "fail.h"
#include "length.h"
#include "measure.h"
#include "number_names.h"
#include "processors.h"
#include "row.h"
#include "skip.h"
#include "small_models.h"
#include "suites.h"
#include "support/processor_time.h"

namespace nnburst::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// A driver process and its process ID.
struct KnownDriver {
    KnownDriver() {
        const std::vector<pid_t> before = tools::childProcesses();
        device = valueOf(spawnDriver({.processors = {processorPair()->driver}}));
        process = valueOf(tools::newChildProcess(before));
    }

    /// The number after `key` in /proc/PID/`file`.
    [[nodiscard]] double figure(const char* file, const std::string& key) const {
        std::ifstream text(fmt::format("/proc/{}/{}", process, file));
        for (std::string word; text >> word;) {
            if (word == key) {
                double value = 0;
                text >> value;
                return value;
            }
        }
        fail(fmt::format("/proc/{}/{} has no {}", process, file, key));
    }
    /// Kilobytes of memory, of which shared pages count in part (PSS).
    [[nodiscard]] double kilobytes() const { return figure("smaps_rollup", "Pss:"); }
    [[nodiscard]] double threads() const { return figure("status", "Threads:"); }

    SharedDevice device;
    pid_t process = 0;
};

void measure(benchmark::State& state) {
    const KnownDriver driver;
    const auto clock = tools::ProcessorClock::of(driver.process);
    if (!clock) {
        fail(clock.error().message);
    }
    const Model model = makeSmallestModel();
    const SharedPreparedModel prepared = valueOf(prepareModel(*driver.device, model));
    BurstPath active(model, *prepared);
    (void)active.execute();
    const double kilobytesBefore = driver.kilobytes();
    const double threadsBefore = driver.threads();

    const int count = byLength(20, 1000, 1000);
    std::vector<std::unique_ptr<Burst>> bursts;
    while (static_cast<int>(bursts.size()) < count) {
        auto burst = prepared->configureExecutionBurst({});
        if (!burst) {
            skip(state, fmt::format("burst {}: {}", bursts.size() + 1, burst.error().message));
            return;
        }
        bursts.push_back(std::move(*burst));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(byLength(50, 500, 1000)));

    const Clock::time_point begin = Clock::now();
    const std::chrono::nanoseconds used = clock->now();
    std::this_thread::sleep_for(Seconds(byLength(0.1, 2.0, 5.0)));
    const Seconds usedMeanwhile = clock->now() - used;
    const Seconds elapsed = Clock::now() - begin;
    const double kilobytes = driver.kilobytes();
    const double threads = driver.threads();

    measureEach(state, [&] { return active.execute(); });
    state.counters[kIdleNumber] = 100 * usedMeanwhile.count() / elapsed.count();
    state.counters["driver, KB a burst"] = (kilobytes - kilobytesBefore) / count;
    state.counters[kThreadsNumber] = (threads - threadsBefore) / count;
}

}  // namespace

void registerIdleBursts() {
    registerRow("idleBursts/burst", "1000 idle bursts beside, burst, RESHAPE of one float", measure,
                byLength<Extent>({1, 100}, {2, 10'000}, {3, 100'000}));
}

}  // namespace nnburst::bench
