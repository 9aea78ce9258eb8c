// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the latency of a camera's frame, one every 33 ms? Between frames all threads sleep, and
/// caches and the processor's clock cool down, in one process as in two.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "length.h"
#include "measure.h"
#include "network.h"
#include "pacer.h"
#include "processors.h"
#include "row.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

constexpr std::chrono::milliseconds kPeriod{33};

Network& network(std::uint32_t threads) {
    if (threads == 1) {
        static Network single(MobileNetV1Options{}, 1);
        return single;
    }
    static Network twofold(MobileNetV1Options{}, 2);
    return twofold;
}

template <class Run>
void registerRun(std::uint32_t threads, const std::string& name, const std::string& label,
                 Run run) {
    const std::string number = std::to_string(threads);
    const auto measure = [=](benchmark::State& state) {
        const ScopedAffinity affinity(threads == 1 ? Affinity::CLIENT : Affinity::ANYWHERE);
        Network& measured = network(threads);
        Pacer pacer(kPeriod);
        measureEach(
            state, [&] { pacer.await(); }, [&] { return run(measured); }, byLength(0, 8, 15));
    };
    registerRow("pacedThreads" + number + "/" + name,
                "every 33 ms MobileNet 0.25/128, " + number +
                    (threads == 1 ? " thread, " : " threads, ") + label,
                measure, byLength<Extent>({1, 2}, {3, 30}, {8, 60}));
}

}  // namespace

void registerPaced() {
    for (const std::uint32_t threads : {1U, 2U}) {
        registerRun(threads, "direct", "direct calls of XNNPACK",
                    [](Network& measured) { return measured.direct.run(); });
        registerRun(threads, "burst", "burst to a driver process",
                    [](Network& measured) { return measured.paths.runBurst(); });
    }
}

}  // namespace nnburst::bench
