// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "exec/operation.h"
#include "nnburst_operations/table.h"

namespace nnburst::operations {
namespace {

using enum OperandType;

TEST(OperationsTable, findsTheTypesThatAnOperationTakes) {
    const auto expectTypes = [](OperationType type, std::size_t input,
                                std::vector<OperandType> expected) {
        AcceptedTypes accepted = acceptedTypes(type);
        EXPECT_EQ(accepted.input, input) << toString(type);
        std::sort(accepted.types.begin(), accepted.types.end());
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(accepted.types, expected) << toString(type);
    };
    expectTypes(OperationType::FLOOR, 0, {TENSOR_FLOAT32, TENSOR_FLOAT16});
    expectTypes(OperationType::ADD, 0,
                {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM,
                 TENSOR_QUANT8_ASYMM_SIGNED});
    expectTypes(OperationType::DETECTION_POSTPROCESSING, 0, {TENSOR_FLOAT32, TENSOR_FLOAT16});
    expectTypes(OperationType::RESIZE_BILINEAR, 0,
                {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    expectTypes(OperationType::LOGICAL_AND, 0, {TENSOR_BOOL8});
    expectTypes(OperationType::HASHTABLE_LOOKUP, 2,
                {TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM});
}

TEST(OperationsTable, findsTypesOfEveryOperation) {
    for (std::int32_t code = 0; code < kOperationTypeCount; ++code) {
        const auto type = static_cast<OperationType>(code);
        if (exec::findOperation(type) != nullptr && !exec::isControlFlow(type)) {
            EXPECT_FALSE(acceptedTypes(type).types.empty()) << toString(type);
        }
    }
}

TEST(OperationsTable, isWhatTheDocumentationSays) {
    std::ifstream file(NNBURST_SOURCE_DIR "/docs/operations.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(text, markdown()) << "run nnburst-operations --markdown > docs/operations.md";
}

}  // namespace
}  // namespace nnburst::operations
