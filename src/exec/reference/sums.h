// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sums of many terms. A single float32 sum of some thousand terms leaves the tolerance of VTS, and
/// its additions wait for each other.

#include <array>
#include <cstddef>
#include <type_traits>

#include "exec/reference/elements.h"

namespace nnburst::exec {

/// The sum of term(0) to term(count - 1), in lanes that the compiler can vectorise. Float32 terms
/// are added in blocks, and the blocks in double precision: as fast, and exact enough for products.
template <class Sum, class Term>
[[nodiscard]] inline Sum sumOfTerms(std::size_t count, Term&& term) noexcept {
    constexpr std::size_t kLanes = 8;
    constexpr std::size_t kBlock = 256;
    using Lanes = std::array<Sum, kLanes>;
    std::conditional_t<std::is_same_v<Sum, float>, double, Sum> sum{};
    const auto addTerms = [&](Lanes& lanes, std::size_t first) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            lanes[lane] += term(first + lane);
        }
    };
    const auto addLanes = [&](const Lanes& lanes) {
        for (const Sum lane : lanes) {
            sum += lane;
        }
    };
    std::size_t i = 0;
    if (count < kLanes) {
        for (; i < count; ++i) {
            sum += term(i);
        }
        return static_cast<Sum>(sum);
    }
    for (; count - i >= kBlock; i += kBlock) {
        Lanes lanes{};
        for (std::size_t k = 0; k < kBlock; k += kLanes) {
            addTerms(lanes, i + k);
        }
        addLanes(lanes);
    }
    Lanes lanes{};
    for (; i + kLanes <= count; i += kLanes) {
        addTerms(lanes, i);
    }
    for (; i < count; ++i) {
        sum += term(i);
    }
    addLanes(lanes);
    return static_cast<Sum>(sum);
}

/// The sum of term(0) to term(count - 1) in double precision, for means and norms, whose errors
/// grow when they are subtracted or divided by. Stops when the run is out of time.
template <class Term>
[[nodiscard]] double sumOfElements(const OperationView& operation, std::size_t count, Term&& term) {
    double sum = 0.0;
    forEachPart(operation, count, [&](std::size_t first, std::size_t last) {
        sum += sumOfTerms<double>(last - first, [&](std::size_t i) { return term(first + i); });
    });
    return sum;
}

}  // namespace nnburst::exec
