// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What does nnburst add to a real network? The measure is the same network by direct calls of
/// XNNPACK in the measuring process; local device, burst and remote call run the same weights on
/// one thread too. Driver and client are on different processors.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "direct_mobilenet.h"
#include "fail.h"
#include "measure.h"
#include "model_paths.h"
#include "nnburst/builtin_models.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

/// One network with everything that runs it.
struct Network {
    explicit Network(BuiltinPrecision precision)
        : model(valueOf(makeMobileNetV1({.precision = precision}))), direct(model), paths(model) {
        fillInput(precision);
        if (!direct.run() || !paths.runBurst() || !isClose(precision)) {
            fail("MobileNet: direct calls and driver do not give the same outputs");
        }
    }

    void fillInput(BuiltinPrecision precision) {
        std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same on every run
        const std::span<std::byte> input = direct.input();
        if (precision == BuiltinPrecision::QUANT8) {
            std::generate(input.begin(), input.end(),
                          [&] { return static_cast<std::byte>(random()); });
        } else {
            std::uniform_real_distribution<float> pixel(-1.0F, 1.0F);
            for (std::size_t offset = 0; offset < input.size(); offset += sizeof(float)) {
                const float value = pixel(random);
                std::memcpy(&input[offset], &value, sizeof(value));
            }
        }
        std::copy(input.begin(), input.end(), paths.input().begin());
    }

    /// The same operators in the same order: what remains is rounding.
    [[nodiscard]] bool isClose(BuiltinPrecision precision) {
        const std::span<const std::byte> a = direct.output();
        const std::span<const std::byte> b = paths.output();
        if (precision == BuiltinPrecision::QUANT8) {
            return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](std::byte x, std::byte y) {
                return std::abs(std::to_integer<int>(x) - std::to_integer<int>(y)) <= 1;
            });
        }
        for (std::size_t offset = 0; offset < a.size(); offset += sizeof(float)) {
            float x = 0;
            float y = 0;
            std::memcpy(&x, &a[offset], sizeof(x));
            std::memcpy(&y, &b[offset], sizeof(y));
            if (!(std::abs(x - y) <= 1e-5F)) {
                return false;
            }
        }
        return a.size() == b.size();
    }

    Model model;
    DirectMobileNet direct;
    ModelPaths paths;
};

Network& network(BuiltinPrecision precision) {
    static Network float32(BuiltinPrecision::FLOAT32);
    static Network quant8(BuiltinPrecision::QUANT8);
    return precision == BuiltinPrecision::FLOAT32 ? float32 : quant8;
}

template <class Run>
void registerRun(BuiltinPrecision precision, const std::string& name, const std::string& label,
                 Run run) {
    const bool isFloat = precision == BuiltinPrecision::FLOAT32;
    const std::string group = isFloat ? "mobilenetFloat32/" : "mobilenetQuant8/";
    const std::string network_ = isFloat ? "MobileNet float32, " : "MobileNet quant8, ";
    benchmark::RegisterBenchmark((group + name).c_str(), [=](benchmark::State& state) {
        state.SetLabel(network_ + label);
        Network& measured = network(precision);
        measureEach(state, [&] { return run(measured); });
    })->UseManualTime();
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
