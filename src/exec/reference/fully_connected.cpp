// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// FULLY_CONNECTED.
//
//     input    any shape of rank 2 to 4, taken as [batches, inputSize]
//     weights  [units, inputSize]
//     bias     [units]
//     output   [batches, units]
//
//     output[b, u] = activation(sum over i of input[b, i] * weights[u, i] + bias[u])

#include <fmt/format.h>

#include "exec/reference/definitions.h"
#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

namespace {
namespace fully_connected {

constexpr std::size_t kActivation = 3;

void checkShapes(OperationCheck& check) {
    OperandCheck input = check.input(0, "input").rank(2, 4);
    const OperandCheck weights = check.input(1, "weights").rank(2).notEmpty(0).notEmpty(1);
    check.input(2, "bias").rank(1).size(0, weights[0], "the number of units");
    const Shape& shape = input.view().shape;
    const bool isKnown = !check.isPartial() || (shape.rank() != 0 && shape.isFullySpecified());
    if (isKnown && weights[1] != 0) {
        const std::size_t elements = shape.elementCount();
        input.require(elements % weights[1] == 0, [&] {
            return fmt::format(
                "{} elements; must be a multiple of {}, the input size of the weights", elements,
                weights[1]);
        });
    }
}

Result<Shape> computeOutputShape(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    const Shape& weights = operation.inputs[1].shape;
    // The quotient fits: a tensor has fewer than 2^32 elements.
    const std::size_t batches = operation.inputs[0].shape.elementCount() / weights[1];
    return Shape{static_cast<std::uint32_t>(batches), weights[0]};
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(4).outputCount(1);
    checkSumTypes(check, "weights", std::nullopt);
    checkShapes(check);
    check.output(0, "output").rank(2);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readActivation(operation, kActivation));
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(computeOutputShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    outputs[0] = shape;
    return {};
}

template <class Sums>
void connect(const OperationView& operation, const Sums& sums) {
    using Element = typename Sums::Element;
    using Sum = typename Sums::Sum;
    const auto* input = operation.inputs[0].as<const Element>();
    const auto* weights = operation.inputs[1].as<const typename Sums::Weight>();
    const auto* bias = operation.inputs[2].as<const typename Sums::Bias>();
    auto* output = operation.outputs[0].as<Element>();
    const std::size_t batches = operation.outputs[0].shape[0];
    const std::size_t units = operation.outputs[0].shape[1];
    const std::size_t inputSize = operation.inputs[1].shape[1];
    // The outer loop is over units, so that each row of the weights is read from memory once.
    for (std::size_t u = 0; u < units; ++u) {
        const auto finish = sums.finisher(u);
        const auto* unitWeights = weights + u * inputSize;
        for (std::size_t b = 0; b < batches; ++b) {
            const Element* row = input + b * inputSize;
            const Sum sum = sumOfTerms<Sum>(
                inputSize, [&](std::size_t i) { return sums.product(row[i], unitWeights[i]); });
            output[b * units + u] = finish(static_cast<Sum>(bias[u]) + sum);
            if (operation.isOutOfTime(inputSize)) {
                return;
            }
        }
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation,
                       readActivation(operation, kActivation));
    if (shape.elementCount() == 0) {
        return {};
    }
    dispatchSums(operation, activation, [&](const auto& sums) { connect(operation, sums); });
    return {};
}

}  // namespace fully_connected
}  // namespace

constinit const OperationDefinition kFullyConnected{
    .type = OperationType::FULLY_CONNECTED,
    .since = HalVersion::V1_0,
    .check = fully_connected::check,
    .inferShapes = fully_connected::inferShapes,
    .run = fully_connected::run,
};

}  // namespace nnburst::exec
