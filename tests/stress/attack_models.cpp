// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "attack_models.h"

#include <span>
#include <utility>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/model_builder.h"

namespace nnburst::stress {

namespace {

using enum OperandType;

std::uint32_t addFloat(ModelBuilder& builder, float value) {
    const std::vector<float> values{value};
    return builder.addConstant(TENSOR_FLOAT32, {1}, std::as_bytes(std::span(values)));
}

/// The subgraph "x < infinity" of tensors of these dimensions; true for ever.
std::uint32_t addEndlessCondition(ModelBuilder& builder, const Dimensions& dimensions) {
    ModelBuilder condition;
    const auto x = condition.addTensor(TENSOR_FLOAT32, dimensions);
    const auto truth = condition.addTensor(TENSOR_BOOL8, {1});
    const std::vector<std::uint8_t> yes{1};
    const auto always = condition.addConstant(TENSOR_BOOL8, {1}, std::as_bytes(std::span(yes)));
    condition.addOperation(OperationType::LOGICAL_OR, {always, always}, {truth});
    return builder.addReferenced(std::move(condition), {x}, {truth});
}

std::uint32_t addLoop(ModelBuilder& builder, std::uint32_t condition, std::uint32_t body,
                      std::uint32_t in, const Dimensions& outDimensions) {
    const auto out = builder.addTensor(TENSOR_FLOAT32, outDimensions);
    builder.addOperation(
        OperationType::WHILE,
        {builder.addSubgraphReference(condition), builder.addSubgraphReference(body), in}, {out});
    return out;
}

std::uint32_t addNormalization(ModelBuilder& builder, std::uint32_t in, std::uint32_t count,
                               float bias) {
    const auto out = builder.addTensor(TENSOR_FLOAT32, {count});
    builder.addOperation(
        OperationType::LOCAL_RESPONSE_NORMALIZATION,
        {in, builder.addScalar(static_cast<std::int32_t>(count)), builder.addScalar(bias),
         builder.addScalar(1.0F), builder.addScalar(0.5F)},
        {out});
    return out;
}

}  // namespace

Model makeNestedBranches(std::uint32_t levels, float number) {
    ModelBuilder builder;
    ModelBuilder last;
    const auto lastTruth = last.addTensor(TENSOR_BOOL8, {1});
    const auto from = last.addTensor(TENSOR_FLOAT32, {1});
    const auto to = last.addTensor(TENSOR_FLOAT32, {1});
    last.addOperation(OperationType::ADD, {from, addFloat(last, number), last.addScalar(0)}, {to});
    std::uint32_t inner = builder.addReferenced(std::move(last), {lastTruth, from}, {to});
    for (std::uint32_t level = 1; level < levels; ++level) {
        ModelBuilder next;
        const auto truth = next.addTensor(TENSOR_BOOL8, {1});
        const auto x = next.addTensor(TENSOR_FLOAT32, {1});
        const auto y = next.addTensor(TENSOR_FLOAT32, {1});
        const auto branch = next.addSubgraphReference(inner);
        next.addOperation(OperationType::IF,
                          {truth, branch, next.addSubgraphReference(inner), truth, x}, {y});
        inner = builder.addReferenced(std::move(next), {truth, x}, {y});
    }
    const auto truth = builder.addTensor(TENSOR_BOOL8, {1});
    const auto x = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto y = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto branch = builder.addSubgraphReference(inner);
    builder.addOperation(OperationType::IF,
                         {truth, branch, builder.addSubgraphReference(inner), truth, x}, {y});
    return std::move(*builder.build({truth, x}, {y}));
}

Model makeNestedLoops(std::uint32_t levels, float number) {
    ModelBuilder builder;
    const auto condition = addEndlessCondition(builder, {1});
    ModelBuilder last;
    const auto from = last.addTensor(TENSOR_FLOAT32, {1});
    const auto to = last.addTensor(TENSOR_FLOAT32, {1});
    last.addOperation(OperationType::ADD, {from, addFloat(last, number), last.addScalar(0)}, {to});
    std::uint32_t body = builder.addReferenced(std::move(last), {from}, {to});
    for (std::uint32_t level = 1; level < levels; ++level) {
        ModelBuilder next;
        const auto x = next.addTensor(TENSOR_FLOAT32, {1});
        const auto y = addLoop(next, condition, body, x, {1});
        body = builder.addReferenced(std::move(next), {x}, {y});
    }
    const auto in = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto out = addLoop(builder, condition, body, in, {1});
    return std::move(*builder.build({in}, {out}));
}

Model makeDoublingLoop(float number) {
    ModelBuilder builder;
    const auto condition = addEndlessCondition(builder, {0});
    ModelBuilder twice;
    const auto from = twice.addTensor(TENSOR_FLOAT32, {0});
    const auto doubled = twice.addTensor(TENSOR_FLOAT32, {0});
    const auto to = twice.addTensor(TENSOR_FLOAT32, {0});
    twice.addOperation(OperationType::CONCATENATION, {from, from, twice.addScalar(0)}, {doubled});
    twice.addOperation(OperationType::ADD, {doubled, addFloat(twice, number), twice.addScalar(0)},
                       {to});
    const auto body = builder.addReferenced(std::move(twice), {from}, {to});
    const auto in = builder.addTensor(TENSOR_FLOAT32, {0});
    const auto out = addLoop(builder, condition, body, in, {0});
    return std::move(*builder.build({in}, {out}));
}

Model makeHugeOperation(float number) {
    ModelBuilder builder;
    constexpr std::uint32_t kCount = kHugeOperationBytes / sizeof(float);
    const auto in = builder.addTensor(TENSOR_FLOAT32, {kCount});
    const auto out = addNormalization(builder, in, kCount, number);
    return std::move(*builder.build({in}, {out}));
}

Model makeHugeFolding(float number) {
    ModelBuilder builder;
    constexpr std::uint32_t kCount = kHugeOperationBytes / sizeof(float);
    const std::vector<float> values(kCount, 0.5F);
    const auto constant =
        builder.addConstant(TENSOR_FLOAT32, {kCount}, std::as_bytes(std::span(values)));
    const auto folded = addNormalization(builder, constant, kCount, number);
    const auto in = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {kCount});
    builder.addOperation(OperationType::ADD, {folded, in, builder.addScalar(0)}, {out});
    return std::move(*builder.build({in}, {out}));
}

Model makeBigConvolution(float number) {
    ModelBuilder builder;
    constexpr std::uint32_t kSize = 256;
    constexpr std::uint32_t kChannels = 256;
    const std::vector<float> weights(std::size_t{kChannels} * 9 * kChannels, number * 1e-3F);
    const std::vector<float> biases(kChannels, number);
    const Dimensions image{1, kSize, kSize, kChannels};
    const auto in = builder.addTensor(TENSOR_FLOAT32, image);
    const auto out = builder.addTensor(TENSOR_FLOAT32, image);
    const auto filter = builder.addConstant(TENSOR_FLOAT32, {kChannels, 3, 3, kChannels},
                                            std::as_bytes(std::span(weights)));
    const auto bias =
        builder.addConstant(TENSOR_FLOAT32, {kChannels}, std::as_bytes(std::span(biases)));
    constexpr std::int32_t kPaddingSame = 1;
    builder.addOperation(OperationType::CONV_2D,
                         {in, filter, bias, builder.addScalar(kPaddingSame), builder.addScalar(1),
                          builder.addScalar(1), builder.addScalar(0)},
                         {out});
    return std::move(*builder.build({in}, {out}));
}

Model makeSparseConstants(std::uint32_t count, std::uint32_t bytes, float number) {
    ModelBuilder builder;
    const auto elements = static_cast<std::uint32_t>(bytes / sizeof(float));
    const auto in = builder.addTensor(TENSOR_FLOAT32, {elements});
    std::vector<std::uint32_t> constants;
    std::uint32_t sum = in;
    const auto addTo = [&](std::uint32_t other) {
        const auto next = builder.addTensor(TENSOR_FLOAT32, {elements});
        builder.addOperation(OperationType::ADD, {sum, other, builder.addScalar(0)}, {next});
        sum = next;
    };
    addTo(addFloat(builder, number));
    for (std::uint32_t i = 0; i < count; ++i) {
        constants.push_back(builder.addTensor(TENSOR_FLOAT32, {elements}));
        addTo(constants.back());
    }
    // Built as inputs, since the builder copies constants into pools of its own.
    std::vector<std::uint32_t> inputs{in};
    inputs.insert(inputs.end(), constants.begin(), constants.end());
    Model model = std::move(*builder.build(inputs, {sum}));
    model.main.inputIndexes = {in};
    for (std::uint32_t i = 0; i < count; ++i) {
        Operand& operand = model.main.operands[constants[i]];
        operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
        operand.location = {.poolIndex = static_cast<std::uint32_t>(model.pools.size()),
                            .offset = 0,
                            .length = bytes};
        model.pools.push_back(*Region::create(bytes));
    }
    return model;
}

Model makeFirstColumn(std::uint32_t rows, std::uint32_t width) {
    ModelBuilder builder;
    const auto in = builder.addTensor(TENSOR_QUANT8_ASYMM, {rows, width}, 1.0F);
    const auto out = builder.addTensor(TENSOR_QUANT8_ASYMM, {rows, 1}, 1.0F);
    const std::vector<std::int32_t> begin{0, 0};
    const std::vector<std::int32_t> size{static_cast<std::int32_t>(rows), 1};
    const auto first = builder.addConstant(TENSOR_INT32, {2}, std::as_bytes(std::span(begin)));
    const auto extent = builder.addConstant(TENSOR_INT32, {2}, std::as_bytes(std::span(size)));
    builder.addOperation(OperationType::SLICE, {in, first, extent}, {out});
    return std::move(*builder.build({in}, {out}));
}

Model makeFirstFloat() {
    ModelBuilder builder;
    const auto addInteger = [&](std::int32_t value) {
        return builder.addConstant(TENSOR_INT32, {1}, std::as_bytes(std::span(&value, 1)));
    };
    const auto in = builder.addTensor(TENSOR_FLOAT32, {kCopiedBytes / sizeof(float)});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {1});
    builder.addOperation(OperationType::SLICE, {in, addInteger(0), addInteger(1)}, {out});
    return std::move(*builder.build({in}, {out}));
}

Request makeRequest(std::uint32_t inputBytes, std::uint32_t outputBytes) {
    Request request;
    request.pools = {*Region::create(std::uint64_t{inputBytes} + outputBytes)};
    request.inputs = {{.location = {.poolIndex = 0, .offset = 0, .length = inputBytes}}};
    request.outputs = {{.location = {.poolIndex = 0, .offset = inputBytes, .length = outputBytes}}};
    return request;
}

}  // namespace nnburst::stress
