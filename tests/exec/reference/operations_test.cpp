// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include "exec/operation/operation.h"
#include "exec/reference/operations.h"

namespace nnburst::exec {
namespace {

TEST(FindOperation, givesEachCodeItsOwnDefinition) {
    int count = 0;
    for (std::int32_t code = 0; code < kOperationTypeCount; ++code) {
        const auto type = static_cast<OperationType>(code);
        if (const OperationDefinition* definition = findOperation(type)) {
            ++count;
            EXPECT_EQ(definition->type, type) << toString(type);
            EXPECT_NE(definition->check, nullptr) << toString(type);
            if (!isControlFlow(type)) {
                EXPECT_NE(definition->inferShapes, nullptr) << toString(type);
                EXPECT_NE(definition->run == nullptr, definition->runShrinking == nullptr)
                    << toString(type);
            }
        }
    }
    EXPECT_GT(count, 0);
}

TEST(FindOperation, givesNothingForCodesOfNoOperation) {
    for (const std::int32_t code : {-1, kOperationTypeCount, 10000, INT32_MIN, INT32_MAX}) {
        EXPECT_EQ(findOperation(static_cast<OperationType>(code)), nullptr) << code;
    }
}

}  // namespace
}  // namespace nnburst::exec
