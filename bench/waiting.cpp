// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the effect of the wait mode? The empty execution in each mode on both sides;
/// registerLatency measures it in the default mode, which is adaptive.

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

BurstPath& waitingPath(WaitMode mode) {
    static const Model model = makeSmallestModel();
    static BurstPath spinning(model, driver(DriverPlacement::OWN_PROCESSOR),
                              bothSides(WaitMode::SPIN));
    static BurstPath blocking(model, driver(DriverPlacement::OWN_PROCESSOR),
                              bothSides(WaitMode::BLOCK));
    return mode == WaitMode::SPIN ? spinning : blocking;
}

void registerMode(WaitMode mode, const std::string& suffix, const std::string& label) {
    registerRoundTrip("burst" + suffix, "burst, RESHAPE of one float, " + label,
                      [=](benchmark::State& state) {
                          measureEach(state, [&] { return waitingPath(mode).execute(); });
                      });
    registerRoundTrip("reusable" + suffix, "the same as a reusable execution, " + label,
                      [=](benchmark::State& state) {
                          measureEach(state, [&] { return waitingPath(mode).compute(); });
                      });
}

}  // namespace

void registerWaiting() {
    registerMode(WaitMode::SPIN, "Spinning", "both sides spin");
    registerMode(WaitMode::BLOCK, "Blocking", "both sides sleep");
}

}  // namespace nnburst::bench
