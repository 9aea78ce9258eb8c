// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operators that are long enough to run in slices, against the reference kernels.

#include "exec/xnnpack/sliced_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/kernel_comparison.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

using xnnpack::RowSlices;
using xnnpack::sliceRows;

// ---- Rows

TEST(RowSlices, haveAllRowsInSlicesOfEquallyMany) {
    for (std::uint32_t total = 1; total < 300; ++total) {
        for (const double wanted : {1.0, 2.0, 2.6, 7.0, 100.0, 1000.0}) {
            const RowSlices slices = sliceRows(total, wanted, 1);
            std::uint32_t next = 0;  // the first row that no slice has
            for (const std::uint32_t first : slices.first) {
                ASSERT_LE(first, next) << total << " rows, " << wanted;
                ASSERT_LE(next, first + slices.rows - 1) << "a slice has nothing new";
                next = first + slices.rows;
            }
            ASSERT_EQ(next, total) << wanted;
        }
    }
}

TEST(RowSlices, shareFewRows) {
    for (std::uint32_t total = 50; total < 1000; ++total) {
        const RowSlices slices = sliceRows(total, 8, 1);
        EXPECT_LE(slices.first.size() * slices.rows, total + total / 10) << total;
    }
}

TEST(RowSlices, shareTheFewestRowsThatSlicesOfAboutThisSizeCan) {
    for (std::uint32_t total = 1; total < 300; ++total) {
        const auto sharedBy = [total](std::uint32_t rows) {
            return (total + rows - 1) / rows * rows - total;
        };
        for (const double wanted : {1.0, 2.0, 2.6, 7.0, 100.0, 1000.0}) {
            for (const std::uint32_t least : {1U, 7U}) {
                const std::uint32_t rows = sliceRows(total, wanted, least).rows;
                const auto usual =
                    std::max(least, static_cast<std::uint32_t>(std::ceil(total / wanted)));
                const std::uint32_t most = std::min(total, usual + usual / 2);
                for (std::uint32_t other = std::max({usual / 2, least, 1U}); other <= most;
                     ++other) {
                    ASSERT_LE(sharedBy(rows), sharedBy(other)) << total << " rows, " << wanted;
                    ASSERT_TRUE(other <= rows || sharedBy(rows) < sharedBy(other))
                        << total << " rows, " << wanted;
                }
            }
        }
    }
}

TEST(RowSlices, ofManyRowsAreFoundWithoutTryingEachSize) {
    constexpr std::uint32_t kRows = 1U << 31;
    EXPECT_EQ(sliceRows(kRows, 1, 256).first, std::vector<std::uint32_t>{0});
    EXPECT_EQ(sliceRows(kRows - 1, 3, 256).first, (std::vector<std::uint32_t>{0, kRows / 2 - 1}));
}

TEST(RowSlices, haveAsManyRowsAsTheyMust) {
    EXPECT_EQ(sliceRows(100, 50, 40).first.size(), 2U);
    EXPECT_EQ(sliceRows(100, 50, 1000).first.size(), 1U);
    EXPECT_EQ(sliceRows(100, 1, 1).first.size(), 1U);
}

// ---- Operators

/// A model of one operation: an image or matrix, weights, bias, scalars.
class LongOperation {
  public:
    explicit LongOperation(OperandType type) : type_(type) {}

    /// `dilations` follow the scalars and the layout NHWC, unless there are none.
    Model make(OperationType operation, Dimensions input, Dimensions weights, std::uint32_t outputs,
               Dimensions output, const std::vector<std::int32_t>& scalars,
               const std::vector<std::int32_t>& dilations = {}) {
        const bool isFloat = type_ == OperandType::TENSOR_FLOAT32;
        const float scale = isFloat ? 0.0F : 0.5F;
        const auto x = builder_.addTensor(type_, std::move(input), scale, isFloat ? 0 : 120);
        const auto w = constant(type_, std::move(weights), scale, isFloat ? 0 : 130);
        const auto b =
            constant(isFloat ? type_ : OperandType::TENSOR_INT32, {outputs}, scale * scale, 0);
        const auto y = builder_.addTensor(type_, std::move(output), isFloat ? 0.0F : 300.0F,
                                          isFloat ? 0 : 128);
        std::vector<std::uint32_t> operands{x, w, b};
        for (const std::int32_t scalar : scalars) {
            operands.push_back(builder_.addScalar(scalar));
        }
        if (!dilations.empty()) {
            operands.push_back(builder_.addScalar(false));
        }
        for (const std::int32_t dilation : dilations) {
            operands.push_back(builder_.addScalar(dilation));
        }
        builder_.addOperation(operation, std::move(operands), {y});
        return std::move(*builder_.build({x}, {y}));
    }

  private:
    std::uint32_t constant(OperandType type, Dimensions dimensions, float scale,
                           std::int32_t zeroPoint) {
        const auto bytes = random_.elements(type, Shape(dimensions).elementCount());
        return builder_.addConstant(type, std::move(dimensions), bytes, scale, zeroPoint);
    }

    const OperandType type_;
    Random random_{1};
    ModelBuilder builder_;
};

void expectAsTheReference(const Model& model) {
    EXPECT_TRUE(isCoveredByXnnpack(model));
    expectSameAsReference(model, 1);
}

constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
constexpr auto kUnsigned = OperandType::TENSOR_QUANT8_ASYMM;

TEST(SlicedOperator, convolvesAPaddedImage) {
    for (const OperandType type : {kFloat, kUnsigned}) {
        expectAsTheReference(LongOperation(type).make(OperationType::CONV_2D, {1, 161, 151, 16},
                                                      {64, 3, 3, 16}, 64, {1, 161, 151, 64},
                                                      {1, 1, 1, 0}));
    }
}

TEST(SlicedOperator, convolvesWithStrides) {
    expectAsTheReference(LongOperation(kUnsigned).make(OperationType::CONV_2D, {1, 225, 225, 32},
                                                       {64, 3, 3, 32}, 64, {1, 113, 113, 64},
                                                       {1, 2, 2, 0}));
}

TEST(SlicedOperator, convolvesSeveralLargeImages) {
    expectAsTheReference(LongOperation(kUnsigned).make(OperationType::CONV_2D, {2, 97, 101, 48},
                                                       {48, 3, 3, 48}, 48, {2, 97, 101, 48},
                                                       {1, 1, 1, 0}));
}

TEST(SlicedOperator, convolvesPixels) {
    expectAsTheReference(LongOperation(kFloat).make(OperationType::CONV_2D, {1, 131, 127, 128},
                                                    {112, 1, 1, 128}, 112, {1, 131, 127, 112},
                                                    {2, 1, 1, 0}));
}

TEST(SlicedOperator, convolvesPaddingAlone) {  // 60 rows above and below an image of 16
    expectAsTheReference(LongOperation(kUnsigned).make(OperationType::CONV_2D, {1, 16, 512, 20},
                                                       {20, 3, 3, 20}, 20, {1, 134, 510, 20},
                                                       {0, 0, 60, 60, 1, 1, 0}));
}

/// A slice with its padding would have more rows than 32 bits can say, or gigabytes.
TEST(SlicedOperator, isNotUsedForWindowsThatReachFarBeyondTheImage) {
    for (const std::int32_t dilation : {150'000, 2'147'483'647}) {
        expectAsTheReference(LongOperation(kFloat).make(
            OperationType::CONV_2D, {1, 200, 140, 32}, {32, 3, 1, 32}, 32, {1, 200, 140, 32},
            {0, 0, dilation, dilation, 1, 1, 0}, {1, dilation}));
    }
}

/// All slices use one table of addresses. For all rows it would have 142 MB.
TEST(SlicedOperator, hasASmallerTableThanTheWholeConvolution) {
    const Model model =
        LongOperation(kUnsigned).make(OperationType::CONV_2D, {1, 230, 230, 1}, {2, 20, 20, 1}, 2,
                                      {1, 211, 211, 2}, {2, 1, 1, 0});
    expectAsTheReference(model);
    const std::uint64_t memoryBytes = compile(model, true, 1, false)->memoryBytes();
    EXPECT_GE(memoryBytes, std::uint64_t{32} << 20);
    EXPECT_LE(memoryBytes, std::uint64_t{128} << 20);
}

TEST(SlicedOperator, convolvesDepthwise) {
    expectAsTheReference(LongOperation(kFloat).make(OperationType::DEPTHWISE_CONV_2D,
                                                    {1, 251, 256, 36}, {1, 5, 5, 36}, 36,
                                                    {1, 251, 256, 36}, {1, 1, 1, 1, 0}));
}

TEST(SlicedOperator, convolvesManyImages) {
    expectAsTheReference(LongOperation(kFloat).make(OperationType::CONV_2D, {131, 28, 28, 16},
                                                    {16, 3, 3, 16}, 16, {131, 28, 28, 16},
                                                    {1, 1, 1, 0}));
}

TEST(SlicedOperator, connectsManyRows) {
    for (const OperandType type : {kFloat, kUnsigned}) {
        expectAsTheReference(LongOperation(type).make(OperationType::FULLY_CONNECTED, {8191, 64},
                                                      {400, 64}, 400, {8191, 400}, {0}));
    }
}

}  // namespace
}  // namespace nnburst::exec
