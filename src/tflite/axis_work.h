// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What PAD, TILE, SLICE and STRIDED_SLICE do along each axis.

#include <array>
#include <cstdint>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "tflite/hal_rules.h"

namespace nnburst::tflite {

/// What the operation does along an axis.
struct AxisWork {
    std::array<std::int32_t, 3> numbers{};  ///< the entries of inputs 1 to 3
    bool isTouched = false;
    bool isFromStart = false;
    bool isToEnd = false;
    bool isDropped = false;
};

/// The work along each axis of input 0; none if it is not known.
[[nodiscard]] std::vector<AxisWork> readWork(const RuledOperation& op);

/// Sets the entries of `inputs` that name axes. `shape` and `work` are of the joined axes.
Result<> writeWork(const RuledOperation& op, const Dimensions& shape,
                   const std::vector<AxisWork>& work, std::vector<std::uint32_t>& inputs);

}  // namespace nnburst::tflite
