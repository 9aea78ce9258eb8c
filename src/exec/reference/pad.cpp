// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// PAD and PAD_V2.
//
//     input     of rank up to 4
//     paddings  INT32 [rank, 2]: elements to add before and after those of each axis
//     value     PAD_V2 only: a scalar of the input's type, or in 8 bits an INT32 that is the
//               quantised value; without it, 0
//     output    the input, surrounded by padding

#include <array>
#include <bit>
#include <cstring>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/operations.h"
#include "exec/reference/strided_copy.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace pad {

constexpr std::size_t kHighestRank = 4;
constexpr std::size_t kPaddings = 1;
constexpr std::size_t kValue = 2;

using enum OperandType;

struct Padding {
    std::array<std::uint32_t, kHighestRank> before{};
    Shape outputShape;
};

void checkShapes(OperationCheck& check) {
    const OperandCheck input = check.input(0, "input").rank(1, kHighestRank);
    OperandCheck paddings = check.input(kPaddings, "paddings").rank(2);
    if (input.view().shape.rank() != 0) {
        paddings.size(0, static_cast<std::uint32_t>(input.view().shape.rank()),
                      "the rank of the input");
    }
    paddings.size(1, 2, "before and after");
}

Result<Padding> resolve(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const auto paddings, readValues(operation, kPaddings, "paddings"));
    const Shape& input = operation.inputs[0].shape;
    Padding padding;
    std::array<std::uint64_t, kHighestRank> sizes{};
    for (std::size_t axis = 0; axis < input.rank(); ++axis) {
        const std::int32_t before = paddings[2 * axis];
        const std::int32_t after = paddings[2 * axis + 1];
        if (before < 0 || after < 0) {
            return invalid("{} input 1 (paddings): {} and {} for axis {}; must be at least 0",
                           toString(operation.type), before, after, axis);
        }
        padding.before[axis] = static_cast<std::uint32_t>(before);
        sizes[axis] = std::uint64_t{input[axis]} + static_cast<std::uint32_t>(before) +
                      static_cast<std::uint32_t>(after);
    }
    NNBURST_TRY_ASSIGN(padding.outputShape,
                       makeOutputShape(operation, 0, std::span(sizes.data(), input.rank())));
    return padding;
}

/// The element to pad with. Its value is known.
Result<std::array<std::byte, 4>> readValue(const OperationView& operation) {
    const OperandView& input = operation.inputs[0];
    if (operation.type == OperationType::PAD) {
        return zeroElement(input);
    }
    std::array<std::byte, 4> element{};
    const OperandView& value = operation.inputs[kValue];
    std::memcpy(element.data(), value.data, elementBytes(value.type));
    if (isQuantized8Tensor(input.type)) {
        const auto quantized = std::bit_cast<std::int32_t>(element);
        const QuantizedRange limits = quantizedLimits(input.type);
        if (quantized < limits.minimum || quantized > limits.maximum) {
            return invalid("PAD_V2 input 2 (value): {}; must be {} to {}", quantized,
                           limits.minimum, limits.maximum);
        }
        element[0] = static_cast<std::byte>(quantized);
    }
    return element;
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(operation.type == OperationType::PAD ? kValue : kValue + 1).outputCount(1);
    const OperandCheck input = check.input(0, "input")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                          TENSOR_QUANT8_ASYMM_SIGNED});
    check.input(kPaddings, "paddings").type({TENSOR_INT32});
    checkShapes(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(1, kHighestRank);
    const bool hasValue =
        operation.type == OperationType::PAD ||
        check.input(kValue, "value").type({fillScalarType(input.view().type)}).view().data !=
            nullptr;
    NNBURST_TRY(check.result());
    if (hasValue) {
        NNBURST_TRY(readValue(operation));
    }
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolve(operation));
    }
    // Before HAL 1.2, 8-bit padding had the quantised value 0.
    check.since(HalVersion::V1_2, input.view().zeroPoint != 0);
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Padding padding, resolve(operation));
    outputs[0] = padding.outputShape;
    return {};
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Padding padding, resolve(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, padding.outputShape));
    NNBURST_TRY_ASSIGN(const auto value, readValue(operation));
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    const std::size_t bytes = elementBytes(input.type);
    fillElements(operation, output.data, output.shape.elementCount(), value.data(), bytes);
    if (input.shape.elementCount() == 0) {
        return {};
    }
    const Strides inputStrides = denseStrides(input.shape);
    const Strides outputStrides = denseStrides(output.shape);
    std::size_t offset = 0;
    StridedCopy copy;
    for (std::size_t axis = 0; axis < input.shape.rank(); ++axis) {
        offset += padding.before[axis] * static_cast<std::size_t>(outputStrides[axis]);
        copy.axis(input.shape[axis], inputStrides[axis], outputStrides[axis]);
    }
    copy.run(operation, input.data, output.data + offset * bytes, bytes);
    return {};
}

}  // namespace pad
}  // namespace

constinit const OperationDefinition kPad{
    .type = OperationType::PAD,
    .since = HalVersion::V1_1,
    .valueInputs = inputs(pad::kPaddings),
    .check = pad::check,
    .inferShapes = pad::inferShapes,
    .run = pad::run,
};

constinit const OperationDefinition kPadV2{
    .type = OperationType::PAD_V2,
    .since = HalVersion::V1_2,
    .valueInputs = inputs(pad::kPaddings),
    .check = pad::check,
    .inferShapes = pad::inferShapes,
    .run = pad::run,
};

}  // namespace nnburst::exec
