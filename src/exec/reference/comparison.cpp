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
namespace comparison {

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
    return finishBroadcastCheck(check, operation);
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
        case OperationType::LOGICAL_OR:
            return with(std::logical_or<>());
        default:
            otherFamily(operation.type);
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY(requireBroadcastOutput(operation));
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

constexpr OperationDefinition kFamily{.type = OperationType::EQUAL,
                                      .since = HalVersion::V1_2,
                                      .check = check,
                                      .inferShapes = inferBroadcastShape,
                                      .run = run};

}  // namespace comparison
}  // namespace

constinit const OperationDefinition kEqual = comparison::kFamily;
constinit const OperationDefinition kNotEqual =
    comparison::kFamily.with(OperationType::NOT_EQUAL, HalVersion::V1_2);
constinit const OperationDefinition kLess =
    comparison::kFamily.with(OperationType::LESS, HalVersion::V1_2);
constinit const OperationDefinition kLessEqual =
    comparison::kFamily.with(OperationType::LESS_EQUAL, HalVersion::V1_2);
constinit const OperationDefinition kGreater =
    comparison::kFamily.with(OperationType::GREATER, HalVersion::V1_2);
constinit const OperationDefinition kGreaterEqual =
    comparison::kFamily.with(OperationType::GREATER_EQUAL, HalVersion::V1_2);
constinit const OperationDefinition kLogicalAnd =
    comparison::kFamily.with(OperationType::LOGICAL_AND, HalVersion::V1_2);
constinit const OperationDefinition kLogicalOr =
    comparison::kFamily.with(OperationType::LOGICAL_OR, HalVersion::V1_2);

}  // namespace nnburst::exec
