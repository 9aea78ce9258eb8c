// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Microkernels::requantizeSums in plain C++, for the source of each instruction set. It is static,
/// because that of one set must not be linked into the code of another.

#include <cstddef>
#include <cstdint>

#include "exec/dot8/microkernel.h"

namespace nnburst::exec::dot8 {

static inline std::int64_t clampSum(std::int64_t value, std::int64_t minimum,
                                    std::int64_t maximum) noexcept {
    value = value < minimum ? minimum : value;
    return value > maximum ? maximum : value;
}

static void requantizeSums(const SumRow& given) {
    const SumRow row = given;  // a copy: outputs are bytes, which could be those of `given`
    const std::int64_t minimum = row.minimum - row.zeroPoint;
    const std::int64_t maximum = row.maximum - row.zeroPoint;
    for (std::size_t i = 0; i < row.count; ++i) {
        const std::int64_t shifted = std::int64_t{row.sums[i]} << row.leftShifts[i];
        const std::int64_t saturated = clampSum(shifted, INT32_MIN, INT32_MAX);
        const std::int64_t rounded = (saturated * row.fractions[i] + (std::int64_t{1} << 30)) >> 31;
        // Ties go away from zero here: those of negative numbers downwards.
        const std::int64_t half = (std::int64_t{1} << row.rightShifts[i]) >> 1;
        const std::int64_t downwards = rounded < 0 && half != 0 ? 1 : 0;
        const std::int64_t steps = (rounded + half - downwards) >> row.rightShifts[i];
        row.output[i] =
            static_cast<std::uint8_t>(clampSum(steps, minimum, maximum) + row.zeroPoint);
    }
}

}  // namespace nnburst::exec::dot8
