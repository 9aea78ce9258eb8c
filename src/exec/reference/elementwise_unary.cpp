// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// ABS, EXP, FLOOR, LOG, LOGICAL_NOT, NEG, RSQRT, SIN, SQRT.
//
//     input   any shape
//     output  of the input's shape: the function of each element

#include <algorithm>
#include <cmath>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"

namespace nnburst::exec {

namespace {
namespace elementwise_unary {

using enum OperandType;

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(1).outputCount(1);
    OperandCheck input = check.input(0, "input");
    switch (operation.type) {
        case OperationType::LOGICAL_NOT:
            input.type({TENSOR_BOOL8}).rank(1, kMaximumRank);
            break;
        case OperationType::ABS:
        case OperationType::NEG:
            input.type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32}).rank(1, kMaximumRank);
            check.since(HalVersion::V1_3,
                        operation.type == OperationType::ABS && input.view().type == TENSOR_INT32);
            break;
        case OperationType::FLOOR:
            input.type({TENSOR_FLOAT32, TENSOR_FLOAT16}).rank(1, 4);
            break;
        case OperationType::EXP:
        case OperationType::LOG:
        case OperationType::RSQRT:
        case OperationType::SIN:
        case OperationType::SQRT:
            input.type({TENSOR_FLOAT32, TENSOR_FLOAT16}).rank(1, kMaximumRank);
            break;
        default:
            otherFamily(operation.type);
    }
    check.output(0, "output").sameTypeAs(input).sameShapeAs(input);
    return check.minimumVersion();
}

template <class T, class Function>
void forEach(const OperationView& operation, Function&& function) {
    transformElements<T, T>(operation, function);
}

template <class T>
void runFloat(const OperationView& operation) {
    const auto run = [&](auto&& function) {
        forEach<T>(operation, [&](T element) {
            return static_cast<T>(function(static_cast<float>(element)));
        });
    };
    switch (operation.type) {
        case OperationType::ABS:
            return run([](float x) { return std::fabs(x); });
        case OperationType::EXP:
            return run([](float x) { return std::exp(x); });
        case OperationType::FLOOR:
            return run([](float x) { return std::floor(x); });
        case OperationType::LOG:
            return run([](float x) { return std::log(x); });
        case OperationType::NEG:
            return run([](float x) { return -x; });
        case OperationType::RSQRT:
            return run([](float x) { return 1.0F / std::sqrt(x); });
        case OperationType::SIN:
            return run([](float x) { return std::sin(x); });
        case OperationType::SQRT:
            return run([](float x) { return std::sqrt(x); });
        default:
            otherFamily(operation.type);
    }
}

/// ABS and NEG. The smallest number stays as it is: 32 bits cannot hold its negative.
void runInt32(const OperationView& operation) {
    const bool isAbs = operation.type == OperationType::ABS;
    forEach<std::int32_t>(operation, [&](std::int32_t element) {
        return isAbs && element >= 0
                   ? element
                   : static_cast<std::int32_t>(0U - static_cast<std::uint32_t>(element));
    });
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY(requireOutputShape(operation, 0, operation.inputs[0].shape));
    const OperandType type = operation.inputs[0].type;
    if (type == TENSOR_BOOL8) {
        forEach<std::uint8_t>(operation, [](std::uint8_t element) {
            return static_cast<std::uint8_t>(element == 0 ? 1 : 0);
        });
    } else if (type == TENSOR_INT32) {
        runInt32(operation);
    }
    dispatchFloat(type, [&]<class T>() { runFloat<T>(operation); });
    return {};
}

constexpr OperationDefinition kFamily{.type = OperationType::ABS,
                                      .since = HalVersion::V1_2,
                                      .check = check,
                                      .inferShapes = inferShapeOfInput,
                                      .run = run};

}  // namespace elementwise_unary
}  // namespace

constinit const OperationDefinition kAbs = elementwise_unary::kFamily;
constinit const OperationDefinition kExp =
    elementwise_unary::kFamily.with(OperationType::EXP, HalVersion::V1_2);
constinit const OperationDefinition kFloor =
    elementwise_unary::kFamily.with(OperationType::FLOOR, HalVersion::V1_0);
constinit const OperationDefinition kLog =
    elementwise_unary::kFamily.with(OperationType::LOG, HalVersion::V1_2);
constinit const OperationDefinition kLogicalNot =
    elementwise_unary::kFamily.with(OperationType::LOGICAL_NOT, HalVersion::V1_2);
constinit const OperationDefinition kNeg =
    elementwise_unary::kFamily.with(OperationType::NEG, HalVersion::V1_2);
constinit const OperationDefinition kRsqrt =
    elementwise_unary::kFamily.with(OperationType::RSQRT, HalVersion::V1_2);
constinit const OperationDefinition kSin =
    elementwise_unary::kFamily.with(OperationType::SIN, HalVersion::V1_2);
constinit const OperationDefinition kSqrt =
    elementwise_unary::kFamily.with(OperationType::SQRT, HalVersion::V1_2);

}  // namespace nnburst::exec
