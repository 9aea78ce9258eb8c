// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// MAXIMUM and MINIMUM.
//
//     inputs  two tensors, broadcast
//     output  of the broadcast shape: the larger or smaller of two elements

#include <algorithm>

#include "exec/operation/operation_check.h"
#include "exec/reference/broadcast.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/quantized_table.h"

namespace nnburst::exec {

namespace {

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck input = check.input(0, "input0")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED})
                                   .rank(1, kMaximumRank);
    check.input(1, "input1").sameTypeAs(input).rank(1, kMaximumRank);
    check.output(0, "output").sameTypeAs(input);
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

template <class T, class Value>
void runOn(const OperationView& operation, Value&& value) {
    if (operation.type == OperationType::MAXIMUM) {
        forEachPair<T, T>(operation, [&](T a, T b) {
            return static_cast<T>(std::max(value(a, 0), value(b, 1)));
        });
    } else {
        forEachPair<T, T>(operation, [&](T a, T b) {
            return static_cast<T>(std::min(value(a, 0), value(b, 1)));
        });
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, broadcastShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    const OperandType type = operation.inputs[0].type;
    if (type == OperandType::TENSOR_INT32) {
        runOn<std::int32_t>(operation, [](std::int32_t element, int /*input*/) { return element; });
    }
    dispatchFloat(type, [&]<class T>() {
        runOn<T>(operation, [](T element, int /*input*/) { return static_cast<float>(element); });
    });
    dispatchQuantized8(type, [&]<class T>() {
        const auto same = [](float real) { return real; };
        const QuantizedTable<T> tables[]{{operation.inputs[0], operation.outputs[0], same},
                                         {operation.inputs[1], operation.outputs[0], same}};
        runOn<T>(operation, [&](T element, int input) { return tables[input](element); });
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

constinit const OperationDefinition kMaximum = define(OperationType::MAXIMUM);
constinit const OperationDefinition kMinimum = define(OperationType::MINIMUM);

}  // namespace nnburst::exec
