// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arguments of RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR, for their reference kernel and the
/// XNNPACK backend.

#include <cstdint>
#include <optional>

#include "exec/operation/operation.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// The wanted size along one axis, or the factor by which it changes.
struct ResizeAxis {
    std::uint32_t size = 0;
    std::optional<float> factor;

    /// The output's size. INVALID_ARGUMENT if the factor makes it 0 or too large.
    [[nodiscard]] Result<std::uint64_t> outputSize(const OperationView& operation,
                                                   std::uint32_t inputSize) const;
};

struct ResizeArguments {
    ResizeAxis height;
    ResizeAxis width;
    bool isNchw = false;
    bool alignsCorners = false;
    bool hasHalfPixels = false;
};

/// Checks types and values of the inputs that follow the image, and reads them.
[[nodiscard]] Result<ResizeArguments> readResizeArguments(const OperationView& operation);

}  // namespace nnburst::exec
