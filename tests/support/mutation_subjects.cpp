// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "mutation_subjects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ostream>
#include <utility>

#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"
#include "nnburst/type_queries.h"

namespace nnburst::test {

namespace {

using enum OperandType;

constexpr std::size_t kAlignmentBytes = 64;

Model finish(ModelBuilder& builder, std::vector<std::uint32_t> inputs,
             std::vector<std::uint32_t> outputs) {
    auto model = builder.build(std::move(inputs), std::move(outputs));
    EXPECT_TRUE(model) << model.error().message;
    return model ? std::move(*model) : Model();
}

std::uint32_t addZeros(ModelBuilder& builder, OperandType type, const Dimensions& dimensions,
                       float scale = 0.0F, std::int32_t zeroPoint = 0,
                       OperandExtraParams extraParams = {}) {
    const std::vector<std::byte> bytes(*operandBytes(type, dimensions));
    return builder.addConstant(type, dimensions, bytes, scale, zeroPoint, std::move(extraParams));
}

std::uint32_t addNumbers(ModelBuilder& builder, const Dimensions& dimensions) {
    std::vector<float> numbers(*operandBytes(TENSOR_FLOAT32, dimensions) / sizeof(float));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = static_cast<float>(i % 7) * 0.25F - 0.5F;
    }
    return builder.addConstant(TENSOR_FLOAT32, dimensions, std::as_bytes(std::span(numbers)));
}

/// CONV_2D with explicit padding, DEPTHWISE_CONV_2D with implicit, FULLY_CONNECTED, SOFTMAX.
Model makeFloatNet() {
    ModelBuilder builder;
    const auto image = builder.addTensor(TENSOR_FLOAT32, {1, 5, 5, 2});
    const auto filter = addNumbers(builder, {4, 3, 3, 2});
    const auto bias = addNumbers(builder, {4});
    const auto zero = builder.addScalar(0);
    const auto one = builder.addScalar(1);
    const auto convolved = builder.addTensor(TENSOR_FLOAT32, {1, 3, 3, 4});
    builder.addOperation(OperationType::CONV_2D,
                         {image, filter, bias, zero, zero, zero, zero, one, one, zero},
                         {convolved});
    const auto depthFilter = addNumbers(builder, {1, 3, 3, 4});
    const auto depthBias = addNumbers(builder, {4});
    const auto deep = builder.addTensor(TENSOR_FLOAT32, {1, 3, 3, 4});
    builder.addOperation(OperationType::DEPTHWISE_CONV_2D,
                         {convolved, depthFilter, depthBias, one, one, one, one, one}, {deep});
    const auto weights = addNumbers(builder, {3, 36});
    const auto weightBias = addNumbers(builder, {3});
    const auto logits = builder.addTensor(TENSOR_FLOAT32, {1, 3});
    builder.addOperation(OperationType::FULLY_CONNECTED, {deep, weights, weightBias, zero},
                         {logits});
    const auto classes = builder.addTensor(TENSOR_FLOAT32, {1, 3});
    builder.addOperation(OperationType::SOFTMAX, {logits, builder.addScalar(1.0F)}, {classes});
    return finish(builder, {image}, {classes});
}

/// CONV_2D, MAX_POOL_2D, ADD, DEQUANTIZE of unsigned or signed 8-bit numbers.
Model makeQuantizedNet(OperandType type, std::int32_t zeroPoint) {
    ModelBuilder builder;
    const auto image = builder.addTensor(type, {1, 4, 4, 2}, 0.5F, zeroPoint);
    const auto filter = addZeros(builder, type, {2, 1, 1, 2}, 0.25F, zeroPoint);
    const auto bias = addZeros(builder, TENSOR_INT32, {2}, 0.125F);
    const auto zero = builder.addScalar(0);
    const auto one = builder.addScalar(1);
    const auto two = builder.addScalar(2);
    const auto convolved = builder.addTensor(type, {1, 4, 4, 2}, 1.0F, zeroPoint);
    builder.addOperation(OperationType::CONV_2D, {image, filter, bias, one, one, one, zero},
                         {convolved});
    const auto pooled = builder.addTensor(type, {1, 2, 2, 2}, 1.0F, zeroPoint);
    builder.addOperation(OperationType::MAX_POOL_2D, {convolved, one, two, two, two, two, zero},
                         {pooled});
    const auto sum = builder.addTensor(type, {1, 2, 2, 2}, 2.0F, zeroPoint);
    builder.addOperation(OperationType::ADD, {pooled, pooled, zero}, {sum});
    const auto result = builder.addTensor(TENSOR_FLOAT32, {1, 2, 2, 2});
    builder.addOperation(OperationType::DEQUANTIZE, {sum}, {result});
    return finish(builder, {image}, {result, sum});
}

/// CONV_2D with a scale for each of its filters.
Model makePerChannelNet() {
    ModelBuilder builder;
    const auto image = builder.addTensor(TENSOR_QUANT8_ASYMM, {1, 4, 4, 2}, 0.5F, 128);
    const auto filter =
        addZeros(builder, TENSOR_QUANT8_SYMM_PER_CHANNEL, {3, 1, 1, 2}, 0.0F, 0,
                 SymmPerChannelQuantParams{.scales = {0.25F, 0.5F, 1.0F}, .channelDim = 0});
    const auto bias = addZeros(builder, TENSOR_INT32, {3});
    const auto zero = builder.addScalar(0);
    const auto one = builder.addScalar(1);
    const auto result = builder.addTensor(TENSOR_QUANT8_ASYMM, {1, 4, 4, 3}, 1.0F, 128);
    builder.addOperation(OperationType::CONV_2D, {image, filter, bias, one, one, one, zero},
                         {result});
    return finish(builder, {image}, {result});
}

/// The same model with all constants by reference, in two pools.
Model byReference(Model model) {
    for (const std::size_t pool : {0U, 1U}) {
        model.pools.push_back(*Region::create(model.operandValues.size()));
        EXPECT_TRUE(model.pools[pool]->write(0, std::as_bytes(std::span(model.operandValues))));
    }
    std::uint32_t pool = 0;
    for (Operand& operand : model.main.operands) {
        if (operand.lifetime == OperandLifeTime::CONSTANT_COPY) {
            operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
            operand.location.poolIndex = pool;
            pool = 1 - pool;
        }
    }
    model.operandValues.clear();
    return model;
}

/// IF counts up by WHILE, or ELSE gives RELU.
Model makeControlFlow() {
    ModelBuilder builder;

    ModelBuilder isBelow;
    const auto counted = isBelow.addTensor(TENSOR_FLOAT32, {1});
    const auto limit = addNumbers(isBelow, {1});
    const auto truth = isBelow.addTensor(TENSOR_BOOL8, {1});
    isBelow.addOperation(OperationType::LESS, {counted, limit}, {truth});
    const auto condition = builder.addReferenced(std::move(isBelow), {counted}, {truth});

    ModelBuilder increment;
    const auto from = increment.addTensor(TENSOR_FLOAT32, {1});
    const auto step =
        increment.addConstant(TENSOR_FLOAT32, {1}, std::as_bytes(std::span<const float>({1.0F})));
    const auto to = increment.addTensor(TENSOR_FLOAT32, {1});
    increment.addOperation(OperationType::ADD, {from, step, increment.addScalar(0)}, {to});
    const auto body = builder.addReferenced(std::move(increment), {from}, {to});

    ModelBuilder loop;
    const auto start = loop.addTensor(TENSOR_FLOAT32, {1});
    const auto end = loop.addTensor(TENSOR_FLOAT32, {1});
    loop.addOperation(
        OperationType::WHILE,
        {loop.addSubgraphReference(condition), loop.addSubgraphReference(body), start}, {end});
    const auto then = builder.addReferenced(std::move(loop), {start}, {end});

    ModelBuilder same;
    const auto value = same.addTensor(TENSOR_FLOAT32, {1});
    const auto kept = same.addTensor(TENSOR_FLOAT32, {1});
    same.addOperation(OperationType::RELU, {value}, {kept});
    const auto otherwise = builder.addReferenced(std::move(same), {value}, {kept});

    const auto question = builder.addTensor(TENSOR_BOOL8, {1});
    const auto input = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto result = builder.addTensor(TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::IF,
                         {question, builder.addSubgraphReference(then),
                          builder.addSubgraphReference(otherwise), input},
                         {result});
    return finish(builder, {question, input}, {result});
}

/// All sizes are open, one output has an unknown rank; a scalar is an input.
Model makeDynamicNet() {
    ModelBuilder builder;
    const auto a = builder.addTensor(TENSOR_FLOAT32, {0, 3});
    const auto axis = builder.addScalar(1);
    const auto activation = builder.addTensor(INT32, {});
    const auto joined = builder.addTensor(TENSOR_FLOAT32, {0, 0});
    builder.addOperation(OperationType::CONCATENATION, {a, a, axis}, {joined});
    const auto sum = builder.addTensor(TENSOR_FLOAT32, {});
    builder.addOperation(OperationType::ADD, {joined, joined, activation}, {sum});
    return finish(builder, {a, activation}, {joined, sum});
}

/// Omitted operands: an LSTM without peepholes and projection.
Model makeLstm() {
    return std::move(*makeStreamingLstm({.features = 3, .cells = 2}));
}

std::vector<Dimensions> dimensionsOf(const Model& model,
                                     const std::vector<std::uint32_t>& indexes) {
    std::vector<Dimensions> dimensions;
    for (const std::uint32_t index : indexes) {
        dimensions.push_back(model.main.operands[index].dimensions);
    }
    return dimensions;
}

Subject specified(std::string name, Model model) {
    Subject subject{.name = std::move(name),
                    .model = std::move(model),
                    .inputDimensions = {},
                    .outputDimensions = {}};
    subject.inputDimensions = dimensionsOf(subject.model, subject.model.main.inputIndexes);
    subject.outputDimensions = dimensionsOf(subject.model, subject.model.main.outputIndexes);
    return subject;
}

/// Arguments one after the other in a pool, and how large that has to be.
std::uint64_t layOut(const Subgraph& subgraph, const std::vector<std::uint32_t>& indexes,
                     const std::vector<Dimensions>& dimensions, std::uint32_t pool,
                     std::vector<RequestArgument>& arguments) {
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const OperandType type = subgraph.operands[indexes[i]].type;
        const std::uint64_t bytes = *operandBytes(type, dimensions[i]);
        arguments.push_back({.location = {.poolIndex = pool,
                                          .offset = static_cast<std::uint32_t>(offset),
                                          .length = static_cast<std::uint32_t>(bytes)},
                             .dimensions = dimensions[i]});
        offset += (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
    }
    return offset;
}

}  // namespace

void PrintTo(const Subject& subject, std::ostream* out) {
    *out << subject.name;
}

const std::vector<Subject>& subjects() {
    static const std::vector<Subject> all = [] {
        std::vector<Subject> made;
        made.push_back(specified("floatNet", makeFloatNet()));
        made.push_back(specified("floatNetByReference", byReference(makeFloatNet())));
        made.push_back(specified("quantizedNet", makeQuantizedNet(TENSOR_QUANT8_ASYMM, 128)));
        made.push_back(specified("signedNet", makeQuantizedNet(TENSOR_QUANT8_ASYMM_SIGNED, 0)));
        made.push_back(specified("perChannelNet", makePerChannelNet()));
        made.push_back(specified("lstm", makeLstm()));
        made.push_back(specified("controlFlow", makeControlFlow()));
        made.push_back({.name = "dynamicNet",
                        .model = makeDynamicNet(),
                        .inputDimensions = {{2, 3}, {}},
                        .outputDimensions = {{2, 6}, {2, 6}}});
        return made;
    }();
    return all;
}

const Subject& subject(const std::string& name) {
    const auto found = std::find_if(subjects().begin(), subjects().end(),
                                    [&](const Subject& subject) { return subject.name == name; });
    EXPECT_NE(found, subjects().end()) << name;
    return *found;
}

SubjectRequest::SubjectRequest(const Subject& subject) {
    const Subgraph& main = subject.model.main;
    const std::uint64_t inputBytes =
        layOut(main, main.inputIndexes, subject.inputDimensions, 0, request_.inputs);
    const std::uint64_t outputBytes =
        layOut(main, main.outputIndexes, subject.outputDimensions, 1, request_.outputs);
    inputs_ = std::move(*Mapping::map(*Region::create(inputBytes)));
    outputs_ = std::move(*Mapping::map(*Region::create(outputBytes)));
    request_.pools = {inputs_.region(), outputs_.region()};
    for (const std::uint32_t index : main.inputIndexes) {
        inputTypes_.push_back(main.operands[index].type);
    }
    reset();
}

void SubjectRequest::reset() {
    for (std::size_t input = 0; input < inputTypes_.size(); ++input) {
        const DataLocation& location = request_.inputs[input].location;
        std::byte* const bytes = inputs_.data() + location.offset;
        for (std::uint32_t i = 0; i < location.length; ++i) {
            bytes[i] = std::byte{inputTypes_[input] == TENSOR_BOOL8};
        }
        for (std::uint32_t i = 0; inputTypes_[input] == TENSOR_FLOAT32 && i < location.length / 4;
             ++i) {
            const float value = -3.0F + 0.5F * static_cast<float>(i % 11);
            std::memcpy(bytes + std::size_t{i} * 4, &value, sizeof(value));
        }
    }
    std::fill(outputs_.bytes().begin(), outputs_.bytes().end(), std::byte{0});
}

std::vector<std::byte> SubjectRequest::inputs() const {
    return {inputs_.bytes().begin(), inputs_.bytes().end()};
}

std::vector<std::byte> SubjectRequest::outputs() const {
    return {outputs_.bytes().begin(), outputs_.bytes().end()};
}

}  // namespace nnburst::test
