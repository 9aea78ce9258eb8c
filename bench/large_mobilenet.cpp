// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Does a driver cost more where kernels take milliseconds and threads share their work? Kernels on
/// two threads use both processors. Then nothing is pinned, and a client that spins takes one
/// processor from them.

#include <benchmark/benchmark.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "length.h"
#include "measure.h"
#include "network.h"
#include "processors.h"
#include "row.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

struct Kind {
    BuiltinPrecision precision;
    std::uint32_t threads;

    auto operator<=>(const Kind&) const = default;
};

Network& network(const Kind& kind) {
    static std::map<Kind, std::unique_ptr<Network>> networks;
    std::unique_ptr<Network>& network = networks[kind];
    if (!network) {
        network = std::make_unique<Network>(
            MobileNetV1Options{.width = 1.0F, .resolution = 224, .precision = kind.precision},
            kind.threads);
    }
    return *network;
}

template <class Run>
void registerRun(const Kind& kind, const std::string& name, const std::string& label, Run run) {
    const bool isFloat = kind.precision == BuiltinPrecision::FLOAT32;
    const std::string threads = std::to_string(kind.threads);
    const std::string group =
        std::string(isFloat ? "largeFloat32" : "largeQuant8") + "Threads" + threads + "/";
    const std::string title = std::string("MobileNet 1.0/224 ") +
                              (isFloat ? "float32, " : "quant8, ") + threads +
                              (kind.threads == 1 ? " thread, " : " threads, ");
    const auto measure = [=](benchmark::State& state) {
        const ScopedAffinity affinity(kind.threads == 1 ? Affinity::CLIENT : Affinity::ANYWHERE);
        Network& measured = network(kind);
        measureEach(
            state, [] {}, [&] { return run(measured); }, byLength(0, 3, 3));
    };
    registerRow(group + name, title + label, measure, byLength<Extent>({1, 1}, {4, 12}, {10, 50}));
}

}  // namespace

void registerLargeMobileNet() {
    for (const BuiltinPrecision precision : {BuiltinPrecision::FLOAT32, BuiltinPrecision::QUANT8}) {
        for (const std::uint32_t threads : {1U, 2U}) {
            registerRun({precision, threads}, "direct", "direct calls of XNNPACK",
                        [](Network& measured) { return measured.direct.run(); });
            registerRun({precision, threads}, "burst", "burst to a driver process",
                        [](Network& measured) { return measured.paths.runBurst(); });
        }
    }
}

}  // namespace nnburst::bench
