// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// How many system calls does an execution take, in client and driver together? They are counted by
/// ptrace, which can only follow processes started while the tracing process has no other ones. So
/// a process of its own, started first, counts.

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "burst_path.h"
#include "devices.h"
#include "forked_process.h"
#include "futex_word.h"
#include "length.h"
#include "measure.h"
#include "nnburst/builtin_models.h"
#include "number_names.h"
#include "percentile.h"
#include "processors.h"
#include "row.h"
#include "shared_object.h"
#include "skip.h"
#include "small_models.h"
#include "suites.h"
#include "support/system_calls.h"

namespace nnburst::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// How executions are sent.
struct Way {
    const char* name;
    const char* label;
    WaitMode mode;
    bool isReusable;
    bool isNetwork;
    std::uint32_t threads;
};

constexpr std::array kWays{
    Way{"plainSpinning", "RESHAPE, plain, both sides spin", WaitMode::SPIN, false, false, 1},
    Way{"plainAdaptive", "RESHAPE, plain, adaptive", WaitMode::ADAPTIVE, false, false, 1},
    Way{"reusableSpinning", "RESHAPE, reusable, both sides spin", WaitMode::SPIN, true, false, 1},
    Way{"reusableAdaptive", "RESHAPE, reusable, adaptive", WaitMode::ADAPTIVE, true, false, 1},
    Way{"networkSpinning", "MobileNet 0.25/128, both sides spin", WaitMode::SPIN, true, true, 1},
    Way{"networkAdaptive", "MobileNet 0.25/128, adaptive", WaitMode::ADAPTIVE, true, true, 1},
    Way{"networkSpinningThreads2", "MobileNet 0.25/128 on 2 threads, both sides spin",
        WaitMode::SPIN, true, true, 2},
    Way{"networkAdaptiveThreads2", "MobileNet 0.25/128 on 2 threads, adaptive", WaitMode::ADAPTIVE,
        true, true, 2},
};

/// Medians over short sections. If the machine takes a processor from one side for longer than the
/// other side spins, the other side sleeps, in this section only.
struct Count {
    double client;       ///< system calls an execution
    double driver;       ///< the same
    double nanoseconds;  ///< duration of an execution
};

/// The amount of counted executions.
struct Sections {
    std::size_t number;
    int executions;  ///< in each
    int warmUpCalls;
};

Sections sectionsOfRun() {
    return byLength<Sections>({3, 2, 5}, {21, 10, 50}, {101, 20, usualWarmUpCalls()});
}

/// Executes between marks, in a traced process. Returns the duration of an execution.
Result<double> executeMarked(const Way& way) {
    const bool isPinned = way.threads == 1;
    const ScopedAffinity affinity(isPinned ? Affinity::CLIENT : Affinity::ANYWHERE);
    Device& device =
        driver(isPinned ? DriverPlacement::OWN_PROCESSOR : DriverPlacement::ANYWHERE, way.threads);
    NNBURST_TRY_ASSIGN(const Model model,
                       way.isNetwork ? makeMobileNetV1() : Result<Model>(makeSmallestModel()));
    BurstPath path(model, device, bothSides(way.mode));
    const auto execute = [&](int times) {
        bool isSuccess = true;
        for (int i = 0; i < times && isSuccess; ++i) {
            isSuccess = way.isReusable ? path.compute() : path.execute();
        }
        return isSuccess;
    };
    const Sections sections = sectionsOfRun();
    bool isSuccess = execute(sections.warmUpCalls);
    const Clock::time_point begin = Clock::now();
    for (std::size_t section = 0; section < sections.number && isSuccess; ++section) {
        tools::markSystemCalls();
        isSuccess = execute(sections.executions);
        tools::markSystemCalls(static_cast<std::uint64_t>(sections.executions));
    }
    if (!isSuccess) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "an execution failed while its system calls were counted");
    }
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
           (static_cast<double>(sections.number) * sections.executions);
}

Result<Count> countOf(const Way& way) {
    const SharedObject<double> nanoseconds;
    const auto body = [&]() -> Result<> {
        NNBURST_TRY_ASSIGN(*nanoseconds.operator->(), executeMarked(way));
        return {};
    };
    NNBURST_TRY_ASSIGN(const std::vector<tools::TracedCounts> sections,
                       tools::countSystemCalls(body));
    if (sections.size() != 2 * sectionsOfRun().number + 1) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "the process whose system calls were counted ended before it had set all of "
                       "its marks");
    }
    std::vector<double> client;
    std::vector<double> driver;
    for (std::size_t i = 1; i < sections.size(); i += 2) {
        const auto executions = static_cast<double>(sections[i].value);
        client.push_back(static_cast<double>(sections[i].own) / executions);
        driver.push_back(static_cast<double>(sections[i].descendants) / executions);
    }
    return Count{percentile(client, 0.5), percentile(driver, 0.5), *nanoseconds.operator->()};
}

/// The process that counts. It sleeps until it is asked.
class CallCounter {
  public:
    Result<Count> count(std::size_t way) {
        shared_->way = way;
        shared_->isDone.store(false);
        shared_->start.turnOn();
        while (!shared_->isDone.load()) {
            if (process_.hasEnded()) {
                return failure(
                    ErrorStatus::GENERAL_FAILURE,
                    "the process that counts system calls has ended; its output above may say "
                    "why");
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (shared_->error[0] != '\0') {
            return failure(ErrorStatus::GENERAL_FAILURE, shared_->error.data());
        }
        return shared_->count;
    }

  private:
    /// The requests to the counting process and its answers, in shared memory.
    struct Exchange {
        StartSwitch start;
        std::size_t way;
        std::atomic<bool> isDone;
        Count count;
        std::array<char, 256> error;  ///< zero-terminated; empty if there is none
    };

    void serve() {
        while (shared_->start.awaitOn()) {
            shared_->start.turnOff();
            const Result<Count> count = countOf(kWays.at(shared_->way));
            shared_->error = {};
            if (count) {
                shared_->count = *count;
            } else {
                count.error().message.copy(shared_->error.data(), shared_->error.size() - 1);
            }
            shared_->isDone.store(true);
        }
    }

    SharedObject<Exchange> shared_;
    ForkedProcess process_{processorPair()->driver, [this] { serve(); }};
};

CallCounter& callCounter() {
    static CallCounter counter;
    return counter;
}

void measure(benchmark::State& state, std::size_t way) {
    HostWatch host;
    for ([[maybe_unused]] auto iteration : state) {
        const Result<Count> count = callCounter().count(way);
        if (!count) {
            skip(state, count.error().message);
            return;
        }
        std::vector<double> samples{count->nanoseconds};
        state.SetIterationTime(count->nanoseconds * 1e-9);
        setRound(state, samples, host.finish());
        state.counters["system calls an execution, client"] = count->client;
        state.counters["system calls an execution, driver"] = count->driver;
        state.counters[kCallsNumber] = count->client + count->driver;
    }
}

}  // namespace

void registerSystemCalls() {
    (void)callCounter();
    for (std::size_t way = 0; way < kWays.size(); ++way) {
        registerRow(
            std::string("systemCalls/") + kWays.at(way).name,
            std::string("under ptrace, ") + kWays.at(way).label,
            [=](benchmark::State& state) { measure(state, way); },
            byLength<Extent>({1, 1}, {2, 1}, {3, 1}));
    }
}

}  // namespace nnburst::bench
