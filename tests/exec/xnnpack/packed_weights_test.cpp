// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// What XNNPACK has packed for a model is used again, by further runners and by later compilations,
// where its release allows that.

#include "exec/xnnpack/packed_weights.h"

#include <gtest/gtest.h>

#include <string>

#include "support/test_request.h"

namespace nnburst::exec {
namespace {

constexpr std::uint32_t kInputs = 40;
constexpr std::uint32_t kOutputs = 130;
constexpr std::uint32_t kWeights = 1;  // the operand

struct Case {
    std::string name;
    OperationType operation;
    OperandType type;
    std::uint32_t window = 1;
    bool isPerChannel = false;
};

std::ostream& operator<<(std::ostream& stream, const Case& tested) {
    return stream << tested.name;
}

/// One operation with weights of more than Constants::kSmallTensorBytes.
Model modelOf(const Case& tested) {
    Random random(5);
    const bool isFloat =
        tested.type == OperandType::TENSOR_FLOAT32 || tested.type == OperandType::TENSOR_FLOAT16;
    const auto scale = [&](float of) { return isFloat ? 0.0F : of; };
    const bool isLayer = tested.operation == OperationType::FULLY_CONNECTED;
    ModelBuilder builder;
    const auto x = builder.addTensor(
        tested.type, isLayer ? Dimensions{3, kInputs} : Dimensions{1, 5, 5, kInputs}, scale(0.5F));
    const Dimensions shape = isLayer ? Dimensions{kOutputs, kInputs}
                                     : Dimensions{kOutputs, tested.window, tested.window, kInputs};
    OperandExtraParams perChannel;
    if (tested.isPerChannel) {
        perChannel = SymmPerChannelQuantParams{std::vector<float>(kOutputs, 0.25F), 0};
    }
    const auto weightsType =
        tested.isPerChannel ? OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL : tested.type;
    const auto w = builder.addConstant(
        weightsType, shape, random.elements(weightsType, Shape(shape).elementCount()),
        tested.isPerChannel ? 0.0F : scale(0.25F), 0, std::move(perChannel));
    EXPECT_EQ(w, kWeights);
    const auto biasType = isFloat ? tested.type : OperandType::TENSOR_INT32;
    const auto b = builder.addConstant(biasType, {kOutputs}, random.elements(biasType, kOutputs),
                                       tested.isPerChannel ? 0.0F : scale(0.125F), 0);
    const auto y = builder.addTensor(
        tested.type, isLayer ? Dimensions{3, kOutputs} : Dimensions{1, 5, 5, kOutputs},
        scale(200.0F));
    const auto none = builder.addScalar(0);
    if (isLayer) {
        builder.addOperation(tested.operation, {x, w, b, none}, {y});
    } else {
        const auto same = builder.addScalar(1);
        builder.addOperation(tested.operation, {x, w, b, same, same, same, none}, {y});
    }
    return build(builder, {x}, {y});
}

class XnnpackWeights : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        if (!xnnpack::kHasWeightsCaches) {
            GTEST_SKIP() << "this release of XNNPACK has no weights caches";
        }
        auto compiled = compileWith({});
        ASSERT_TRUE(compiled) << compiled.error().message;
        compiled_ = *compiled;
        packed_ = compiled_->packed();
        ASSERT_EQ(packed_.graphs.size(), 1U);
        ASSERT_EQ(packed_.graphs[0].blocks.size(), 1U);
    }

    Result<std::shared_ptr<CompiledModel>> compileWith(const PackedModel& packed) {
        return CompiledModel::compile(engine_, model_, packed);
    }

    static std::vector<std::byte> outputOf(const std::shared_ptr<CompiledModel>& compiled) {
        TestRequest request = randomRequest(*compiled, 1);
        EXPECT_TRUE(request.run(*compiled));
        const auto output = request.output(0);
        return {output.begin(), output.end()};
    }

    void eraseWeights() {
        const DataLocation& location = model_.main.operands[kWeights].location;
        ASSERT_EQ(model_.main.operands[kWeights].lifetime, OperandLifeTime::CONSTANT_REFERENCE);
        const Mapping pool = *Mapping::map(model_.pools[location.poolIndex]);
        std::memset(pool.data() + location.offset, 0, location.length);
    }

    /// A block of the same seed, with more or fewer bytes.
    void resizeBlock(std::int64_t moreBytes) {
        auto& block = packed_.graphs[0].blocks[0].second;
        auto other = std::make_shared<xnnpack::PackedBlock>();
        other->seed = block->seed;
        other->memory = *AlignedBuffer::allocate(block->memory.sizeBytes() +
                                                 static_cast<std::uint64_t>(moreBytes));
        block = std::move(other);
    }

    const std::shared_ptr<Engine> engine_ = makeEngine(true, 1, false);
    const Model model_ = modelOf(GetParam());
    std::shared_ptr<CompiledModel> compiled_;
    PackedModel packed_;
};

TEST_P(XnnpackWeights, takeThePlaceOfTheConstants) {
    EXPECT_EQ(packed_.packing, engine_->packedFor().packing);
    EXPECT_FALSE(packed_.packing.empty());
    EXPECT_EQ(packed_.graphs[0].packedConstants, std::vector<std::uint32_t>{kWeights});
    const std::vector<std::byte> expected = outputOf(compiled_);
    eraseWeights();
    const auto again = compileWith(packed_);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(outputOf(*again), expected);
    EXPECT_EQ((*again)->packed().graphs[0].blocks, packed_.graphs[0].blocks);
    EXPECT_EQ((*again)->packed().graphs[0].packedConstants, packed_.graphs[0].packedConstants);
    const auto blank = compileWith({});
    ASSERT_TRUE(blank);
    EXPECT_NE(outputOf(*blank), expected);
}

TEST_P(XnnpackWeights, ofOtherSizesAreRefused) {
    for (const std::int64_t moreBytes : {-64, 128}) {
        resizeBlock(moreBytes);
        const auto again = compileWith(packed_);
        ASSERT_FALSE(again) << moreBytes << " bytes more";
        EXPECT_EQ(again.error().status, ErrorStatus::GENERAL_FAILURE);
    }
}

TEST_P(XnnpackWeights, ofOtherMicrokernelsAreRefused) {
    auto& block = packed_.graphs[0].blocks[0].second;
    auto other = std::make_shared<xnnpack::PackedBlock>();
    other->seed = block->seed + 1;
    other->memory = *AlignedBuffer::allocate(block->memory.sizeBytes());
    block = std::move(other);
    const auto again = compileWith(packed_);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().status, ErrorStatus::GENERAL_FAILURE);
}

TEST_P(XnnpackWeights, arePackedWhereTheConstantsAreThereAndTheSizeIsWrong) {
    const std::vector<std::byte> expected = outputOf(compiled_);
    resizeBlock(-64);
    packed_.graphs[0].packedConstants.clear();
    const auto again = compileWith(packed_);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(outputOf(*again), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Operations, XnnpackWeights,
    testing::Values(
        Case{"layer", OperationType::FULLY_CONNECTED, OperandType::TENSOR_FLOAT32},
        Case{"unsignedLayer", OperationType::FULLY_CONNECTED, OperandType::TENSOR_QUANT8_ASYMM},
        Case{"signedLayer", OperationType::FULLY_CONNECTED,
             OperandType::TENSOR_QUANT8_ASYMM_SIGNED},
        Case{"pixels", OperationType::CONV_2D, OperandType::TENSOR_FLOAT32},
        Case{"windows", OperationType::CONV_2D, OperandType::TENSOR_FLOAT32, 3},
        Case{"float16Windows", OperationType::CONV_2D, OperandType::TENSOR_FLOAT16, 3},
        Case{"unsignedWindows", OperationType::CONV_2D, OperandType::TENSOR_QUANT8_ASYMM, 3},
        Case{"windowsPerChannel", OperationType::CONV_2D, OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
             3, true}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace nnburst::exec
