// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the cost of waiting in a stream at 30 Hz of a model of some 5 ms? Latency, and the
/// processor time that both sides burn. Both spin for as long as the driver allows any client.

#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <map>
#include <string>

#include "burst_path.h"
#include "devices.h"
#include "fail.h"
#include "length.h"
#include "measure.h"
#include "nnburst/builtin_models.h"
#include "number_names.h"
#include "pacer.h"
#include "row.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

constexpr std::chrono::nanoseconds kFramePeriod{33'333'333};
/// Longer than the period; the driver spins for 10 ms at most.
constexpr std::chrono::milliseconds kLongSpin{50};

BurstOptions optionsOf(WaitMode mode) {
    BurstOptions options = bothSides(mode);
    if (mode == WaitMode::SPIN) {
        options.clientWait.spinWindow = kLongSpin;
        options.driverWait.spinWindow = kLongSpin;
    }
    return options;
}

BurstPath& streamPath(WaitMode mode) {
    static const Model model = valueOf(makeMobileNetV1({.width = 0.5F, .resolution = 224}));
    Device& device = driver(DriverPlacement::OWN_PROCESSOR);
    static std::map<WaitMode, BurstPath> paths;
    const auto found = paths.find(mode);
    return found != paths.end()
               ? found->second
               : paths.try_emplace(mode, model, device, optionsOf(mode)).first->second;
}

std::chrono::nanoseconds burntBy(const BurstPath& path) {
    const BurstWaitStats stats = path.burst().waitStats();
    return stats.client.burnt + stats.driver.burnt;
}

void measure(benchmark::State& state, WaitMode mode) {
    BurstPath& measured = streamPath(mode);
    Pacer pacer(kFramePeriod);
    const int warmUpCalls = byLength(0, 8, 15);
    const std::chrono::nanoseconds burntBefore = burntBy(measured);
    measureEach(
        state, [&] { pacer.await(); }, [&] { return measured.execute(); }, warmUpCalls);
    const std::chrono::duration<double> burnt = burntBy(measured) - burntBefore;
    // Only for the time of the frames: the host watch is not part of the stream.
    const auto frames = static_cast<double>(warmUpCalls + state.iterations());
    state.counters[kBurntNumber] =
        100 * burnt / (frames * std::chrono::duration<double>(kFramePeriod));
}

}  // namespace

void registerStream() {
    struct Row {
        const char* name;
        const char* label;
        WaitMode mode;
    };
    constexpr std::array<Row, 3> kRows{{
        {"spinning", "both sides spin", WaitMode::SPIN},
        {"adaptive", "both sides adapt", WaitMode::ADAPTIVE},
        {"blocking", "both sides sleep", WaitMode::BLOCK},
    }};
    for (const Row& row : kRows) {
        registerRow(
            std::string("stream/") + row.name,
            std::string("MobileNet 0.5/224 at 30 Hz, ") + row.label,
            [=](benchmark::State& state) { measure(state, row.mode); },
            byLength<Extent>({1, 2}, {3, 30}, {8, 60}));
    }
}

}  // namespace nnburst::bench
