// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include "exec/operation/operation.h"
#include "exec/reference/operations.h"

namespace nnburst::exec {
namespace {

TEST(FindOperation, givesEachCodeItsOwnDefinition) {
    for (const OperationType type : kOperationTypes) {
        const OperationDefinition* definition = findOperation(type);
        ASSERT_NE(definition, nullptr) << toString(type);
        EXPECT_EQ(definition->type, type) << toString(type);
        EXPECT_NE(definition->check, nullptr) << toString(type);
        if (!isControlFlow(type)) {
            EXPECT_NE(definition->inferShapes, nullptr) << toString(type);
            EXPECT_NE(definition->run == nullptr, definition->runShrinking == nullptr)
                << toString(type);
        }
    }
}

TEST(FindOperation, givesNothingForCodesOfNoOperation) {
    for (const std::int32_t code : {-1, kOperationTypeEnd, 10000, INT32_MIN, INT32_MAX}) {
        EXPECT_EQ(findOperation(static_cast<OperationType>(code)), nullptr) << code;
    }
}

}  // namespace
}  // namespace nnburst::exec
