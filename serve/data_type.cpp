// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "data_type.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace nnburst::serve {
namespace {

struct Entry {
    OperandType operand;
    DataType type;
};

constexpr DataType kBool{DataKind::BOOL, "BOOL", 1, 1};
constexpr DataType kUint8{DataKind::UINT8, "UINT8", 1, 2};
constexpr DataType kUint16{DataKind::UINT16, "UINT16", 2, 3};
constexpr DataType kUint32{DataKind::UINT32, "UINT32", 4, 4};
constexpr DataType kInt8{DataKind::INT8, "INT8", 1, 6};
constexpr DataType kInt16{DataKind::INT16, "INT16", 2, 7};
constexpr DataType kInt32{DataKind::INT32, "INT32", 4, 8};
constexpr DataType kFp16{DataKind::FP16, "FP16", 2, 10};
constexpr DataType kFp32{DataKind::FP32, "FP32", 4, 11};

constexpr std::array kTypes{
    Entry{OperandType::FLOAT32, kFp32},
    Entry{OperandType::INT32, kInt32},
    Entry{OperandType::UINT32, kUint32},
    Entry{OperandType::TENSOR_FLOAT32, kFp32},
    Entry{OperandType::TENSOR_INT32, kInt32},
    Entry{OperandType::TENSOR_QUANT8_ASYMM, kUint8},
    Entry{OperandType::BOOL, kBool},
    Entry{OperandType::TENSOR_QUANT16_SYMM, kInt16},
    Entry{OperandType::TENSOR_FLOAT16, kFp16},
    Entry{OperandType::TENSOR_BOOL8, kBool},
    Entry{OperandType::FLOAT16, kFp16},
    Entry{OperandType::TENSOR_QUANT16_ASYMM, kUint16},
    Entry{OperandType::TENSOR_QUANT8_SYMM, kInt8},
    Entry{OperandType::TENSOR_QUANT8_ASYMM_SIGNED, kInt8},
};

}  // namespace

const DataType* dataTypeOf(OperandType type) noexcept {
    const auto* found = std::ranges::find(kTypes, type, &Entry::operand);
    return found == kTypes.end() ? nullptr : &found->type;
}

const DataType* dataTypeNamed(std::string_view name) noexcept {
    const auto* found =
        std::ranges::find(kTypes, name, [](const Entry& entry) { return entry.type.name; });
    return found == kTypes.end() ? nullptr : &found->type;
}

std::vector<std::int64_t> shapeOf(const NamedOperand& operand) {
    std::vector<std::int64_t> shape;
    shape.reserve(operand.dimensions.size());
    for (const std::uint32_t size : operand.dimensions) {
        shape.push_back(size == 0 ? -1 : std::int64_t{size});
    }
    return shape;
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    return fmt::format("[{}]", fmt::join(shape, ","));
}

}  // namespace nnburst::serve
