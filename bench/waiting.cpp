// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What does it cost how the two sides wait? The empty execution with each way to wait on both
/// sides; registerLatency has it with the default, which adapts.

#include <benchmark/benchmark.h>

#include <string>

#include "burst_path.h"
#include "devices.h"
#include "measure.h"
#include "round_trip.h"
#include "small_models.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

BurstPath& path(WaitMode mode) {
    static const Model model = makeSmallestModel();
    static BurstPath spinning(model, driver(DriverPlace::OWN_PROCESSOR), bothSides(WaitMode::SPIN));
    static BurstPath blocking(model, driver(DriverPlace::OWN_PROCESSOR),
                              bothSides(WaitMode::BLOCK));
    return mode == WaitMode::SPIN ? spinning : blocking;
}

void registerMode(WaitMode mode, const std::string& suffix, const std::string& label) {
    registerRoundTrip(
        "burst" + suffix, "burst, RESHAPE of one float, " + label,
        [=](benchmark::State& state) { measureEach(state, [&] { return path(mode).execute(); }); });
    registerRoundTrip(
        "reusable" + suffix, "the same as a reusable execution, " + label,
        [=](benchmark::State& state) { measureEach(state, [&] { return path(mode).compute(); }); });
}

}  // namespace

void registerWaiting() {
    registerMode(WaitMode::SPIN, "Spinning", "both sides spin");
    registerMode(WaitMode::BLOCK, "Blocking", "both sides sleep");
}

}  // namespace nnburst::bench
