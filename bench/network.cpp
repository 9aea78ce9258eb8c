// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>

#include "fail.h"

namespace nnburst::bench {
namespace {

void fill(std::span<std::byte> input, BuiltinPrecision precision) {
    std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same on every run
    if (precision == BuiltinPrecision::QUANT8) {
        std::generate(input.begin(), input.end(), [&] { return static_cast<std::byte>(random()); });
        return;
    }
    std::uniform_real_distribution<float> pixel(-1.0F, 1.0F);
    for (std::size_t offset = 0; offset < input.size(); offset += sizeof(float)) {
        const float value = pixel(random);
        std::memcpy(&input[offset], &value, sizeof(value));
    }
}

/// The same operators ran in the same order: outputs may differ by rounding only.
bool isClose(std::span<const std::byte> a, std::span<const std::byte> b,
             BuiltinPrecision precision) {
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

}  // namespace

Network::Network(const MobileNetV1Options& options, std::uint32_t threads)
    : model(valueOf(makeMobileNetV1(options))),
      direct(model, threads),
      paths(model, threads == 1 ? DriverPlacement::OWN_PROCESSOR : DriverPlacement::ANYWHERE,
            threads) {
    fill(direct.input(), options.precision);
    std::copy(direct.input().begin(), direct.input().end(), paths.input().begin());
    if (!direct.run() || !paths.runBurst() ||
        !isClose(direct.output(), paths.output(), options.precision)) {
        fail("MobileNet: direct calls and driver compute different outputs");
    }
}

}  // namespace nnburst::bench
