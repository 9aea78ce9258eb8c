// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Do clients of one model together get from each processor what a single client gets, and each a
/// fair share? The clients are threads with a burst each; neither they nor the driver are pinned.
/// What the machine allows shows where each thread has a device of its own in this process: no
/// driver, nothing to wait for but the processors.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "burst_path.h"
#include "devices.h"
#include "fail.h"
#include "length.h"
#include "measure.h"
#include "nnburst/builtin_models.h"
#include "nnburst/device.h"
#include "number_names.h"
#include "processors.h"
#include "row.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// The fraction of the measured time for which clients run before they are counted.
constexpr double kWarmUpShare = 0.2;

/// A thread that executes in a loop.
class Client {
  public:
    Client(const Model& model, SharedPreparedModel prepared)
        : prepared_(std::move(prepared)), path_(model, *prepared_) {}

    void start(const std::atomic<bool>& isOver) {
        times_.clear();
        thread_ = std::thread([this, &isOver] {
            Clock::time_point start = Clock::now();
            while (isSuccess_ && !isOver.load(std::memory_order_relaxed)) {
                isSuccess_ = path_.execute();
                executions_.fetch_add(1, std::memory_order_relaxed);
                const Clock::time_point end = Clock::now();
                times_.push_back(std::chrono::duration<double, std::micro>(end - start).count());
                start = end;
            }
        });
    }
    /// Waits for the thread. False if an execution failed.
    [[nodiscard]] bool join() {
        thread_.join();
        return isSuccess_;
    }

    /// Of each execution, in microseconds. After `join`.
    [[nodiscard]] const std::vector<double>& times() const noexcept { return times_; }

    [[nodiscard]] std::uint64_t executions() const noexcept {
        return executions_.load(std::memory_order_relaxed);
    }

  private:
    SharedPreparedModel prepared_;
    BurstPath path_;
    // Written by the thread until it is joined.
    bool isSuccess_ = true;
    std::vector<double> times_;
    std::atomic<std::uint64_t> executions_{0};
    std::thread thread_;
};

std::vector<std::uint64_t> executionsOf(const std::vector<std::unique_ptr<Client>>& clients) {
    std::vector<std::uint64_t> executions;
    executions.reserve(clients.size());
    for (const std::unique_ptr<Client>& client : clients) {
        executions.push_back(client->executions());
    }
    return executions;
}

double tailOf(const std::vector<std::unique_ptr<Client>>& clients) {
    std::vector<double> times;
    for (const std::unique_ptr<Client>& client : clients) {
        times.insert(times.end(), client->times().begin(), client->times().end());
    }
    const auto tail = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 99 / 100);
    std::nth_element(times.begin(), tail, times.end());
    return *tail;
}

/// The measured time: long enough that one execution more or less does not decide which client is
/// the slowest.
Seconds windowOf(std::size_t clients) {
    const auto factor = static_cast<double>(clients);
    return Seconds(byLength(0.02, std::max(0.4, 0.02 * factor), std::max(1.5, 0.05 * factor)));
}

enum class Devices { ONE_DRIVER, ONE_FOR_EACH };

std::vector<std::unique_ptr<Client>> makeClients(std::size_t count, Devices devices) {
    static const Model model = valueOf(makeMobileNetV1());
    static const SharedPreparedModel shared =
        valueOf(prepareModel(driver(DriverPlacement::ANYWHERE), model));
    std::vector<std::unique_ptr<Client>> clients;
    while (clients.size() < count) {
        clients.push_back(std::make_unique<Client>(
            model, devices == Devices::ONE_DRIVER
                       ? shared
                       : valueOf(prepareModel(*valueOf(makeLocalDevice()), model))));
    }
    return clients;
}

void measure(benchmark::State& state, std::size_t count, Devices devices) {
    const ScopedAffinity unpinned(Affinity::ANYWHERE);
    const std::vector<std::unique_ptr<Client>> clients = makeClients(count, devices);
    const Seconds window = windowOf(count);

    HostWatch host;
    std::vector<double> samples;
    for ([[maybe_unused]] auto iteration : state) {
        std::atomic<bool> isOver = false;
        for (const std::unique_ptr<Client>& client : clients) {
            client->start(isOver);
        }
        std::this_thread::sleep_for(kWarmUpShare * window);
        std::vector<std::uint64_t> executions = executionsOf(clients);
        const Clock::time_point begin = Clock::now();
        std::this_thread::sleep_for(window);
        const std::vector<std::uint64_t> after = executionsOf(clients);
        const Seconds elapsed = Clock::now() - begin;
        isOver = true;
        bool isSuccess = true;
        for (const std::unique_ptr<Client>& client : clients) {
            isSuccess = client->join() && isSuccess;
        }
        if (!isSuccess) {
            state.SkipWithError("an execution of a client failed");
            return;
        }
        std::transform(after.begin(), after.end(), executions.begin(), executions.begin(),
                       std::minus<>());
        const auto [slowest, fastest] = std::minmax_element(executions.begin(), executions.end());
        const auto total = static_cast<double>(
            std::accumulate(executions.begin(), executions.end(), std::uint64_t{0}));
        state.SetIterationTime(elapsed.count());
        samples.push_back(elapsed.count() * 1e9 / std::max(total, 1.0));
        state.counters[kFairnessNumber] = static_cast<double>(*slowest) /
                                          static_cast<double>(std::max<std::uint64_t>(*fastest, 1));
        state.counters[kTotalNumber] = total / elapsed.count();
        const auto processors = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
        state.counters[kProcessorNumber] =
            total / elapsed.count() / static_cast<double>(std::min(count, processors));
        state.counters[kTailNumber] = tailOf(clients);
    }
    setRound(state, samples, host.finish());
}

}  // namespace

void registerThroughput() {
    struct Row {
        const char* group;
        const char* label;
        Devices devices;
    };
    constexpr std::array<Row, 2> kRows{{
        {"throughput/",
         "time over executions of MobileNet 0.25/128, clients: ", Devices::ONE_DRIVER},
        {"throughputApart/",
         "the same without a driver, threads with a device each: ", Devices::ONE_FOR_EACH},
    }};
    for (const Row& row : kRows) {
        for (const std::size_t clients : {1U, 2U, 4U, 16U, 64U}) {
            const std::string number = std::to_string(clients);
            registerRow(
                row.group + number, row.label + number,
                [=](benchmark::State& state) { measure(state, clients, row.devices); },
                byLength<Extent>({1, 1}, {3, 1}, {5, 1}));
        }
    }
}

}  // namespace nnburst::bench
