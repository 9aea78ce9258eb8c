// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "small_models.h"

#include <span>
#include <utility>
#include <vector>

#include "fail.h"
#include "nnburst/model_builder.h"

namespace nnburst::bench {

Model makeSmallestModel(std::uint32_t inputs) {
    ModelBuilder builder;
    const std::int32_t shape = 1;
    std::vector<std::uint32_t> inputIndexes(inputs);
    for (std::uint32_t& input : inputIndexes) {
        input = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    }
    const std::uint32_t newShape =
        builder.addConstant(OperandType::TENSOR_INT32, {1}, std::as_bytes(std::span(&shape, 1)));
    const std::uint32_t output = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::RESHAPE, {inputIndexes.front(), newShape}, {output});
    return valueOf(builder.build(inputIndexes, {output}));
}

Model makeAddition() {
    ModelBuilder builder;
    const std::uint32_t a = builder.addTensor(OperandType::TENSOR_FLOAT32, {kAddedFloats});
    const std::uint32_t b = builder.addTensor(OperandType::TENSOR_FLOAT32, {kAddedFloats});
    const std::uint32_t activation =
        builder.addScalar(static_cast<std::int32_t>(FusedActivationFunc::NONE));
    const std::uint32_t sum = builder.addTensor(OperandType::TENSOR_FLOAT32, {kAddedFloats});
    builder.addOperation(OperationType::ADD, {a, b, activation}, {sum});
    return valueOf(builder.build({a, b}, {sum}));
}

Model makeEndlessLoop(float limit) {
    ModelBuilder builder;
    ModelBuilder condition;
    const std::uint32_t value = condition.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const std::uint32_t bound = condition.addConstant(OperandType::TENSOR_FLOAT32, {1},
                                                      std::as_bytes(std::span(&limit, 1)));
    const std::uint32_t isBelow = condition.addTensor(OperandType::TENSOR_BOOL8, {1});
    condition.addOperation(OperationType::LESS, {value, bound}, {isBelow});

    ModelBuilder body;
    const std::uint32_t from = body.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const std::uint32_t to = body.addTensor(OperandType::TENSOR_FLOAT32, {1});
    body.addOperation(OperationType::RELU, {from}, {to});

    const std::uint32_t conditionIndex =
        builder.addReferenced(std::move(condition), {value}, {isBelow});
    const std::uint32_t bodyIndex = builder.addReferenced(std::move(body), {from}, {to});
    const std::uint32_t input = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    const std::uint32_t output = builder.addTensor(OperandType::TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::WHILE,
                         {builder.addSubgraphReference(conditionIndex),
                          builder.addSubgraphReference(bodyIndex), input},
                         {output});
    return valueOf(builder.build({input}, {output}));
}

}  // namespace nnburst::bench
