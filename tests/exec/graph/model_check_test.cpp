// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The first HAL version that knows a model is the one that its example says.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "exec/graph/model_check.h"
#include "support/shared_data.h"
#include "vectors/vector_file.h"

namespace nnburst::exec {
namespace {

/// The axis is an input since HAL 1.2. AOSP's runtime drops a default axis and states the version
/// without it; the model as written needs 1.2.
bool hasAxis(const Model& model) {
    return std::any_of(model.main.operations.begin(), model.main.operations.end(),
                       [](const Operation& operation) {
                           const std::size_t inputs = operation.inputs.size();
                           switch (operation.type) {
                               case OperationType::L2_NORMALIZATION:
                                   return inputs == 2;
                               case OperationType::LOCAL_RESPONSE_NORMALIZATION:
                                   return inputs == 6;
                               case OperationType::SOFTMAX:
                                   return inputs == 3;
                               default:
                                   return false;
                           }
                       });
}

TEST(MinimumVersion, isThatOfTheExamples) {
    NNBURST_SHARED_DATA_OR_SKIP(shared);
    std::size_t count = 0;
    for (const auto& file : vectorFiles(shared / "vectors")) {
        forEachExample(file, std::nullopt, [&](const VectorExample& example) {
            if (example.expectsFailure || !example.isHalVersionStated) {
                return;
            }
            ++count;
            const auto version = minimumVersion(example.model);
            ASSERT_TRUE(version) << example.name << ": " << version.error().message;
            const std::string expected = hasAxis(example.model)
                                             ? std::max(example.halVersionWire, std::string("1.2"))
                                             : example.halVersionWire;
            EXPECT_EQ(toString(*version), expected) << example.name;
        });
    }
    EXPECT_GT(count, 0U);
}

}  // namespace
}  // namespace nnburst::exec
