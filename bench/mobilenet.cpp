// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What is the overhead of nnburst for a real network? The baseline is the same network by direct
/// calls of XNNPACK in the measuring process. Local device, burst and remote call run the same
/// weights on one thread, too. Driver and client are on different processors.

#include <benchmark/benchmark.h>

#include <string>

#include "measure.h"
#include "network.h"
#include "nnburst/builtin_models.h"
#include "row.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

Network& network(BuiltinPrecision precision) {
    static Network float32({.precision = BuiltinPrecision::FLOAT32});
    static Network quant8({.precision = BuiltinPrecision::QUANT8});
    return precision == BuiltinPrecision::FLOAT32 ? float32 : quant8;
}

template <class Run>
void registerRun(BuiltinPrecision precision, const std::string& name, const std::string& label,
                 Run run) {
    const bool isFloat = precision == BuiltinPrecision::FLOAT32;
    const std::string group = isFloat ? "mobilenetFloat32/" : "mobilenetQuant8/";
    const std::string title = isFloat ? "MobileNet float32, " : "MobileNet quant8, ";
    registerRow(group + name, title + label, [=](benchmark::State& state) {
        Network& measured = network(precision);
        measureEach(state, [&] { return run(measured); });
    });
}

}  // namespace

void registerMobileNet() {
    for (const BuiltinPrecision precision : {BuiltinPrecision::FLOAT32, BuiltinPrecision::QUANT8}) {
        registerRun(precision, "direct", "direct calls of XNNPACK",
                    [](Network& measured) { return measured.direct.run(); });
        registerRun(precision, "local", "local device",
                    [](Network& measured) { return measured.paths.runLocal(); });
        registerRun(precision, "burst", "burst to a driver process",
                    [](Network& measured) { return measured.paths.runBurst(); });
        registerRun(precision, "rpc", "RPC to the same driver",
                    [](Network& measured) { return measured.paths.runRpc(); });
    }
}

}  // namespace nnburst::bench
