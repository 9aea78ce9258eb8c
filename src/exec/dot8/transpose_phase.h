// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A transposed convolution as convolutions. Along each axis, the outputs of one phase are a stride
/// apart, and the same taps of the filter reach all of them: output o gets input i through tap
/// t = o + paddingBefore - i * stride. So the outputs of one phase are those of a convolution of
/// stride 1 with these taps, turned around.

#include <cstddef>
#include <cstdint>

#include "exec/dot8/block_products.h"
#include "exec/dot8/window_rows.h"
#include "exec/operation/spatial.h"

namespace nnburst::exec::dot8 {

/// Along one axis.
struct TransposePhaseAxis {
    std::size_t firstOutput = 0;  ///< less than the stride
    std::size_t firstTap = 0;
    std::size_t stride = 1;  ///< of outputs and of taps
    std::size_t taps = 0;

    /// The tap of the filter that is tap `index` of the phase.
    [[nodiscard]] std::size_t tap(std::size_t index) const noexcept {
        return firstTap + index * stride;
    }
};

struct TransposePhase {
    TransposePhaseAxis height;
    TransposePhaseAxis width;
    WindowRows windows;   ///< over the input, one for each output of the phase
    FilterMatrix matrix;  ///< its weights; without the filter
};

}  // namespace nnburst::exec::dot8
