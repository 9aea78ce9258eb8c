// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// CAST.
//
//     input   any shape
//     output  of the input's shape: the same numbers in another type, without their scale;
//             fractions are dropped, numbers out of range become the nearest one in range
//
// Types other than float32, float16, int32 and unsigned 8 bits can only be cast to themselves.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "memory/interruptible.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace cast {

using enum OperandType;

bool isConvertible(OperandType type) noexcept {
    return type == TENSOR_FLOAT32 || type == TENSOR_FLOAT16 || type == TENSOR_INT32 ||
           type == TENSOR_QUANT8_ASYMM;
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(1).outputCount(1);
    const OperandCheck input =
        check.input(0, "input")
            .type({TENSOR_FLOAT16, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_BOOL8,
                   TENSOR_QUANT16_ASYMM, TENSOR_QUANT16_SYMM, TENSOR_QUANT8_ASYMM_SIGNED,
                   TENSOR_QUANT8_SYMM})
            .rank(1, kMaximumRank);
    OperandCheck output = check.output(0, "output").sameShapeAs(input);
    if (isConvertible(input.view().type)) {
        output.type({TENSOR_FLOAT16, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM});
    } else {
        output.sameTypeAs(input);
        check.since(HalVersion::V1_3, true);
    }
    return check.minimumVersion();
}

/// Calls `function` with the element type of a tensor that is convertible.
template <class Function>
void dispatchConvertible(OperandType type, Function&& function) {
    dispatchFloat(type, function);
    if (type == TENSOR_INT32) {
        function.template operator()<std::int32_t>();
    } else if (type == TENSOR_QUANT8_ASYMM) {
        function.template operator()<std::uint8_t>();
    }
}

template <class To, class From>
To convert(From from) noexcept {
    if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        return static_cast<To>(std::clamp<std::int64_t>(from, std::numeric_limits<To>::min(),
                                                        std::numeric_limits<To>::max()));
    } else if constexpr (std::is_integral_v<To>) {
        // In double, where all bounds are exact. NaN becomes 0.
        const double number = static_cast<float>(from);
        const double lowest = std::numeric_limits<To>::min();
        const double highest = std::numeric_limits<To>::max();
        return std::isnan(number) ? To{0} : static_cast<To>(std::clamp(number, lowest, highest));
    } else {
        return static_cast<To>(static_cast<float>(from));
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    NNBURST_TRY(requireOutputShape(operation, 0, input.shape));
    if (input.type == output.type) {
        (void)copyBytes(output.data, input.data,
                        input.shape.elementCount() * elementBytes(input.type),
                        [&](std::size_t work) { return operation.isOutOfTime(work); });
        return {};
    }
    dispatchConvertible(input.type, [&]<class From>() {
        dispatchConvertible(output.type, [&]<class To>() {
            transformElements<From, To>(operation, convert<To, From>);
        });
    });
    return {};
}

}  // namespace cast
}  // namespace

constinit const OperationDefinition kCast{
    .type = OperationType::CAST,
    .since = HalVersion::V1_2,
    .check = cast::check,
    .inferShapes = inferShapeOfInput,
    .run = cast::run,
};

}  // namespace nnburst::exec
