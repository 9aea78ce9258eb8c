// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Shapes that operations of org.nnburst.tflite which scatter values refuse.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tflite_operations/operation.h"

namespace nnburst::tflite_operations {
namespace {

TEST(SparseToDense, refusesAnOutputWithoutAxes) {
    const auto definitions = scatterOperations();
    const auto definition = std::find_if(definitions.begin(), definitions.end(),
                                         [](const OperationDefinition& candidate) {
                                             return candidate.code == Code::SPARSE_TO_DENSE;
                                         });
    ASSERT_NE(definition, definitions.end());
    std::byte nothing{};  // where a constant without elements lies
    constexpr std::array<std::uint32_t, 2> kIndices{1, 0};
    constexpr std::array<std::uint32_t, 1> kShape{0};
    constexpr std::array<std::uint32_t, 1> kValues{2};
    constexpr std::array<std::uint32_t, 1> kElsewhere{1};
    const std::array<ExtensionOperand, 4> inputs{{
        {.type = OperandType::TENSOR_INT32, .dimensions = kIndices, .data = &nothing},
        {.type = OperandType::TENSOR_INT32, .dimensions = kShape, .data = &nothing},
        {.type = OperandType::TENSOR_FLOAT32, .dimensions = kValues},
        {.type = OperandType::TENSOR_FLOAT32, .dimensions = kElsewhere},
    }};
    EXPECT_FALSE(definition->outputDimensions(inputs, 0));
}

}  // namespace
}  // namespace nnburst::tflite_operations
