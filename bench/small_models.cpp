// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "small_models.h"

#include <span>
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

}  // namespace nnburst::bench
