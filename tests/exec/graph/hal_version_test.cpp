// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/hal_version.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "nnburst/model_builder.h"

namespace nnburst {
namespace {

void expectRefusal(const Result<>& result, const std::string& what) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(result.error().message.find(what), std::string::npos) << result.error().message;
}

/// Expects that `model` complies with version `first` and all later ones, and that earlier ones
/// refuse it with an error that contains `what`.
void expectFirstVersion(const Model& model, HalVersion first, const std::string& what) {
    const auto minimum = minimumVersion(model);
    ASSERT_TRUE(minimum) << minimum.error().message;
    EXPECT_EQ(toString(*minimum), std::string(toString(first)));
    for (const HalVersion version : kHalVersions) {
        if (version >= first) {
            EXPECT_TRUE(compliantWith(version, model)) << toString(version);
        } else {
            expectRefusal(compliantWith(version, model), what);
        }
    }
}

/// out = relu(in), and an operand that nothing uses.
Model makeRelu(Dimensions dimensions = {4}, OperandType unused = OperandType::INT32) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, dimensions);
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, dimensions);
    std::vector<std::uint32_t> inputs{in};
    if (unused != OperandType::INT32) {
        inputs.push_back(builder.addTensor(
            unused, {1}, unused == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ? 1.0F : 0.0F));
    }
    builder.addOperation(OperationType::RELU, {in}, {out});
    auto model = builder.build(inputs, {out});
    EXPECT_TRUE(model) << model.error().message;
    return std::move(*model);
}

TEST(HalVersion, isReadAsItIsWritten) {
    for (const HalVersion version : kHalVersions) {
        EXPECT_EQ(halVersionFromString(toString(version)), version);
    }
    for (const char* text : {"", "1", "1.4", "1.00", " 1.0", "V1_0"}) {
        EXPECT_EQ(halVersionFromString(text), std::nullopt) << text;
    }
}

TEST(HalVersion, ofAModelIsThatOfItsOperations) {
    expectFirstVersion(makeRelu(), HalVersion::V1_0, "");
    Model model = makeRelu();
    model.main.operations[0].type = OperationType::ABS;
    expectFirstVersion(model, HalVersion::V1_2, "operation 0 (ABS)");
    model.main.operations[0].type = OperationType::HARD_SWISH;
    expectFirstVersion(model, HalVersion::V1_3, "operation 0 (HARD_SWISH)");
}

TEST(HalVersion, ofAModelIsThatOfOperandsThatNoOperationUses) {
    expectFirstVersion(makeRelu({4}, OperandType::TENSOR_BOOL8), HalVersion::V1_2,
                       "operand 2, TENSOR_BOOL8");
    expectFirstVersion(makeRelu({4}, OperandType::TENSOR_QUANT8_ASYMM_SIGNED), HalVersion::V1_3,
                       "operand 2, TENSOR_QUANT8_ASYMM_SIGNED");
}

TEST(HalVersion, knowsOpenDimensionsFrom1_0AndUnknownRanksFrom1_2) {
    expectFirstVersion(makeRelu({0, 4}), HalVersion::V1_0, "");
    expectFirstVersion(makeRelu({}), HalVersion::V1_2, "unknown rank");
}

TEST(HalVersion, supportsRelaxedComputationFrom1_1) {
    Model model = makeRelu();
    model.relaxComputationFloat32toFloat16 = true;
    expectFirstVersion(model, HalVersion::V1_1, "relaxed");
}

TEST(HalVersion, knowsExtensionsFrom1_2) {
    Model model = makeRelu();
    model.extensionNameToPrefix = {{.name = "org.example", .prefix = 1}};
    expectFirstVersion(model, HalVersion::V1_2, "extensions");
}

TEST(HalVersion, knowsReferencedSubgraphsFrom1_3) {
    ModelBuilder branch;
    const auto given = branch.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto result = branch.addTensor(OperandType::TENSOR_FLOAT32, {4});
    branch.addOperation(OperationType::RELU, {given}, {result});
    ModelBuilder builder;
    const auto index = builder.addReferenced(std::move(branch), {given}, {result});
    const auto condition = builder.addTensor(OperandType::TENSOR_BOOL8, {1});
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(
        OperationType::IF,
        {condition, builder.addSubgraphReference(index), builder.addSubgraphReference(index), in},
        {out});
    const Result<Model> model = builder.build({condition, in}, {out});
    ASSERT_TRUE(model) << model.error().message;
    expectFirstVersion(*model, HalVersion::V1_3, "IF");
}

Operand openOperand(OperandType type, Dimensions dimensions = {}, float scale = 0.0F) {
    return {.type = type, .dimensions = std::move(dimensions), .scale = scale};
}

/// Of one operation, all of whose inputs come with the request, scalars too.
Model makeOpenOperation(OperationType type, const std::vector<Operand>& operands,
                        const Operand& output) {
    ModelBuilder builder;
    const auto add = [&](const Operand& operand) {
        return builder.addTensor(operand.type, operand.dimensions, operand.scale);
    };
    std::vector<std::uint32_t> inputs;
    for (const Operand& operand : operands) {
        inputs.push_back(add(operand));
    }
    const auto out = add(output);
    builder.addOperation(type, inputs, {out});
    auto model = builder.build(inputs, {out});
    EXPECT_TRUE(model) << model.error().message;
    return std::move(*model);
}

TEST(HalVersion, ofAnOperationDoesNotNeedTheValuesOfItsScalars) {
    using enum OperandType;
    using enum OperationType;
    const auto expectFirst = [](OperationType type, const std::vector<Operand>& inputs,
                                const Operand& output, HalVersion first) {
        SCOPED_TRACE(toString(type));
        expectFirstVersion(makeOpenOperation(type, inputs, output), first, toString(type));
    };
    const Operand integer = openOperand(INT32);
    const Operand real = openOperand(FLOAT32);
    const Operand integers = openOperand(TENSOR_INT32, {2, 2});
    const Operand halves = openOperand(TENSOR_FLOAT16, {2, 2});
    const Operand quantized = openOperand(TENSOR_QUANT8_ASYMM, {2, 2}, 0.5F);
    const Operand inSmallSteps = openOperand(TENSOR_QUANT8_ASYMM, {2, 2}, 0.25F);
    const Operand bias = openOperand(TENSOR_INT32, {2}, 0.25F);
    const Operand vector = openOperand(TENSOR_FLOAT32, {4});
    const Operand image = openOperand(TENSOR_FLOAT32, {1, 2, 2, 4});
    const Operand quantizedImage = openOperand(TENSOR_QUANT8_ASYMM, {1, 2, 2, 4}, 0.5F);

    expectFirst(ADD, {quantized, quantized, integer}, quantized, HalVersion::V1_0);
    expectFirst(ADD, {integers, integers, integer}, integers, HalVersion::V1_3);
    expectFirst(ADD, {halves, halves, integer}, halves, HalVersion::V1_2);
    expectFirst(SUB, {quantized, quantized, integer}, quantized, HalVersion::V1_2);
    expectFirst(FULLY_CONNECTED, {quantized, quantized, bias, integer}, quantized,
                HalVersion::V1_0);
    expectFirst(FULLY_CONNECTED, {quantized, quantized, bias, integer}, inSmallSteps,
                HalVersion::V1_2);
    expectFirst(CONCATENATION, {quantized, inSmallSteps, integer}, quantized, HalVersion::V1_2);
    expectFirst(SOFTMAX, {vector, real}, vector, HalVersion::V1_2);
    expectFirst(LOCAL_RESPONSE_NORMALIZATION, {image, integer, real, real, real, integer}, image,
                HalVersion::V1_2);
    expectFirst(RESIZE_BILINEAR, {quantizedImage, integer, integer}, quantizedImage,
                HalVersion::V1_2);
    expectFirst(DEPTH_TO_SPACE, {image, integer, openOperand(BOOL)}, image, HalVersion::V1_2);
}

TEST(HalVersion, ofAModelThatIsNotValidIsAnError) {
    Model model = makeRelu();
    model.main.operations[0].inputs = {7};
    EXPECT_FALSE(minimumVersion(model));
    expectRefusal(compliantWith(HalVersion::V1_3, model), "7");
    EXPECT_FALSE(convertTo(HalVersion::V1_3, model));
}

TEST(HalVersion, ofAModelIsConvertedWithoutWhatChangesNoResult) {
    Model model = makeRelu();
    model.relaxComputationFloat32toFloat16 = true;
    model.extensionNameToPrefix = {{.name = "org.example", .prefix = 1}};
    const auto oldest = convertTo(HalVersion::V1_0, model);
    ASSERT_TRUE(oldest) << oldest.error().message;
    EXPECT_FALSE(oldest->relaxComputationFloat32toFloat16);
    EXPECT_TRUE(oldest->extensionNameToPrefix.empty());
    EXPECT_TRUE(compliantWith(HalVersion::V1_0, *oldest));
    EXPECT_EQ(oldest->main, model.main);
    const auto next = convertTo(HalVersion::V1_1, model);
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_TRUE(next->relaxComputationFloat32toFloat16);
    const auto latest = convertTo(HalVersion::V1_2, model);
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_EQ(latest->extensionNameToPrefix, model.extensionNameToPrefix);
}

TEST(HalVersion, ofAModelIsNotConvertedWithoutWhatItNeeds) {
    Model model = makeRelu();
    model.main.operations[0].type = OperationType::ABS;
    const auto converted = convertTo(HalVersion::V1_1, model);
    ASSERT_FALSE(converted);
    EXPECT_EQ(converted.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(converted.error().message.find("ABS"), std::string::npos);
}

// ---- Requests

/// For makeRelu({0}).
Request makeRequest() {
    Request request;
    request.inputs = {{.location = {.offset = 0, .length = 16}, .dimensions = {4}}};
    request.outputs = {{.location = {.offset = 16, .length = 16}, .dimensions = {4}}};
    request.pools = {*Region::create(32)};
    return request;
}

TEST(HalVersion, ofARequestKnowsOpenOutputsFrom1_2) {
    const Model model = makeRelu({0});
    Request request = makeRequest();
    EXPECT_TRUE(compliantWith(HalVersion::V1_0, model, request));
    request.outputs[0].dimensions = {};
    for (const HalVersion version : {HalVersion::V1_0, HalVersion::V1_1}) {
        expectRefusal(compliantWith(version, model, request), "output 0");
    }
    EXPECT_TRUE(compliantWith(HalVersion::V1_2, model, request));
    EXPECT_TRUE(compliantWith(HalVersion::V1_0, makeRelu({4}), request));
    request.outputs[0] = {.hasNoValue = true};
    EXPECT_TRUE(compliantWith(HalVersion::V1_0, model, request));
}

TEST(HalVersion, ofARequestKnowsDriverManagedBuffersFrom1_3) {
    const Model model = makeRelu({0});
    Request request = makeRequest();
    request.pools.emplace_back(BufferToken{1});
    expectRefusal(compliantWith(HalVersion::V1_2, model, request), "pool 1");
    EXPECT_TRUE(compliantWith(HalVersion::V1_3, model, request));
}

TEST(HalVersion, convertsRequestsThatItKnows) {
    Request request = makeRequest();
    for (const HalVersion version : kHalVersions) {
        EXPECT_TRUE(compliantWith(version, request));
        const Result<Request> converted = convertTo(version, request);
        ASSERT_TRUE(converted) << converted.error().message;
        EXPECT_EQ(converted->inputs, request.inputs);
        EXPECT_EQ(converted->outputs, request.outputs);
        EXPECT_EQ(converted->pools, request.pools);
    }
    request.pools.emplace_back(BufferToken{1});
    for (const HalVersion version : kHalVersions) {
        EXPECT_EQ(compliantWith(version, request).has_value(), supportsBuffers(version));
        EXPECT_EQ(convertTo(version, request).has_value(), supportsBuffers(version));
    }
    expectRefusal(compliantWith(HalVersion::V1_0, request), "pool 1");
}

TEST(HalVersion, hasANameThatIsReadAsThatVersion) {
    for (const HalVersion version : kHalVersions) {
        EXPECT_EQ(halVersionFromString(toString(version)), version);
    }
    EXPECT_EQ(halVersionFromString("1.9"), std::nullopt);
    EXPECT_EQ(halVersionFromString(""), std::nullopt);
}

TEST(HalVersion, keepsWhatAnEarlierOneBrought) {
    constexpr HalVersion kNext = HalVersion{static_cast<std::uint8_t>(kLatestHalVersion) + 1};
    for (const auto supports :
         {supportsRelaxedComputation, supportsPreference, supportsExtensions, supportsUnknownRank,
          supportsCompilationCaching, supportsTypeAndVersionString, supportsOutputShapes,
          supportsTiming, supportsDeadlines, supportsPriority, supportsBuffers, supportsFences,
          supportsDeadlineAndResourceErrors, supportsReusableExecutions}) {
        EXPECT_FALSE(supports(HalVersion::V1_0));
        EXPECT_TRUE(supports(HalVersion::V1_3));
        EXPECT_TRUE(supports(kNext));
    }
}

TEST(HalVersion, ofARequestThatDoesNotFitItsModelIsAnError) {
    Request request = makeRequest();
    request.inputs.clear();
    EXPECT_FALSE(compliantWith(HalVersion::V1_3, makeRelu({0}), request));
}

// ---- Capabilities

constexpr PerformanceInfo figure(float value) {
    return {.execTime = value, .powerUsage = value + 0.5F};
}

/// Capabilities in which every value is different.
Capabilities makeCapabilities() {
    Capabilities capabilities;
    capabilities.relaxedFloat32toFloat16PerformanceScalar = figure(100);
    capabilities.relaxedFloat32toFloat16PerformanceTensor = figure(101);
    for (int code = 0; code <= static_cast<int>(OperandType::TENSOR_QUANT8_ASYMM_SIGNED); ++code) {
        capabilities.operandPerformance.push_back(
            {.type = static_cast<OperandType>(code), .info = figure(static_cast<float>(code))});
    }
    capabilities.ifPerformance = figure(102);
    capabilities.whilePerformance = figure(103);
    return capabilities;
}

TEST(CapabilitiesOfVersions, areTheFiguresThatEachHas) {
    const Capabilities capabilities = makeCapabilities();
    EXPECT_EQ(toV1_0(capabilities), (CapabilitiesV1_0{.float32Performance = figure(3),
                                                      .quantized8Performance = figure(5)}));
    EXPECT_EQ(toV1_1(capabilities),
              (CapabilitiesV1_1{.float32Performance = figure(3),
                                .quantized8Performance = figure(5),
                                .relaxedFloat32toFloat16Performance = figure(101)}));
    const CapabilitiesV1_2 older = toV1_2(capabilities);
    EXPECT_EQ(older.relaxedFloat32toFloat16PerformanceScalar, figure(100));
    EXPECT_EQ(older.relaxedFloat32toFloat16PerformanceTensor, figure(101));
    ASSERT_EQ(older.operandPerformance.size(), 14U);
    EXPECT_EQ(older.operandPerformance.back().type, OperandType::TENSOR_QUANT8_SYMM);
}

TEST(CapabilitiesOfVersions, standForThoseThatAVersionLacks) {
    const Capabilities of1_0 = convertTo(HalVersion::V1_0, makeCapabilities());
    EXPECT_EQ(of1_0.relaxedFloat32toFloat16PerformanceScalar, figure(3));
    EXPECT_EQ(of1_0.relaxedFloat32toFloat16PerformanceTensor, figure(3));
    EXPECT_EQ(of1_0.operandPerformance,
              (std::vector<OperandPerformance>{{OperandType::FLOAT32, figure(3)},
                                               {OperandType::INT32, figure(5)},
                                               {OperandType::UINT32, figure(5)},
                                               {OperandType::TENSOR_FLOAT32, figure(3)},
                                               {OperandType::TENSOR_INT32, figure(5)},
                                               {OperandType::TENSOR_QUANT8_ASYMM, figure(5)}}));
    EXPECT_EQ(of1_0.ifPerformance, kNoPerformance);
    EXPECT_EQ(of1_0.whilePerformance, kNoPerformance);

    const Capabilities of1_1 = convertTo(HalVersion::V1_1, makeCapabilities());
    EXPECT_EQ(of1_1.relaxedFloat32toFloat16PerformanceScalar, figure(101));
    EXPECT_EQ(of1_1.relaxedFloat32toFloat16PerformanceTensor, figure(101));
    EXPECT_EQ(of1_1.operandPerformance, of1_0.operandPerformance);

    Capabilities of1_2 = makeCapabilities();
    of1_2.operandPerformance.pop_back();
    of1_2.ifPerformance = kNoPerformance;
    of1_2.whilePerformance = kNoPerformance;
    EXPECT_EQ(convertTo(HalVersion::V1_2, makeCapabilities()), of1_2);
    EXPECT_EQ(convertTo(HalVersion::V1_3, makeCapabilities()), makeCapabilities());
}

TEST(CapabilitiesOfVersions, areNotMadeUpWhereADeviceHasNone) {
    const CapabilitiesV1_0 none = toV1_0(Capabilities());
    EXPECT_EQ(none.float32Performance, kNoPerformance);
    EXPECT_EQ(none.quantized8Performance, kNoPerformance);
}

TEST(CapabilitiesOfVersions, complyOnceTheyAreConvertedAndStayAsTheyAre) {
    for (const HalVersion version : kHalVersions) {
        const Capabilities converted = convertTo(version, makeCapabilities());
        EXPECT_TRUE(compliantWith(version, converted)) << toString(version);
        EXPECT_EQ(convertTo(version, converted), converted);
        for (const HalVersion later : kHalVersions) {
            EXPECT_EQ(compliantWith(later, converted).has_value(), later >= version)
                << toString(version) << " in " << toString(later);
        }
    }
}

TEST(CapabilitiesOfVersions, nameTheFigureThatAVersionLacks) {
    const Capabilities capabilities = makeCapabilities();
    expectRefusal(compliantWith(HalVersion::V1_0, capabilities), "FLOAT32");
    expectRefusal(compliantWith(HalVersion::V1_2, capabilities), "TENSOR_QUANT8_ASYMM_SIGNED");
    Capabilities of1_2 = convertTo(HalVersion::V1_2, capabilities);
    of1_2.whilePerformance = figure(1);
    expectRefusal(compliantWith(HalVersion::V1_2, of1_2), "WHILE");
    Capabilities of1_0 = convertTo(HalVersion::V1_0, capabilities);
    of1_0.relaxedFloat32toFloat16PerformanceTensor = figure(1);
    expectRefusal(compliantWith(HalVersion::V1_0, of1_0), "relaxed");
}

TEST(StatusOfVersions, isAGeneralFailureWhereAVersionLacksIt) {
    for (int code = 0; code <= static_cast<int>(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
         ++code) {
        const auto status = static_cast<ErrorStatus>(code);
        EXPECT_EQ(convertTo(HalVersion::V1_3, status), status);
        EXPECT_EQ(convertTo(HalVersion::V1_2, status),
                  status <= ErrorStatus::INVALID_ARGUMENT ? status : ErrorStatus::GENERAL_FAILURE);
    }
}

}  // namespace
}  // namespace nnburst
