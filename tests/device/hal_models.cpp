// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/hal_models.h"

#include <algorithm>
#include <utility>

#include "nnburst/model_builder.h"

namespace nnburst::test {

namespace {

using enum OperandType;

constexpr std::uint64_t kMemoryBytes = 1 << 16;
constexpr std::uint32_t kLineBytes = 64;

}  // namespace

Model makeEndlessModel(float limit) {
    ModelBuilder builder;
    const std::vector<float> infinity{limit};

    ModelBuilder isBelow;
    const auto counted = isBelow.addTensor(TENSOR_FLOAT32, {1});
    const auto bound = isBelow.addConstant(TENSOR_FLOAT32, {1}, std::as_bytes(std::span(infinity)));
    const auto truth = isBelow.addTensor(TENSOR_BOOL8, {1});
    isBelow.addOperation(OperationType::LESS, {counted, bound}, {truth});
    const auto condition = builder.addReferenced(std::move(isBelow), {counted}, {truth});

    ModelBuilder same;
    const auto from = same.addTensor(TENSOR_FLOAT32, {1});
    const auto to = same.addTensor(TENSOR_FLOAT32, {1});
    same.addOperation(OperationType::RELU, {from}, {to});
    const auto body = builder.addReferenced(std::move(same), {from}, {to});

    const auto in = builder.addTensor(TENSOR_FLOAT32, {1});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {1});
    builder.addOperation(
        OperationType::WHILE,
        {builder.addSubgraphReference(condition), builder.addSubgraphReference(body), in}, {out});
    return std::move(*builder.build({in}, {out}));
}

Model makeReshapeModel() {
    ModelBuilder builder;
    const auto in = builder.addTensor(TENSOR_FLOAT32, {6});
    const auto shape = builder.addTensor(TENSOR_INT32, {2});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {});
    builder.addOperation(OperationType::RESHAPE, {in, shape}, {out});
    return std::move(*builder.build({in, shape}, {out}));
}

Model makeBranchModel() {
    ModelBuilder builder;
    ModelBuilder once;
    const auto in = once.addTensor(TENSOR_FLOAT32, {2});
    const auto same = once.addTensor(TENSOR_FLOAT32, {2});
    once.addOperation(OperationType::RELU, {in}, {same});
    const auto then = builder.addReferenced(std::move(once), {in}, {same});

    ModelBuilder twice;
    const auto value = twice.addTensor(TENSOR_FLOAT32, {2});
    const auto axis = twice.addScalar(std::int32_t{0});
    const auto doubled = twice.addTensor(TENSOR_FLOAT32, {4});
    twice.addOperation(OperationType::CONCATENATION, {value, value, axis}, {doubled});
    const auto otherwise = builder.addReferenced(std::move(twice), {value}, {doubled});

    const auto condition = builder.addTensor(TENSOR_BOOL8, {1});
    const auto given = builder.addTensor(TENSOR_FLOAT32, {2});
    const auto out = builder.addTensor(TENSOR_FLOAT32, {0});
    builder.addOperation(OperationType::IF,
                         {condition, builder.addSubgraphReference(then),
                          builder.addSubgraphReference(otherwise), given},
                         {out});
    return std::move(*builder.build({condition, given}, {out}));
}

SmallRequest::SmallRequest() : memory_(std::move(*Mapping::map(*Region::create(kMemoryBytes)))) {
    request.pools = {memory_.region()};
}

RequestArgument SmallRequest::place(std::uint32_t length, Dimensions dimensions) {
    const std::uint32_t offset = used_;
    used_ += (length + kLineBytes - 1) / kLineBytes * kLineBytes;
    return {.location = {.poolIndex = 0, .offset = offset, .length = length},
            .dimensions = std::move(dimensions)};
}

std::span<std::byte> SmallRequest::bytes(const RequestArgument& argument) const {
    return memory_.bytes().subspan(argument.location.offset, argument.location.length);
}

void SmallRequest::addInput(std::span<const std::byte> values, Dimensions dimensions) {
    request.inputs.push_back(
        place(static_cast<std::uint32_t>(values.size()), std::move(dimensions)));
    std::copy(values.begin(), values.end(), bytes(request.inputs.back()).begin());
}

SmallRequest& SmallRequest::omittedInput() {
    request.inputs.push_back({.hasNoValue = true, .location = {}, .dimensions = {}});
    return *this;
}

void SmallRequest::resetOutputs() {
    for (const RequestArgument& output : request.outputs) {
        std::ranges::fill(bytes(output), std::byte{0xEE});
    }
}

SmallRequest& SmallRequest::output(std::uint32_t length, Dimensions dimensions) {
    request.outputs.push_back(place(length, std::move(dimensions)));
    std::ranges::fill(bytes(request.outputs.back()), std::byte{0xEE});
    return *this;
}

SmallRequest& SmallRequest::omittedOutput() {
    request.outputs.push_back({.hasNoValue = true, .location = {}, .dimensions = {}});
    return *this;
}

}  // namespace nnburst::test
