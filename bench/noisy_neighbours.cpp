// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What does a client of a shared driver notice of others that keep the driver busy? All clients
/// are threads of this process with connections of their own; neither they nor the driver are
/// pinned.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "burst_path.h"
#include "fail.h"
#include "length.h"
#include "listening_driver.h"
#include "measure.h"
#include "nnburst/builtin_models.h"
#include "nnburst/device.h"
#include "processors.h"
#include "row.h"
#include "small_models.h"
#include "suites.h"
#include "support/pooled_request.h"

namespace nnburst::bench {
namespace {

using namespace std::chrono_literals;

/// What a thread of a neighbour does again and again. Ends the program with a message if it fails.
using Step = std::function<void()>;

/// Threads that repeat their steps until this is destroyed.
class Neighbour {
  public:
    explicit Neighbour(std::vector<Step> steps) : steps_(std::move(steps)) {
        for (const Step& step : steps_) {
            threads_.emplace_back([this, &step] {
                while (!isOver_.load(std::memory_order_relaxed)) {
                    step();
                }
            });
        }
    }
    Neighbour(const Neighbour&) = delete;
    Neighbour& operator=(const Neighbour&) = delete;
    ~Neighbour() {
        isOver_ = true;
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

  private:
    std::atomic<bool> isOver_{false};
    const std::vector<Step> steps_;
    std::vector<std::thread> threads_;
};

/// A single execution as a step. It may fail where it has a limit for loops.
Step executionOf(const Model& model, SharedPreparedModel prepared,
                 const ExecutionOptions& options) {
    auto request =
        std::make_shared<tools::PooledRequest>(valueOf(tools::PooledRequest::create(model)));
    return [request, prepared = std::move(prepared), options] {
        ExecutionOutcome outcome;
        const auto done = prepared->executeSynchronously(request->request(), options, outcome);
        if (!done && options.loopTimeout == std::nullopt) {
            fail("a single execution failed: " + done.error().message);
        }
    };
}

/// Four endless loops, cut off and started again from time to time.
std::vector<Step> endlessLoops(Device& device) {
    std::vector<Step> steps;
    for (int i = 0; i < 4; ++i) {
        const Model model = makeEndlessLoop(1e30F + 1e28F * static_cast<float>(i));
        steps.push_back(executionOf(model, valueOf(prepareModel(device, model)),
                                    {.loopTimeout = byLength(20ms, 500ms, 500ms)}));
    }
    return steps;
}

/// 150 executions that wait for each other, at high priority.
std::vector<Step> highPriority(Device& device) {
    const Model model = valueOf(makeMobileNetV1());
    const SharedPreparedModel prepared =
        valueOf(prepareModel(device, model, {.priority = Priority::HIGH}));
    std::vector<Step> steps;
    for (int i = 0; i < 150; ++i) {
        steps.push_back(executionOf(model, prepared, {}));
    }
    return steps;
}

/// Four threads that prepare models whose weights the driver does not have yet.
std::vector<Step> preparations(Device& device) {
    std::vector<Step> steps;
    for (std::uint32_t i = 0; i < 4; ++i) {
        const auto models = std::make_shared<std::array<Model, 2>>(
            std::array{valueOf(makeMobileNetV1({.seed = 100 + 2 * i})),
                       valueOf(makeMobileNetV1({.seed = 101 + 2 * i}))});
        steps.emplace_back([&device, models, next = 0U]() mutable {
            (void)valueOf(prepareModel(device, models->at(next++ % 2)));
        });
    }
    return steps;
}

/// The client whose calls are measured (victim), and the client that loads the driver (neighbour).
struct Clients {
    const ListeningDriver driver;
    const SharedDevice neighbour = driver.connect();
    const SharedDevice victim = driver.connect();
    const Model model = valueOf(makeMobileNetV1());
    const SharedPreparedModel prepared = valueOf(prepareModel(*victim, model));
    BurstPath burst{model, *prepared};
    const Step single = executionOf(model, prepared, {});
};

using MakeSteps = std::vector<Step> (*)(Device&);

void measure(benchmark::State& state, MakeSteps makeSteps, bool isBurst) {
    const ScopedAffinity unpinned(Affinity::ANYWHERE);
    static Clients clients;
    std::optional<Neighbour> neighbour;
    if (makeSteps != nullptr) {
        neighbour.emplace(makeSteps(*clients.neighbour));
        std::this_thread::sleep_for(byLength(1ms, 100ms, 100ms));
    }
    measureEach(state, [&] {
        if (isBurst) {
            return clients.burst.execute();
        }
        clients.single();
        return true;
    });
}

}  // namespace

void registerNoisyNeighbours() {
    struct Row {
        const char* name;
        const char* label;
        MakeSteps makeSteps;
    };
    constexpr std::array<Row, 4> kRows{{
        {"alone", "alone", nullptr},
        {"endlessLoops", "beside four endless loops", endlessLoops},
        {"highPriority", "beside 150 executions at HIGH", highPriority},
        {"preparations", "beside a flood of preparations", preparations},
    }};
    for (const bool isBurst : {true, false}) {
        for (const Row& row : kRows) {
            registerRow(
                std::string(isBurst ? "neighboursBurst/" : "neighboursSingle/") + row.name,
                std::string(isBurst ? "MobileNet 0.25/128, burst, "
                                    : "MobileNet 0.25/128, single, ") +
                    row.label,
                [=](benchmark::State& state) { measure(state, row.makeSteps, isBurst); },
                byLength<Extent>({1, 3}, {3, 300}, {5, 1000}));
        }
    }
}

}  // namespace nnburst::bench
