// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// SELECT.
//
//     condition         TENSOR_BOOL8
//     input 1, input 2  of the condition's shape
//     output            of the condition's shape: input 1 where it is true, else input 2

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/quantized_table.h"

namespace nnburst::exec {

namespace {
namespace select {

void checkShapes(OperationCheck& check) {
    const OperandCheck condition = check.input(0, "condition").rank(1, kMaximumRank);
    check.input(1, "input1").sameShapeAs(condition);
    check.input(2, "input2").sameShapeAs(condition);
}

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(1);
    check.input(0, "condition").type({TENSOR_BOOL8});
    const OperandCheck input = check.input(1, "input1")
                                   .type({TENSOR_FLOAT16, TENSOR_FLOAT32, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    check.input(2, "input2").sameTypeAs(input);
    check.output(0, "output").sameTypeAs(input);
    checkShapes(check);
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    outputs[0] = operation.inputs[0].shape;
    return {};
}

/// output = value(element, input) of the chosen input.
template <class T, class Value>
void select(const OperationView& operation, Value&& value) {
    const auto* condition = operation.inputs[0].as<const std::uint8_t>();
    const T* first = operation.inputs[1].as<const T>();
    const T* second = operation.inputs[2].as<const T>();
    T* output = operation.outputs[0].as<T>();
    const std::size_t count = operation.outputs[0].shape.elementCount();
    forEachPart(operation, count, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            output[i] = condition[i] != 0 ? value(first[i], 1) : value(second[i], 2);
        }
    });
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    std::array<Shape, 1> shape;
    NNBURST_TRY(inferShapes(operation, shape));
    NNBURST_TRY(requireOutputShape(operation, 0, shape[0]));
    const OperandView& output = operation.outputs[0];
    if (output.type == OperandType::TENSOR_INT32) {
        select<std::int32_t>(operation,
                             [](std::int32_t element, int /*input*/) { return element; });
    }
    dispatchFloat(output.type, [&]<class T>() {
        select<T>(operation, [](T element, int /*input*/) { return element; });
    });
    dispatchQuantized8(output.type, [&]<class T>() {
        const auto same = [](float real) { return real; };
        const QuantizedTable<T> first(operation.inputs[1], output, same);
        const QuantizedTable<T> second(operation.inputs[2], output, same);
        select<T>(operation, [&](T element, int input) {
            return input == 1 ? first(element) : second(element);
        });
    });
    return {};
}

}  // namespace select
}  // namespace

constinit const OperationDefinition kSelect{
    .type = OperationType::SELECT,
    .since = HalVersion::V1_2,
    .check = select::check,
    .inferShapes = select::inferShapes,
    .run = select::run,
};

}  // namespace nnburst::exec
