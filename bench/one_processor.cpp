// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the cost of a round trip if client and driver share one processor? The baseline is a
/// ping-pong of sleeping threads there: two context switches are the least possible.

#include <benchmark/benchmark.h>

#include "burst_path.h"
#include "devices.h"
#include "futex_ping_pong.h"
#include "measure.h"
#include "processors.h"
#include "row.h"
#include "small_models.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

BurstPath& oneProcessorPath() {
    static BurstPath path(makeSmallestModel(), driver(DriverPlacement::CLIENTS_PROCESSOR));
    return path;
}

}  // namespace

void registerOneProcessor() {
    registerRow(
        "oneProcessor/futex", "one processor, raw futex, both sides sleep",
        [](benchmark::State& state) { measureFutexPingPong(state, processorPair()->client); });
    registerRow("oneProcessor/burst", "one processor, burst, RESHAPE of one float",
                [](benchmark::State& state) {
                    measureEach(state, [] { return oneProcessorPath().execute(); });
                });
    registerRow("oneProcessor/reusable", "one processor, the same as a reusable execution",
                [](benchmark::State& state) {
                    measureEach(state, [] { return oneProcessorPath().compute(); });
                });
}

}  // namespace nnburst::bench
