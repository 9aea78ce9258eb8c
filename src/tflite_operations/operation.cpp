// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite_operations/operation.h"

#include <algorithm>
#include <limits>

#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

Result<> checkCounts(Operands inputs, Operands outputs, std::size_t inputCount,
                     std::size_t outputCount) {
    if (inputs.size() != inputCount || outputs.size() != outputCount) {
        return invalid("{} inputs and {} outputs; must have {} and {}", inputs.size(),
                       outputs.size(), inputCount, outputCount);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].isOmitted) {
            return invalid("input {} is left out; must be given", i);
        }
    }
    return {};
}

Result<> checkType(const ExtensionOperand& operand, const char* what,
                   std::initializer_list<OperandType> types) {
    if (operand.isExtensionType ||
        std::find(types.begin(), types.end(), operand.type) == types.end()) {
        return invalid("{} of type {}; must be {}{}", what,
                       operand.isExtensionType ? "of an extension" : toString(operand.type),
                       toString(*types.begin()),
                       types.size() > 1 ? " or another of its types" : "");
    }
    return {};
}

Result<> checkTensor(const ExtensionOperand& operand, const char* what) {
    if (operand.isExtensionType || !isTensor(operand.type) ||
        operand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        return invalid("{}; must be a tensor of the HAL that is not quantised per channel", what);
    }
    return {};
}

Result<> checkSameType(const ExtensionOperand& a, const ExtensionOperand& b) {
    if (a.isExtensionType != b.isExtensionType || a.type != b.type || a.scale != b.scale ||
        a.zeroPoint != b.zeroPoint) {
        return invalid("operands of type {} and {}; must have the same type and scale",
                       toString(a.type), toString(b.type));
    }
    return {};
}

std::size_t countOf(Sizes sizes) noexcept {
    std::size_t count = 1;
    for (const std::uint32_t size : sizes) {
        count *= size;
    }
    return count;
}

Result<Dimensions> sameAsFirst(Operands inputs, std::size_t /*output*/) {
    return dimensionsOf(inputs[0]);
}

Result<> checkActivation(const ExtensionOperand& activation) {
    const auto code = scalarOf<std::int32_t>(activation);
    if (code < static_cast<std::int32_t>(FusedActivationFunc::NONE) ||
        code > static_cast<std::int32_t>(FusedActivationFunc::RELU6)) {
        return invalid("activation {}; must be 0 (NONE), 1 (RELU), 2 (RELU1) or 3 (RELU6)", code);
    }
    return {};
}

FloatRange floatRangeOf(const ExtensionOperand& activation) noexcept {
    constexpr float kLowest = -std::numeric_limits<float>::infinity();
    constexpr float kHighest = std::numeric_limits<float>::infinity();
    switch (static_cast<FusedActivationFunc>(scalarOf<std::int32_t>(activation))) {
        case FusedActivationFunc::RELU:
            return {.lowest = 0.0F, .highest = kHighest};
        case FusedActivationFunc::RELU1:
            return {.lowest = -1.0F, .highest = 1.0F};
        case FusedActivationFunc::RELU6:
            return {.lowest = 0.0F, .highest = 6.0F};
        case FusedActivationFunc::NONE:
            break;
    }
    return {.lowest = kLowest, .highest = kHighest};
}

Result<std::size_t> axisOf(std::int32_t axis, std::size_t rank) {
    const std::int64_t fromFront =
        axis < 0 ? axis + static_cast<std::int64_t>(rank) : std::int64_t{axis};
    if (fromFront < 0 || fromFront >= static_cast<std::int64_t>(rank)) {
        return invalid("axis {}; must be one of {} dimensions", axis, rank);
    }
    return static_cast<std::size_t>(fromFront);
}

Result<std::span<const std::int32_t>> constantIntegers(const ExtensionOperand& operand,
                                                       const char* what) {
    if (operand.data == nullptr) {
        return invalid("{}; must be constant", what);
    }
    return std::span(reinterpret_cast<const std::int32_t*>(operand.data), countOf(operand));
}

Result<Dimensions> constantShape(const ExtensionOperand& operand) {
    NNBURST_TRY_ASSIGN(const auto sizes, constantIntegers(operand, "shape of the output"));
    Dimensions result;
    for (const std::int32_t size : sizes) {
        if (size < 1 || result.size() == 8) {
            return invalid("output with size {} at axis {}; must be at least 1, of at most 8 axes",
                           size, result.size());
        }
        result.push_back(static_cast<std::uint32_t>(size));
    }
    return result;
}

Result<Dimensions> broadcastShape(Operands inputs, std::size_t /*output*/) {
    const Sizes a = inputs[0].dimensions;
    const Sizes b = inputs[1].dimensions;
    Dimensions result(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {  // from the last axis to the first
        const std::uint32_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::uint32_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) {
            return invalid("shapes {} and {}; must be the same but for sizes of 1",
                           dimensionsText(a), dimensionsText(b));
        }
        result[result.size() - 1 - i] = x == 1 ? y : x;
    }
    return result;
}

}  // namespace nnburst::tflite_operations
