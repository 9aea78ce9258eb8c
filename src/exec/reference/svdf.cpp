// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// SVDF: a layer whose filters are products of one over features and one over time (P. Nakkiran et
// al., Compressing deep neural networks using a rank-constrained topology, Interspeech 2015).
//
//     input            [batches, inputSize]
//     feature weights  [filters, inputSize]
//     time weights     [filters, memory]
//     bias             [units], may be left out
//     state            [batches, filters * memory], in and out; may be updated in place
//     rank             INT32; filters = units * rank
//     activation       INT32
//     output           state out, then [batches, units]
//
// The state of a filter is the results of its feature weights in the last `memory` - 1 steps, then
// a 0.

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <span>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/reference/cell_activation.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/weighted_sum.h"

namespace nnburst::exec {

namespace {
namespace svdf {

constexpr std::size_t kFeatureWeights = 1;
constexpr std::size_t kTimeWeights = 2;
constexpr std::size_t kBias = 3;
constexpr std::size_t kState = 4;
constexpr std::size_t kRank = 5;
constexpr std::size_t kActivation = 6;

void checkRanks(OperationCheck& check) {
    check.input(0, "input").rank(2);
    check.input(kFeatureWeights, "feature weights").rank(2);
    check.input(kTimeWeights, "time weights").rank(2);
    check.optionalInput(kBias, "bias").rank(1);
    check.input(kState, "state in").rank(2);
}

void checkShapes(OperationCheck& check, std::uint32_t rank) {
    checkRanks(check);
    const OperandCheck input = check.input(0, "input");
    OperandCheck features = check.input(kFeatureWeights, "feature weights").notEmpty(0);
    features.size(1, input[1], "the size of the input").require(features[0] % rank == 0, [&] {
        return fmt::format("{} filters; must be a multiple of the rank {}", features[0], rank);
    });
    const OperandCheck time = check.input(kTimeWeights, "time weights").notEmpty(1);
    check.input(kTimeWeights, "time weights").size(0, features[0], "the number of filters");
    check.optionalInput(kBias, "bias").size(0, features[0] / rank, "the number of units");
    OperandCheck state = check.input(kState, "state in");
    const std::uint64_t stateSize = std::uint64_t{features[0]} * time[1];
    state.size(0, input[0], "the batch size of the input")
        .require(stateSize == 0 || state[1] == 0 || state[1] == stateSize, [&] {
            return fmt::format("size {} of axis 1; must be {}, filters times memory", state[1],
                               stateSize);
        });
}

struct Shapes {
    Shape state;
    Shape output;
};

Result<Shapes> computeOutputShapes(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t rank, readConstantInt32(operation, kRank, "rank", 1));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check, static_cast<std::uint32_t>(rank));
    const Shape& state = operation.inputs[kState].shape;
    const Shape& features = operation.inputs[kFeatureWeights].shape;
    check.require(state[1] != 0, [] { return "state of size 0; must have at least 1 element"; });
    NNBURST_TRY(check.result());
    return Shapes{state, Shape{state[0], features[0] / static_cast<std::uint32_t>(rank)}};
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(7).outputCount(2);
    const OperandCheck input =
        check.input(0, "input").type({OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16});
    check.input(kFeatureWeights, "feature weights").sameTypeAs(input);
    check.input(kTimeWeights, "time weights").sameTypeAs(input);
    check.optionalInput(kBias, "bias").sameTypeAs(input);
    check.input(kState, "state in").sameTypeAs(input);
    checkRanks(check);
    check.input(kActivation, "activation").type({OperandType::INT32});
    check.output(0, "state out").sameTypeAs(input).rank(2);
    check.output(1, "output").sameTypeAs(input).rank(2);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const std::int32_t rank, readConstantInt32(operation, kRank, "rank", 1));
    NNBURST_TRY(readCellActivation(operation, kActivation));
    checkShapes(check, static_cast<std::uint32_t>(rank));
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shapes shapes, computeOutputShapes(operation));
    outputs[0] = shapes.state;
    outputs[1] = shapes.output;
    return {};
}

template <class T>
void step(const OperationView& operation, std::size_t rank, CellActivation activation) {
    const T* const input = operation.inputs[0].as<const T>();
    const T* const featureWeights = operation.inputs[kFeatureWeights].as<const T>();
    const T* const timeWeights = operation.inputs[kTimeWeights].as<const T>();
    const T* const bias = operation.has(kBias) ? operation.inputs[kBias].as<const T>() : nullptr;
    const T* const stateIn = operation.inputs[kState].as<const T>();
    T* const stateOut = operation.outputs[0].as<T>();
    T* const output = operation.outputs[1].as<T>();
    const std::size_t batches = operation.inputs[0].shape[0];
    const std::size_t inputSize = operation.inputs[0].shape[1];
    const std::size_t filters = operation.inputs[kFeatureWeights].shape[0];
    const std::size_t memory = operation.inputs[kTimeWeights].shape[1];
    const std::size_t units = filters / rank;
    for (std::size_t b = 0; b < batches; ++b) {
        for (std::size_t u = 0; u < units; ++u) {
            float sum = bias == nullptr ? 0.0F : static_cast<float>(bias[u]);
            for (std::size_t f = u * rank; f < (u + 1) * rank; ++f) {
                const T* const before = stateIn + (b * filters + f) * memory;
                T* const after = stateOut + (b * filters + f) * memory;
                const T* const weights = timeWeights + f * memory;
                const float feature =
                    dotProduct(featureWeights + f * inputSize, input + b * inputSize, inputSize);
                sum += dotProduct(weights, before, memory - 1) +
                       static_cast<float>(weights[memory - 1]) * feature;
                // The last element of the state is free for the next step.
                std::memmove(after, before + 1, (memory - 1) * sizeof(T));
                if (memory > 1) {
                    after[memory - 2] = static_cast<T>(feature);
                }
                after[memory - 1] = static_cast<T>(0.0F);
                if (operation.isOutOfTime(inputSize + memory)) {
                    return;
                }
            }
            activate(operation, activation, std::span(&sum, 1));
            output[b * units + u] = static_cast<T>(sum);
        }
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shapes shapes, computeOutputShapes(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shapes.state));
    NNBURST_TRY(requireOutputShape(operation, 1, shapes.output));
    NNBURST_TRY_ASSIGN(const std::int32_t rank, readConstantInt32(operation, kRank, "rank", 1));
    NNBURST_TRY_ASSIGN(const CellActivation activation, readCellActivation(operation, kActivation));
    dispatchFloat(operation.inputs[0].type, [&]<class T>() {
        step<T>(operation, static_cast<std::size_t>(rank), activation);
    });
    return {};
}

}  // namespace svdf
}  // namespace

constinit const OperationDefinition kSvdf{
    .type = OperationType::SVDF,
    .since = HalVersion::V1_0,
    .optionalInputs = inputs(svdf::kBias),
    .check = svdf::check,
    .inferShapes = svdf::inferShapes,
    .run = svdf::run,
};

}  // namespace nnburst::exec
