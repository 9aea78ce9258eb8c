// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The operation types of the extension org.nnburst.tflite in imported models.

#include <cstdint>

#include "nnburst/type_queries.h"
#include "nnburst/types.h"
#include "tflite_operations/codes.h"

namespace nnburst::tflite {

/// The prefix of the extension org.nnburst.tflite in imported models.
inline constexpr std::uint16_t kExtensionPrefix = 1;

/// An operation of the extension org.nnburst.tflite.
constexpr OperationType extensionOperation(tflite_operations::Code code) noexcept {
    return static_cast<OperationType>((std::uint32_t{kExtensionPrefix} << kExtensionTypeBits) |
                                      static_cast<std::uint32_t>(code));
}

/// Gives a tensor's bytes another type, scale or shape.
inline constexpr OperationType kBitcast = extensionOperation(tflite_operations::Code::BITCAST);

}  // namespace nnburst::tflite
