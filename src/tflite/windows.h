// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Windows that operators slide over images [batches, height, width, channels] or volumes [batches,
/// depth, height, width, channels]. Pure functions, but for paddingScalar.

#include <tflite_generated.h>

#include <cstdint>
#include <span>

#include "nnburst/result.h"
#include "nnburst/types.h"
#include "tflite/operator_import.h"

namespace nnburst::tflite {

/// A window along one axis.
struct Window {
    std::uint32_t size;
    std::int32_t stride;
    std::int32_t dilation;
};

/// The windows of an operator on images.
struct Windows {
    schema::Padding padding;
    Window height;
    Window width;
};

/// Checks the options that files have for windows.
[[nodiscard]] Result<> checkWindows(schema::Padding padding, std::span<const Window> windows);
[[nodiscard]] Result<> checkWindows(const Windows& windows);

// The functions below require windows that checkWindows has accepted.

/// The size of an output axis; 0 (unknown) if the input is unknown or smaller than a window.
[[nodiscard]] std::uint32_t outputSize(std::uint32_t inputSize, schema::Padding padding,
                                       const Window& window);
/// The shape of an output with `channels`; empty if that of the input is unknown.
[[nodiscard]] Dimensions outputShape(const Dimensions& input, const Windows& windows,
                                     std::uint32_t channels);
/// A scalar operand with the HAL's code of `padding`.
[[nodiscard]] std::uint32_t paddingScalar(OperatorImport& op, schema::Padding padding);

}  // namespace nnburst::tflite
