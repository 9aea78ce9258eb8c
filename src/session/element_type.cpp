// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/element_type.h"

namespace nnburst {

const char* toString(ElementType type) noexcept {
    switch (type) {
        case ElementType::FLOAT:
            return "float";
        case ElementType::INT32:
            return "std::int32_t";
        case ElementType::UINT32:
            return "std::uint32_t";
        case ElementType::INT16:
            return "std::int16_t";
        case ElementType::UINT16:
            return "std::uint16_t";
        case ElementType::INT8:
            return "std::int8_t";
        case ElementType::UINT8:
            return "std::uint8_t";
        case ElementType::BYTE:
            return "std::byte";
    }
    return "unknown element type";
}

bool isElementOf(ElementType element, OperandType type) noexcept {
    if (element == ElementType::BYTE) {
        return true;
    }
    switch (type) {
        case OperandType::FLOAT32:
        case OperandType::TENSOR_FLOAT32:
            return element == ElementType::FLOAT;
        case OperandType::INT32:
        case OperandType::TENSOR_INT32:
            return element == ElementType::INT32;
        case OperandType::UINT32:
            return element == ElementType::UINT32;
        case OperandType::TENSOR_QUANT16_SYMM:
            return element == ElementType::INT16;
        case OperandType::TENSOR_QUANT16_ASYMM:
        case OperandType::FLOAT16:
        case OperandType::TENSOR_FLOAT16:
            return element == ElementType::UINT16;
        case OperandType::TENSOR_QUANT8_SYMM:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return element == ElementType::INT8;
        case OperandType::TENSOR_QUANT8_ASYMM:
        case OperandType::BOOL:
        case OperandType::TENSOR_BOOL8:
            return element == ElementType::UINT8;
        case OperandType::SUBGRAPH:
        case OperandType::OEM:
        case OperandType::TENSOR_OEM_BYTE:
            break;
    }
    return false;
}

}  // namespace nnburst
