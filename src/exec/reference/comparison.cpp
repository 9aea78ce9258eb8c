// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL; LOGICAL_AND, LOGICAL_OR.
//
//     inputs  two tensors of one type, broadcast; 8-bit elements are compared as the real numbers
//             that they stand for
//     output  TENSOR_BOOL8 of the broadcast shape

#include <functional>

#include "exec/operation/operation_check.h"
#include "exec/reference/broadcast.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/quantized_table.h"

namespace nnburst::exec {

namespace {

bool isLogical(OperationType type) noexcept {
    return type == OperationType::LOGICAL_AND || type == OperationType::LOGICAL_OR;
}

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    OperandCheck input = check.input(0, "input0");
    if (isLogical(operation.type)) {
        input.type({TENSOR_BOOL8});
    } else {
        input.type({TENSOR_BOOL8, TENSOR_FLOAT16, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM,
                    TENSOR_QUANT8_ASYMM_SIGNED});
    }
    input.rank(1, kMaximumRank);
    check.input(1, "input1").sameTypeAs(input).rank(1, kMaximumRank);
    check.output(0, "output").type({TENSOR_BOOL8});
    NNBURST_TRY(check.result());
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(broadcastShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(outputs[0], broadcastShape(operation));
    return {};
}

/// Compares value(element, input) of two elements `T`.
template <class T, class Value>
void compare(const OperationView& operation, Value&& value) {
    const auto with = [&](auto&& relation) {
        forEachPair<T, std::uint8_t>(operation, [&](T a, T b) {
            return static_cast<std::uint8_t>(relation(value(a, 0), value(b, 1)) ? 1 : 0);
        });
    };
    switch (operation.type) {
        case OperationType::EQUAL:
            return with(std::equal_to<>());
        case OperationType::NOT_EQUAL:
            return with(std::not_equal_to<>());
        case OperationType::LESS:
            return with(std::less<>());
        case OperationType::LESS_EQUAL:
            return with(std::less_equal<>());
        case OperationType::GREATER:
            return with(std::greater<>());
        case OperationType::GREATER_EQUAL:
            return with(std::greater_equal<>());
        case OperationType::LOGICAL_AND:
            return with(std::logical_and<>());
        default:
            return with(std::logical_or<>());
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, broadcastShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    const OperandType type = operation.inputs[0].type;
    if (type == OperandType::TENSOR_BOOL8) {
        compare<std::uint8_t>(operation,
                              [](std::uint8_t element, int /*input*/) { return element != 0; });
    } else if (type == OperandType::TENSOR_INT32) {
        compare<std::int32_t>(operation,
                              [](std::int32_t element, int /*input*/) { return element; });
    }
    dispatchFloat(type, [&]<class T>() {
        compare<T>(operation, [](T element, int /*input*/) { return static_cast<float>(element); });
    });
    dispatchQuantized8(type, [&]<class T>() {
        compare<T>(operation, [&](T element, int input) {
            return dequantize(element, operation.inputs[static_cast<std::size_t>(input)]);
        });
    });
    return {};
}

consteval OperationDefinition define(OperationType type) {
    return {.type = type,
            .since = HalVersion::V1_2,
            .check = check,
            .inferShapes = inferShapes,
            .scratchBytes = nullptr,
            .run = run};
}

}  // namespace

constinit const OperationDefinition kEqual = define(OperationType::EQUAL);
constinit const OperationDefinition kNotEqual = define(OperationType::NOT_EQUAL);
constinit const OperationDefinition kLess = define(OperationType::LESS);
constinit const OperationDefinition kLessEqual = define(OperationType::LESS_EQUAL);
constinit const OperationDefinition kGreater = define(OperationType::GREATER);
constinit const OperationDefinition kGreaterEqual = define(OperationType::GREATER_EQUAL);
constinit const OperationDefinition kLogicalAnd = define(OperationType::LOGICAL_AND);
constinit const OperationDefinition kLogicalOr = define(OperationType::LOGICAL_OR);

}  // namespace nnburst::exec
