// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "exec/reference/constant_values.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;
using Values = std::vector<std::int32_t>;

TestOperation slice(const TestOperand& input, const Values& begin, const Values& sizes) {
    return {
        OperationType::SLICE, {input, constants(begin), constants(sizes)}, {tensor(input.type)}};
}

struct Masks {
    std::int32_t begin = 0;
    std::int32_t end = 0;
    std::int32_t shrink = 0;
};

TestOperation stridedSlice(const TestOperand& input, const Values& begin, const Values& end,
                           const Values& strides, Masks masks = {}) {
    return {OperationType::STRIDED_SLICE,
            {input, constants(begin), constants(end), constants(strides), scalar(masks.begin),
             scalar(masks.end), scalar(masks.shrink)},
            {tensor(input.type)}};
}

/// The part of 0, 1, 2, 3 that is taken.
std::vector<float> taken(std::int32_t begin, std::int32_t end, std::int32_t stride,
                         Masks masks = {}) {
    TestOperation operation = stridedSlice(counting({4}), {begin}, {end}, {stride}, masks);
    EXPECT_EQ(operation.refusal(), "");
    return operation.outputs[0].values<float>();
}

TEST(Slice, takesABlock) {
    TestOperation operation = slice(counting({2, 3, 2}), {0, 1, 1}, {2, -1, 1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2, 2, 1}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{3, 5, 9, 11}));
}

TEST(Slice, acceptsASizeOf0) {
    TestOperation operation = slice(counting({2, 3}), {2, 0}, {-1, 3});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 3}));
}

TEST(Slice, takesEveryRank) {
    TestOperation operation = slice(counting({1, 1, 2, 1, 1, 2, 1, 2}), {0, 0, 1, 0, 0, 0, 0, 1},
                                    {1, 1, 1, 1, 1, 2, 1, 1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{5, 7}));
}

TEST(Slice, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return slice(counting({2, 3}), {0, 1}, {1, 2});
        },
        {
            {[](auto& o) {
                 o.inputs[1] = constants({0, 2});
             },
             "SLICE of axis 1: size 2 from 2 on; must be inside of 3 elements"},
            {[](auto& o) {
                 o.inputs[1] = int32s({2}, {-1, 0});
             },
             "SLICE of axis 0: size 1 from -1 on; must be inside of 2 elements"},
            {[](auto& o) {
                 o.inputs[2] = constants({1, -2});
             },
             "SLICE of axis 1: size -2 from 1 on; must be inside of 3 elements"},
            {[](auto& o) {
                 o.inputs[1] = constants({0, INT32_MAX});
                 o.inputs[2] = constants({1, INT32_MAX});
             },
             "SLICE of axis 1: size 2147483647 from 2147483647 on; must be inside of 3 elements"},
            {[](auto& o) { o.inputs[2] = constants({1}); },
             "SLICE input 2 (sizes): size 1 of axis 0; must be 2, the rank of the input"},
            {[](auto& o) {
                 o.inputs[1] = constants({1, 2}, {0, 0});
             },
             "SLICE input 1 (begin): rank 2; must be 1"},
        });
}

TEST(StridedSlice, walksForwardsAndBackwards) {
    EXPECT_EQ(taken(1, 4, 2), (std::vector<float>{1, 3}));
    EXPECT_EQ(taken(3, 0, -2), (std::vector<float>{3, 1}));
    EXPECT_EQ(taken(-3, -1, 1), (std::vector<float>{1, 2}));
    EXPECT_EQ(taken(-1, -5, -1), (std::vector<float>{3, 2, 1, 0}));
    EXPECT_EQ(taken(2, 1, 1), (std::vector<float>{}));
}

TEST(StridedSlice, movesIndicesIntoTheTensor) {
    EXPECT_EQ(taken(INT32_MIN, INT32_MAX, 3), (std::vector<float>{0, 3}));
    EXPECT_EQ(taken(INT32_MAX, INT32_MIN, -3), (std::vector<float>{3, 0}));
    EXPECT_EQ(taken(1, 3, INT32_MAX), (std::vector<float>{1}));
    EXPECT_EQ(taken(1, INT32_MIN, INT32_MIN), (std::vector<float>{1}));
}

TEST(StridedSlice, beginsAndEndsAtTheEdgeWhereMasked) {
    EXPECT_EQ(taken(2, 2, 1, {.begin = 1}), (std::vector<float>{0, 1}));
    EXPECT_EQ(taken(2, 2, 1, {.end = 1}), (std::vector<float>{2, 3}));
    EXPECT_EQ(taken(1, 1, -1, {.begin = 1}), (std::vector<float>{3, 2}));
    EXPECT_EQ(taken(1, 1, -1, {.end = 1}), (std::vector<float>{1, 0}));
    EXPECT_EQ(taken(1, 1, -1, {.begin = -1, .end = -1}), (std::vector<float>{3, 2, 1, 0}));
}

TEST(StridedSlice, dropsAxes) {
    TestOperation operation = stridedSlice(counting({2, 3}), {1, 0}, {2, 3}, {1, 2}, {.shrink = 1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{2}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{3, 5}));
    operation = stridedSlice(counting({2, 3}), {1, 2}, {2, 3}, {1, 1}, {.shrink = 3});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{1}));
    EXPECT_EQ(operation.outputs[0].values<float>(), (std::vector<float>{5}));
}

// As the HAL's tests want it.
TEST(StridedSlice, isRefusedByRunsAloneIfItDropsAnAxisOfOtherThanOneElement) {
    for (TestOperation operation :
         {stridedSlice(counting({2, 3}), {0, 0}, {2, 3}, {1, 1}, {.shrink = 1}),
          stridedSlice(counting({2, 3}), {1, 0}, {0, 3}, {-1, 1}, {.shrink = 1}),
          stridedSlice(counting({2, 3}), {2, 0}, {2, 3}, {1, 1}, {.shrink = 1})}) {
        const Result<> checked = operation.check();
        EXPECT_TRUE(checked) << checked.error().message;
        EXPECT_NE(operation.refusal().find("as the axis is dropped"), std::string::npos);
        EXPECT_EQ(operation.outputs[0].dimensions, Dimensions{3});
    }
}

TEST(StridedSlice, takesTensorsWithoutElements) {
    TestOperation operation = stridedSlice(counting({0, 2}), {0, 1}, {5, -3}, {1, -1});
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[0].dimensions, (Dimensions{0, 2}));
}

TEST(StridedSlice, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] {
            return stridedSlice(counting({2, 3}), {1, 0}, {2, 3}, {1, 2}, {.shrink = 1});
        },
        {
            {[](auto& o) {
                 o.inputs[3] = int32s({2}, {1, 0});
             },
             "STRIDED_SLICE input 3 (strides): 0 for axis 1; must not be 0"},
            {[](auto& o) {
                 o.inputs[1] = constants({0, 0});
             },
             "STRIDED_SLICE of axis 0: 2 elements with stride 1; must be 1 with a stride above 0, "
             "as the axis is dropped"},
            {[](auto& o) {
                 o.inputs[1] = constants({2, 0});
             },
             "STRIDED_SLICE of axis 0: 0 elements with stride 1; must be 1 with a stride above 0, "
             "as the axis is dropped"},
            {[](auto& o) {
                 o.inputs[2] = constants({0, 3});
                 o.inputs[3] = constants({-1, 1});
             },
             "STRIDED_SLICE of axis 0: 1 elements with stride -1; must be 1 with a stride above "
             "0, as the axis is dropped"},
            {[](auto& o) { o.inputs[3] = constants({1}); },
             "STRIDED_SLICE input 3 (strides): size 1 of axis 0; must be 2, the rank of the input"},
            {[](auto& o) {
                 o.inputs[0] = counting({1, 1, 1, 2, 3});
             },
             "STRIDED_SLICE input 0 (input): rank 5; must be 1 to 4"},
        });
}

}  // namespace
}  // namespace nnburst::exec
