// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The data types and shapes of the protocol, and the operands of the HAL that they stand for.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nnburst/model_signature.h"
#include "nnburst/types.h"

namespace nnburst::serve {

/// What the elements of a tensor are.
enum class DataKind : std::uint8_t { BOOL, INT8, INT16, INT32, UINT8, UINT16, UINT32, FP16, FP32 };

/// One data type of the protocol.
struct DataType {
    DataKind kind = DataKind::FP32;
    std::string_view name;  ///< "FP32"
    std::size_t elementBytes = 0;
    int configValue = 0;  ///< DataType of a model's configuration: TYPE_FP32
};

/// The data type of an operand of `type`; null if the protocol has none for it (types of
/// extensions).
[[nodiscard]] const DataType* dataTypeOf(OperandType type) noexcept;

/// The data type that the protocol calls `name`; null if there is none, or the HAL has none for it.
[[nodiscard]] const DataType* dataTypeNamed(std::string_view name) noexcept;

/// The shape of an operand. -1 is a size that differs from one inference to the next.
[[nodiscard]] std::vector<std::int64_t> shapeOf(const NamedOperand& operand);

/// `[1,128,-1]`, for messages.
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape);

}  // namespace nnburst::serve
