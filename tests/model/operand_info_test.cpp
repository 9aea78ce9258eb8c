// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/operand_info.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "memory/checked_math.h"
#include "nnburst/validation.h"

namespace nnburst {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

constexpr auto kExtensionType = static_cast<OperandType>(0x00070001);
constexpr auto kExtensionTypeOfHighPrefix =
    static_cast<OperandType>(static_cast<std::int32_t>(0x80070001));

Operand tensor(OperandType type, Dimensions dimensions, float scale = 0.0F,
               std::int32_t zeroPoint = 0) {
    Operand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.scale = scale;
    operand.zeroPoint = zeroPoint;
    return operand;
}

Operand perChannel(Dimensions dimensions, std::vector<float> scales, std::uint32_t channelDim) {
    Operand operand = tensor(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, std::move(dimensions));
    operand.extraParams = SymmPerChannelQuantParams{std::move(scales), channelDim};
    return operand;
}

/// The message of the refusal; empty if the operand is accepted.
std::string refusal(const Operand& operand) {
    const Result<> result = checkOperandType(operand);
    return result ? "" : result.error().message;
}

TEST(CheckedMath, answersNothingInsteadOfWrappingAround) {
    constexpr std::uint64_t kMaximum = UINT64_MAX;
    static_assert(checkedAdd(kMaximum - 1, std::uint64_t{1}) == kMaximum);
    static_assert(!checkedAdd(kMaximum, std::uint64_t{1}));
    static_assert(checkedMultiply(std::uint32_t{65535}, std::uint32_t{65537}) == UINT32_MAX);
    static_assert(!checkedMultiply(std::uint32_t{65536}, std::uint32_t{65536}));
    static_assert(fitsInside(4, 6, 10) && fitsInside(10, 0, 10));
    static_assert(!fitsInside(4, 7, 10) && !fitsInside(11, 0, 10));
    static_assert(!fitsInside(1, kMaximum, 10) && !fitsInside(kMaximum, 2, 10));
}

TEST(OperandInfo, givesTheSizeOfAnElementOfEachType) {
    EXPECT_EQ(elementBytes(OperandType::FLOAT32), 4U);
    EXPECT_EQ(elementBytes(OperandType::TENSOR_FLOAT16), 2U);
    EXPECT_EQ(elementBytes(OperandType::TENSOR_QUANT16_SYMM), 2U);
    EXPECT_EQ(elementBytes(OperandType::BOOL), 1U);
    EXPECT_EQ(elementBytes(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL), 1U);
    EXPECT_EQ(elementBytes(OperandType::OEM), 0U);
    EXPECT_EQ(elementBytes(OperandType::SUBGRAPH), 0U);
    EXPECT_EQ(elementBytes(kExtensionType), 0U);
}

TEST(OperandInfo, tellsKindsApart) {
    EXPECT_EQ(operandKind(OperandType::BOOL), OperandKind::SCALAR);
    EXPECT_EQ(operandKind(OperandType::TENSOR_OEM_BYTE), OperandKind::TENSOR);
    EXPECT_EQ(operandKind(OperandType::SUBGRAPH), OperandKind::SUBGRAPH);
    EXPECT_EQ(operandKind(OperandType::OEM), OperandKind::OEM);
    EXPECT_EQ(operandKind(kExtensionType), OperandKind::EXTENSION);
    EXPECT_EQ(operandKind(kExtensionTypeOfHighPrefix), OperandKind::EXTENSION);
    EXPECT_EQ(operandKind(static_cast<OperandType>(16)), OperandKind::UNKNOWN);
    EXPECT_EQ(operandKind(static_cast<OperandType>(0xFFFF)), OperandKind::UNKNOWN);
}

TEST(OperandInfo, computesSizesOfValues) {
    const Dimensions image{1, 224, 224, 3};
    EXPECT_EQ(operandBytes(OperandType::TENSOR_FLOAT32, image), 602112U);
    EXPECT_EQ(operandBytes(OperandType::TENSOR_QUANT8_ASYMM, image), 150528U);
    EXPECT_EQ(operandBytes(OperandType::INT32, {}), 4U);
    EXPECT_EQ(operandBytes(OperandType::TENSOR_FLOAT32, Dimensions{2, 0}), 0U);
}

TEST(OperandInfo, givesNoSizeToValuesBeyondTheLimitHoweverFar) {
    EXPECT_EQ(operandBytes(OperandType::TENSOR_BOOL8, Dimensions{UINT32_MAX}), UINT32_MAX);
    EXPECT_EQ(operandBytes(OperandType::TENSOR_BOOL8, Dimensions{65536, 65536}), std::nullopt);
    // 2^64 elements: a product that wraps around is 0.
    EXPECT_EQ(operandBytes(OperandType::TENSOR_BOOL8, Dimensions{65536, 65536, 65536, 65536}),
              std::nullopt);
    EXPECT_EQ(operandBytes(OperandType::TENSOR_FLOAT32, Dimensions{0x40000001}), std::nullopt);
}

TEST(OperandInfo, knowsWhetherDimensionsAreComplete) {
    EXPECT_TRUE(isFullySpecified(OperandType::TENSOR_INT32, Dimensions{1, 2}));
    EXPECT_FALSE(isFullySpecified(OperandType::TENSOR_INT32, Dimensions{1, 0}));
    EXPECT_FALSE(isFullySpecified(OperandType::TENSOR_INT32, {}));
    EXPECT_TRUE(isFullySpecified(OperandType::INT32, {}));
}

TEST(OperandInfo, acceptsTheQuantisationOfEachType) {
    for (const Operand& operand : {
             tensor(OperandType::TENSOR_FLOAT32, {2}),
             tensor(OperandType::TENSOR_INT32, {2}),
             tensor(OperandType::TENSOR_INT32, {2}, 0.25F),
             tensor(OperandType::TENSOR_QUANT8_ASYMM, {2}, 0.5F, 0),
             tensor(OperandType::TENSOR_QUANT8_ASYMM, {2}, 0.5F, 255),
             tensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {2}, 0.5F, -128),
             tensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {2}, 0.5F, 127),
             tensor(OperandType::TENSOR_QUANT8_SYMM, {2}, 0.5F),
             tensor(OperandType::TENSOR_QUANT16_SYMM, {2}, 0.5F),
             tensor(OperandType::TENSOR_QUANT16_ASYMM, {2}, 0.5F, 65535),
             tensor(OperandType::TENSOR_OEM_BYTE, {2}, -1.0F, -1),
             tensor(kExtensionType, {2, 3}),
             perChannel({2, 3}, {0.5F, 1.0F, 2.0F}, 1),
         }) {
        EXPECT_EQ(refusal(operand), "") << toString(operand.type);
    }
}

TEST(OperandInfo, refusesScalesThatTheTypeDoesNotAllow) {
    for (const float scale : {0.0F, -1.0F, kInfinity, kNan}) {
        for (const OperandType type :
             {OperandType::TENSOR_QUANT8_ASYMM, OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
              OperandType::TENSOR_QUANT8_SYMM, OperandType::TENSOR_QUANT16_SYMM,
              OperandType::TENSOR_QUANT16_ASYMM}) {
            EXPECT_NE(refusal(tensor(type, {2}, scale)), "") << toString(type) << " " << scale;
        }
    }
    for (const float scale : {1.0F, -1.0F, kInfinity, kNan}) {
        for (const OperandType type :
             {OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16, OperandType::TENSOR_BOOL8,
              OperandType::INT32, OperandType::BOOL, kExtensionType}) {
            EXPECT_NE(refusal(tensor(type, {}, scale)), "") << toString(type) << " " << scale;
        }
    }
    EXPECT_EQ(refusal(tensor(OperandType::TENSOR_QUANT8_ASYMM, {2}, -1.0F)),
              "scale -1: must be finite and more than 0");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_INT32, {2}, -1.0F)), "");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_INT32, {2}, kNan)), "");
}

TEST(OperandInfo, refusesZeroPointsThatTheTypeCannotRepresent) {
    EXPECT_EQ(refusal(tensor(OperandType::TENSOR_QUANT8_ASYMM, {2}, 1.0F, 256)),
              "zero point 256: must be 0 to 255");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_QUANT8_ASYMM, {2}, 1.0F, -1)), "");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {2}, 1.0F, 128)), "");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {2}, 1.0F, -129)), "");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_QUANT16_ASYMM, {2}, 1.0F, 65536)), "");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_QUANT16_SYMM, {2}, 1.0F, 1)), "");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_QUANT8_SYMM, {2}, 1.0F, 1)), "");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_INT32, {2}, 1.0F, 1)), "");
    EXPECT_NE(refusal(tensor(OperandType::TENSOR_FLOAT32, {2}, 0.0F, 1)), "");
}

TEST(OperandInfo, refusesBrokenPerChannelQuantisation) {
    EXPECT_EQ(refusal(tensor(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2})),
              "no per-channel scales: must have them");
    EXPECT_EQ(refusal(perChannel({2, 3}, {1.0F, 1.0F}, 2)),
              "channel dimension 2: must be one of 2 dimensions");
    EXPECT_EQ(refusal(perChannel({0, 3}, {}, 0)),
              "dimensions 0x3: the channel dimension 0 must be known");
    EXPECT_EQ(refusal(perChannel({2, 3}, {1.0F, 1.0F}, 1)),
              "2 per-channel scales: must be 3, one for each channel");
    EXPECT_EQ(refusal(perChannel({2, 3}, {1.0F, -0.5F}, 0)),
              "scale -0.5 of channel 1: must be finite and more than 0");
    EXPECT_NE(refusal(perChannel({1}, {kNan}, 0)), "");

    Operand scaled = perChannel({1}, {1.0F}, 0);
    scaled.scale = 1.0F;
    EXPECT_EQ(refusal(scaled), "scale 1: must be 0");
}

TEST(OperandInfo, refusesExtraParametersOfOtherTypes) {
    Operand operand = tensor(OperandType::TENSOR_FLOAT32, {2});
    operand.extraParams = SymmPerChannelQuantParams{{1.0F, 1.0F}, 0};
    EXPECT_NE(refusal(operand), "");
    operand.extraParams = std::vector<std::uint8_t>{1};
    EXPECT_NE(refusal(operand), "");
    operand.type = kExtensionType;
    EXPECT_EQ(refusal(operand), "");
    operand.extraParams = SymmPerChannelQuantParams{{1.0F, 1.0F}, 0};
    EXPECT_NE(refusal(operand), "");
}

TEST(OperandInfo, refusesDimensionsThatTheTypeDoesNotAllow) {
    EXPECT_EQ(refusal(tensor(OperandType::INT32, {1})),
              "dimensions 1: must have none, as it is no tensor");
    EXPECT_NE(refusal(tensor(OperandType::SUBGRAPH, {1})), "");
    constexpr auto kFloat = OperandType::TENSOR_FLOAT32;
    EXPECT_EQ(refusal(tensor(kFloat, Dimensions(kMaximumDeclaredDimensions, 1))), "");
    EXPECT_EQ(refusal(tensor(kFloat, Dimensions(kMaximumDeclaredDimensions + 1, 1))),
              "1025 dimensions: must be at most 1024");
    EXPECT_EQ(
        refusal(tensor(OperandType::TENSOR_FLOAT32, {65536, 65536})),
        "dimensions 65536x65536 with elements of 4 bytes: must take at most 4294967295 bytes");
}

TEST(OperandInfo, takesASizeOf0AsUnknownInADeclarationAndAsASizeInAResult) {
    EXPECT_TRUE(allows(Dimensions{0, 3}, Dimensions{2, 3}));
    EXPECT_TRUE(allows(Dimensions{0, 3}, Dimensions{0, 3}));
    EXPECT_FALSE(allows(Dimensions{2, 3}, Dimensions{0, 3}));
    EXPECT_TRUE(mayBeEqual(Dimensions{0, 3}, Dimensions{2, 3}));
    EXPECT_TRUE(mayBeEqual(Dimensions{2, 3}, Dimensions{0, 3}));
    EXPECT_TRUE(mayBeEqual(Dimensions{2, 0}, Dimensions{0, 3}));
    for (auto* const isPossible : {allows, mayBeEqual}) {
        EXPECT_TRUE(isPossible(Dimensions{2, 3}, Dimensions{2, 3}));
        EXPECT_FALSE(isPossible(Dimensions{0, 3}, Dimensions{2, 4}));
        EXPECT_FALSE(isPossible(Dimensions{0, 0}, Dimensions{2}));
    }
}

TEST(OperandInfo, takesNoDimensionsAsAnyInADeclaration) {
    EXPECT_TRUE(allows(Dimensions{}, Dimensions{2, 3}));
    EXPECT_FALSE(allows(Dimensions{2, 3}, Dimensions{}));
    EXPECT_TRUE(mayBeEqual(Dimensions{}, Dimensions{2, 3}));
    EXPECT_TRUE(mayBeEqual(Dimensions{2, 3}, Dimensions{}));
}

TEST(OperandInfo, refusesUnknownTypes) {
    EXPECT_EQ(refusal(tensor(static_cast<OperandType>(16), {})),
              "type 16: must be one of HAL 1.3 or of an extension");
}

TEST(OperandInfo, asksTheSameOfOmittedOperands) {
    Operand omitted = tensor(OperandType::TENSOR_INT32, {});
    omitted.lifetime = OperandLifeTime::NO_VALUE;
    EXPECT_EQ(refusal(omitted), "");
    omitted.scale = -1.0F;
    EXPECT_EQ(refusal(omitted), "scale -1: must be finite and at least 0");
    omitted.scale = 0.0F;
    omitted.zeroPoint = 1;
    EXPECT_EQ(refusal(omitted), "zero point 1: must be 0 to 0");
    omitted = tensor(OperandType::TENSOR_QUANT8_ASYMM, {});
    omitted.lifetime = OperandLifeTime::NO_VALUE;
    EXPECT_EQ(refusal(omitted), "scale 0: must be finite and more than 0");
}

template <class Code>
constexpr int code(Code value) {
    return static_cast<int>(value);
}

// HAL 1.3 types.hal and the versions that it builds on.
TEST(Types, haveTheHalsCodes) {
    EXPECT_EQ(code(ErrorStatus::NONE), 0);
    EXPECT_EQ(code(ErrorStatus::DEVICE_UNAVAILABLE), 1);
    EXPECT_EQ(code(ErrorStatus::GENERAL_FAILURE), 2);
    EXPECT_EQ(code(ErrorStatus::OUTPUT_INSUFFICIENT_SIZE), 3);
    EXPECT_EQ(code(ErrorStatus::INVALID_ARGUMENT), 4);
    EXPECT_EQ(code(ErrorStatus::MISSED_DEADLINE_TRANSIENT), 5);
    EXPECT_EQ(code(ErrorStatus::MISSED_DEADLINE_PERSISTENT), 6);
    EXPECT_EQ(code(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT), 7);
    EXPECT_EQ(code(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT), 8);
    EXPECT_EQ(code(Priority::LOW), 0);
    EXPECT_EQ(code(Priority::HIGH), 2);
    EXPECT_EQ(code(ExecutionPreference::LOW_POWER), 0);
    EXPECT_EQ(code(ExecutionPreference::SUSTAINED_SPEED), 2);
    EXPECT_EQ(code(DeviceType::OTHER), 1);
    EXPECT_EQ(code(DeviceType::ACCELERATOR), 4);
    EXPECT_EQ(code(DeviceStatus::AVAILABLE), 0);
    EXPECT_EQ(code(DeviceStatus::UNKNOWN), 3);
    EXPECT_EQ(code(OperandLifeTime::NO_VALUE), 5);
    EXPECT_EQ(code(OperandLifeTime::SUBGRAPH), 6);
    EXPECT_EQ(code(OperandType::TENSOR_QUANT8_ASYMM_SIGNED), 14);
    EXPECT_EQ(code(OperationType::TRANSPOSE), 37);
    EXPECT_EQ(code(OperationType::UNIDIRECTIONAL_SEQUENCE_RNN), 93);
    EXPECT_EQ(code(OperationType::FILL), 100);
    EXPECT_EQ(code(OperationType::RANK), 101);
    EXPECT_EQ(kByteSizeOfCacheToken, 32U);
}

TEST(TypeQueries, classifyTheTypesOfTheHal) {
    EXPECT_TRUE(isTensor(OperandType::TENSOR_BOOL8));
    EXPECT_FALSE(isTensor(OperandType::FLOAT16));
    EXPECT_TRUE(isScalar(OperandType::BOOL));
    EXPECT_FALSE(isScalar(OperandType::SUBGRAPH));
    EXPECT_TRUE(isQuantized(OperandType::TENSOR_QUANT16_ASYMM));
    EXPECT_FALSE(isQuantized(OperandType::TENSOR_INT32));
    const auto extension = static_cast<OperandType>((7 << kExtensionTypeBits) | 3);
    EXPECT_TRUE(isExtension(extension));
    EXPECT_FALSE(isTensor(extension));
    EXPECT_FALSE(isExtension(OperandType::TENSOR_OEM_BYTE));
    EXPECT_TRUE(isExtension(kExtensionTypeOfHighPrefix));
}

TEST(TypeQueries, knowTheCodesOfTheHal) {
    for (const std::int32_t code : {0, 15, 10000, 10001}) {
        EXPECT_TRUE(isHalType(static_cast<OperandType>(code))) << code;
    }
    for (const std::int32_t code : {-1, 16, 9999, 10002, 0xFFFF, 0x10000}) {
        EXPECT_FALSE(isHalType(static_cast<OperandType>(code))) << code;
    }
    for (const std::int32_t code : {0, kOperationTypeEnd - 1, 10000}) {
        EXPECT_TRUE(isHalType(static_cast<OperationType>(code))) << code;
    }
    for (const std::int32_t code : {-1, kOperationTypeEnd, 10001, 0xFFFF, 0x10000}) {
        EXPECT_FALSE(isHalType(static_cast<OperationType>(code))) << code;
    }
}

}  // namespace
}  // namespace nnburst
