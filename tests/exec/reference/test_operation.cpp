// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/test_operation.h"
#include "exec/reference/operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "model/operand_info.h"
#include "support/allocation_counter.h"

namespace nnburst::exec {

namespace {

TestOperand given(OperandType type, Dimensions dimensions, std::vector<std::byte> data,
                  float scale = 0.0F, std::int32_t zeroPoint = 0) {
    TestOperand operand = tensor(type, std::move(dimensions), scale, zeroPoint);
    operand.data = std::move(data);
    return operand;
}

template <class T>
TestOperand constant(OperandType type, T value) {
    TestOperand operand = given(type, {}, toBytes(std::vector<T>{value}));
    operand.isConstant = true;
    return operand;
}

enum class Contents { OF_CONSTANTS, OF_ALL };

std::vector<OperandView> viewsOf(std::vector<TestOperand>& operands, Contents contents) {
    std::vector<OperandView> views;
    for (TestOperand& operand : operands) {
        const bool hasData = contents == Contents::OF_ALL || operand.isConstant;
        views.push_back({.type = operand.type,
                         .shape = Shape(operand.dimensions),
                         .scale = operand.scale,
                         .zeroPoint = operand.zeroPoint,
                         .channelQuant = operand.channelQuant ? &*operand.channelQuant : nullptr,
                         .data = hasData && !operand.isOmitted ? operand.data.data() : nullptr,
                         .isConstant = operand.isConstant,
                         .isOmitted = operand.isOmitted});
    }
    return views;
}

}  // namespace

TestOperand floats(Dimensions dimensions, const std::vector<float>& values) {
    return given(OperandType::TENSOR_FLOAT32, std::move(dimensions), toBytes(values));
}

TestOperand halves(Dimensions dimensions, const std::vector<float>& values) {
    std::vector<Float16> converted(values.size());
    std::transform(values.begin(), values.end(), converted.begin(),
                   [](float value) { return Float16(value); });
    return given(OperandType::TENSOR_FLOAT16, std::move(dimensions), toBytes(converted));
}

TestOperand int32s(Dimensions dimensions, const std::vector<std::int32_t>& values, float scale) {
    return given(OperandType::TENSOR_INT32, std::move(dimensions), toBytes(values), scale);
}

TestOperand quant8(Dimensions dimensions, const std::vector<std::uint8_t>& values, float scale,
                   std::int32_t zeroPoint) {
    return given(OperandType::TENSOR_QUANT8_ASYMM, std::move(dimensions), toBytes(values), scale,
                 zeroPoint);
}

TestOperand quant8Signed(Dimensions dimensions, const std::vector<std::int8_t>& values, float scale,
                         std::int32_t zeroPoint) {
    return given(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, std::move(dimensions), toBytes(values),
                 scale, zeroPoint);
}

TestOperand quant8PerChannel(Dimensions dimensions, const std::vector<std::int8_t>& values,
                             std::vector<float> scales, std::uint32_t channelDim) {
    TestOperand operand =
        given(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, std::move(dimensions), toBytes(values));
    operand.channelQuant = SymmPerChannelQuantParams{std::move(scales), channelDim};
    return operand;
}

TestOperand scalar(std::int32_t value) {
    return constant(OperandType::INT32, value);
}
TestOperand scalar(float value) {
    return constant(OperandType::FLOAT32, value);
}
TestOperand scalar(Float16 value) {
    return constant(OperandType::FLOAT16, value);
}
TestOperand scalar(bool value) {
    return constant(OperandType::BOOL, static_cast<std::uint8_t>(value));
}

TestOperand omitted(OperandType type) {
    TestOperand operand = tensor(type);
    operand.isOmitted = true;
    return operand;
}

TestOperand tensor(OperandType type, Dimensions dimensions, float scale, std::int32_t zeroPoint) {
    TestOperand operand;
    operand.type = type;
    operand.dimensions = std::move(dimensions);
    operand.scale = scale;
    operand.zeroPoint = zeroPoint;
    return operand;
}

Result<> TestOperation::check() {
    const std::vector<OperandView> inputViews = viewsOf(inputs, Contents::OF_CONSTANTS);
    const std::vector<OperandView> outputViews = viewsOf(outputs, Contents::OF_CONSTANTS);
    const OperationDefinition& definition = *findOperation(type);
    NNBURST_TRY_ASSIGN(const HalVersion version, definition.check({type, inputViews, outputViews}));
    minimumVersion = std::max(version, definition.since);
    return {};
}

Result<> TestOperation::run() {
    NNBURST_TRY(check());
    const OperationDefinition& definition = *findOperation(type);
    const std::vector<OperandView> inputViews = viewsOf(inputs, Contents::OF_ALL);
    std::vector<OperandView> outputViews = viewsOf(outputs, Contents::OF_CONSTANTS);
    std::vector<Shape> shapes(outputs.size());
    NNBURST_TRY(definition.inferShapes({type, inputViews, outputViews}, shapes));
    if (!outputShapes.empty()) {
        shapes = outputShapes;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto sizes = shapes[i].sizes();
        outputs[i].dimensions = {sizes.begin(), sizes.end()};
        outputs[i].data.assign(*operandBytes(outputs[i].type, sizes), std::byte{0xCD});
    }
    outputViews = viewsOf(outputs, Contents::OF_ALL);
    for (const SamePlace& place : inPlace) {
        outputViews[place.output].data = inputs[place.input].data.data();
    }
    const OperationView operation{
        .type = type, .inputs = inputViews, .outputs = outputViews, .timeLimit = timeLimit};
    std::vector<std::byte> scratch(
        definition.scratchBytes != nullptr ? definition.scratchBytes(operation) : 0);
    const std::uint64_t allocations = test::allocationCount();
    Result<> result = definition.runShrinking != nullptr
                          ? definition.runShrinking(operation, scratch, shapes)
                          : definition.run(operation, scratch);
    if (result) {
        EXPECT_EQ(test::allocationCount(), allocations) << toString(type) << " allocates";
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {  // smaller if they have shrunk
        const auto sizes = shapes[i].sizes();
        outputs[i].dimensions = {sizes.begin(), sizes.end()};
        outputs[i].data.resize(*operandBytes(outputs[i].type, sizes));
    }
    return result;
}

std::string TestOperation::refusal() {
    const Result<> result = run();
    return result ? std::string() : result.error().message;
}

void expectRefusals(const std::function<TestOperation()>& makeValid,
                    const std::vector<Refusal>& refusals) {
    ASSERT_EQ(makeValid().refusal(), "");
    for (const Refusal& refusal : refusals) {
        TestOperation operation = makeValid();
        refusal.change(operation);
        EXPECT_EQ(operation.refusal(), refusal.message);
    }
}

}  // namespace nnburst::exec
