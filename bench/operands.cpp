// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the cost of operands? Each execution sends, checks and binds all of them; the model
/// computes one float whatever their number.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>

#include "burst_path.h"
#include "devices.h"
#include "measure.h"
#include "number_names.h"
#include "row.h"
#include "small_models.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

/// A queue of this size holds the request with the most operands.
constexpr std::uint32_t kQueueLines = 1024;

BurstPath& operandsPath(std::uint32_t inputs) {
    static std::map<std::uint32_t, BurstPath> paths;
    const auto found = paths.find(inputs);
    return found != paths.end() ? found->second
                                : paths
                                      .try_emplace(inputs, makeSmallestModel(inputs),
                                                   driver(DriverPlacement::OWN_PROCESSOR),
                                                   BurstOptions{.queueLines = kQueueLines})
                                      .first->second;
}

void measure(benchmark::State& state, std::uint32_t inputs) {
    BurstPath& measured = operandsPath(inputs);
    measureEach(state, [&] { return measured.execute(); });
    state.counters[kInputNumber] = state.counters["p50"] / inputs;
}

}  // namespace

void registerOperands() {
    for (const std::uint32_t inputs : {1U, 10U, 100U, 1000U}) {
        const std::string number = std::to_string(inputs);
        registerRow("operands/" + number, "burst, a request with " + number + " inputs",
                    [=](benchmark::State& state) { measure(state, inputs); });
    }
}

}  // namespace nnburst::bench
