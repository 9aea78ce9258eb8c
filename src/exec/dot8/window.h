// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the families of convolutions share: arguments, windows, and the cases that are left to
/// XNNPACK.

#include <optional>

#include "exec/operation/activation.h"
#include "exec/operation/spatial.h"

namespace nnburst::exec::dot8 {

/// A convolution that is covered.
struct Convolution {
    SpatialArguments arguments;
    SpatialWindow window;
    QuantizedRange range{};  ///< of the output
};

/// Nothing if the operation is not covered: its layout, its quantisation, or too many windows.
[[nodiscard]] Result<std::optional<Convolution>> readConvolution(const OperationView& operation,
                                                                 SpatialForm form);

}  // namespace nnburst::exec::dot8
