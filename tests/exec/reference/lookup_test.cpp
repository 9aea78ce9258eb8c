// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

TestOperation gather(const TestOperand& input, std::int32_t axis, const TestOperand& indices) {
    return {OperationType::GATHER, {input, scalar(axis), indices}, {tensor(input.type)}};
}

TestOperation embedding(const std::vector<std::int32_t>& lookups, const TestOperand& values) {
    return {OperationType::EMBEDDING_LOOKUP,
            {int32s({static_cast<std::uint32_t>(lookups.size())}, lookups), values},
            {tensor(values.type)}};
}

TestOperation hashtable(const std::vector<std::int32_t>& lookups,
                        const std::vector<std::int32_t>& keys) {
    return {OperationType::HASHTABLE_LOOKUP,
            {int32s({static_cast<std::uint32_t>(lookups.size())}, lookups),
             int32s({static_cast<std::uint32_t>(keys.size())}, keys),
             counting({static_cast<std::uint32_t>(keys.size()), 2})},
            {tensor(TENSOR_FLOAT32), tensor(TENSOR_QUANT8_ASYMM, {}, 1.0F, 0)}};
}

TEST(Gather, replacesTheAxisByThoseOfTheIndices) {
    TestOperation operation = gather(counting({2, 3, 2}), -2, int32s({1, 2}, {2, 0}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 1, 2, 2}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{4, 5, 0, 1, 10, 11, 6, 7}));
    operation = gather(counting({2, 3}), 1, int32s({4}, {2, 2, 0, 1}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{2, 2, 0, 1, 5, 5, 3, 4}));
}

TEST(Gather, takesTensorsWithoutElements) {
    TestOperation operation = gather(counting({2, 0}), 0, int32s({1}, {7}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1, 0}));
    operation = gather(counting({2, 3}), 0, int32s({0}, {}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 3}));
}

TEST(Gather, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return gather(counting({2, 3}), 1, int32s({2}, {0, 2}));
        },
        {
            {[](auto& o) {
                 o.inputs[2] = int32s({2}, {0, 3});
             },
             "GATHER input 2 (indices): 3 at 1; must be at least 0 and below 3"},
            {[](auto& o) {
                 o.inputs[2] = int32s({2}, {INT32_MIN, 0});
             },
             "GATHER input 2 (indices): -2147483648 at 0; must be at least 0 and below 3"},
            {[](auto& o) {
                 o.inputs[0] = counting({0, 3});
                 o.inputs[1] = scalar(0);
                 o.inputs[2] = int32s({1}, {0});
             },
             "GATHER input 2 (indices): 0 at 0; must be at least 0 and below 0"},
            {[](auto& o) { o.inputs[1] = scalar(2); },
             "GATHER input 1 (axis): value 2; must be -2 to 1"},
            {[](auto& o) {
                 o.inputs[2] = int32s({1, 1, 1, 1, 1, 1, 1, 1}, {0});
             },
             "GATHER output 0: rank 9; must be at most 8"},
            {[](auto& o) { o.inputs[2].dimensions = {1 << 30}; },
             "GATHER output 0: shape 2x1073741824; must take at most 4294967295 bytes"},
        });
}

TEST(EmbeddingLookup, takesRows) {
    TestOperation operation = embedding({2, 0, 2}, counting({3, 1, 2}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{3, 1, 2}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{4, 5, 0, 1, 4, 5}));
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_0);
}

TEST(EmbeddingLookup, knowsWhichVersionBroughtAType) {
    TestOperation operation = embedding({0}, int32s({1, 1}, {7}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_2);
    operation = embedding({0}, halves({1, 1}, {7}));
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.minimumVersion, HalVersion::V1_3);
}

TEST(EmbeddingLookup, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return embedding({0}, counting({2, 1}));
        },
        {
            {[](auto& o) { o.inputs[0] = int32s({1}, {2}); },
             "EMBEDDING_LOOKUP input 0 (indices): 2 at 0; must be at least 0 and below 2"},
            {[](auto& o) { o.inputs[1] = counting({2}); },
             "EMBEDDING_LOOKUP input 1 (values): rank 1; must be 2 to 8"},
        });
}

TEST(HashtableLookup, findsRowsByTheirKeys) {
    TestOperation operation = hashtable({10, INT32_MIN, 11, INT32_MAX}, {INT32_MIN, 3, 10, 20});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{4, 5, 0, 1, 0, 0, 0, 0}));
    EXPECT_EQ(operation.outputs[1].values<std::uint8_t>(), (std::vector<std::uint8_t>{1, 1, 0, 0}));
}

TEST(HashtableLookup, survivesKeysThatDoNotAscend) {
    TestOperation operation = hashtable({1, 2, 3}, {3, 1, 3, -5, 2});
    EXPECT_EQ(operation.refusal(), "");
}

TEST(HashtableLookup, missesInATableWithoutKeys) {
    TestOperation operation = hashtable({1}, {});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{0, 0}));
}

TEST(HashtableLookup, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return hashtable({1}, {1, 2});
        },
        {
            {[](auto& o) {
                 o.inputs[2] = counting({3, 1});
             },
             "HASHTABLE_LOOKUP input 2 (values): size 3 of axis 0; must be 2, one for each key"},
            {[](auto& o) { o.outputs[1].zeroPoint = 1; },
             "HASHTABLE_LOOKUP output 1 (hits): scale 1 and zero point 1; must be scale 1 and zero "
             "point 0"},
            {[](auto& o) {
                 o.inputs[2] = halves({2, 1}, {0, 0});
             },
             "HASHTABLE_LOOKUP input 2 (values): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, "
             "TENSOR_INT32 or TENSOR_QUANT8_ASYMM"},
        });
}

}  // namespace
}  // namespace nnburst::exec
