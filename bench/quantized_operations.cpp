// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What do our own kernels for operations of 8 bits save, beside convolutions and fully connected
/// layers? One operation, most on an image of 56 x 56 x 64, in this process on one thread, with
/// them and without: then XNNPACK or the reference kernels run it.

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "burst_path.h"
#include "exec/dot8/instruction_set.h"
#include "fail.h"
#include "measure.h"
#include "nnburst/device.h"
#include "nnburst/driver.h"
#include "nnburst/model_builder.h"
#include "row.h"
#include "suites.h"

namespace nnburst::bench {
namespace {

constexpr auto kElement = OperandType::TENSOR_QUANT8_ASYMM;
constexpr std::uint32_t kSize = 56;
constexpr std::uint32_t kChannels = 64;

/// A model of one operation.
class OneOperation {
  public:
    std::uint32_t image(std::uint32_t size, std::uint32_t channels, float scale,
                        std::int32_t zeroPoint) {
        return builder_.addTensor(kElement, {1, size, size, channels}, scale, zeroPoint);
    }
    void addIntegers(std::vector<std::uint32_t>& inputs, std::span<const std::int32_t> values) {
        for (const std::int32_t value : values) {
            inputs.push_back(builder_.addScalar(value));
        }
    }
    Model build(OperationType type, std::vector<std::uint32_t> inputs, std::uint32_t output,
                std::vector<std::uint32_t> modelInputs) {
        builder_.addOperation(type, std::move(inputs), {output});
        return valueOf(builder_.build(std::move(modelInputs), {output}));
    }
    ModelBuilder& builder() noexcept { return builder_; }

  private:
    ModelBuilder builder_;
};

Model transposeConvolution() {
    OneOperation model;
    const std::uint32_t input = model.image(kSize / 2, kChannels, 0.02F, 120);
    const std::uint32_t output = model.image(kSize, kChannels, 0.3F, 128);
    std::vector<std::uint8_t> weights(std::size_t{kChannels} * 4 * 4 * kChannels);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<std::uint8_t>(i * 77 >> 2);
    }
    const std::vector<std::int32_t> bias(kChannels, 3);
    std::vector<std::uint32_t> inputs{
        input,
        model.builder().addConstant(kElement, {kChannels, 4, 4, kChannels},
                                    std::as_bytes(std::span(weights)), 0.02F, 128),
        model.builder().addConstant(OperandType::TENSOR_INT32, {kChannels},
                                    std::as_bytes(std::span(bias)), 0.0004F, 0)};
    model.addIntegers(inputs, std::array{1, 1, 1, 1, 2, 2, 0});
    inputs.push_back(model.builder().addScalar(false));
    return model.build(OperationType::TRANSPOSE_CONV_2D, std::move(inputs), output, {input});
}

Model averagePool() {
    OneOperation model;
    const std::uint32_t input = model.image(kSize, kChannels, 0.02F, 120);
    const std::uint32_t output = model.image(kSize, kChannels, 0.02F, 120);
    std::vector<std::uint32_t> inputs{input};
    model.addIntegers(inputs, std::array{1, 1, 1, 3, 3, 0});
    return model.build(OperationType::AVERAGE_POOL_2D, std::move(inputs), output, {input});
}

Model hardSwish() {
    OneOperation model;
    const std::uint32_t input = model.image(kSize, kChannels, 0.02F, 120);
    const std::uint32_t output = model.image(kSize, kChannels, 0.03F, 10);
    return model.build(OperationType::HARD_SWISH, {input}, output, {input});
}

Model concatenation() {
    OneOperation model;
    const std::uint32_t first = model.image(kSize, kChannels, 0.02F, 120);
    const std::uint32_t second = model.image(kSize, kChannels, 0.03F, 130);
    const std::uint32_t output = model.image(kSize, 2 * kChannels, 0.035F, 128);
    std::vector<std::uint32_t> inputs{first, second};
    model.addIntegers(inputs, std::array{3});
    return model.build(OperationType::CONCATENATION, std::move(inputs), output, {first, second});
}

/// One step of 256 units.
Model lstm() {
    constexpr std::uint32_t kUnits = 256;
    constexpr float kUnit = 1.0F / 128;
    OneOperation model;
    ModelBuilder& builder = model.builder();
    std::vector<std::uint8_t> weights(std::size_t{kUnits} * kUnits);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = static_cast<std::uint8_t>(i * 77 >> 2);
    }
    const std::vector<std::int32_t> bias(kUnits, 3);
    const std::uint32_t input = builder.addTensor(kElement, {1, kUnits}, kUnit, 128);
    const std::uint32_t state =
        builder.addTensor(OperandType::TENSOR_QUANT16_SYMM, {1, kUnits}, 1.0F / 2048, 0);
    std::vector<std::uint32_t> inputs{input};
    for (int matrix = 0; matrix < 8; ++matrix) {
        inputs.push_back(builder.addConstant(kElement, {kUnits, kUnits},
                                             std::as_bytes(std::span(weights)), 0.004F, 120));
    }
    for (int gate = 0; gate < 4; ++gate) {
        inputs.push_back(builder.addConstant(OperandType::TENSOR_INT32, {kUnits},
                                             std::as_bytes(std::span(bias)), 0.004F / 128, 0));
    }
    inputs.insert(inputs.end(), {state, input});
    const std::uint32_t stateAfter =
        builder.addTensor(OperandType::TENSOR_QUANT16_SYMM, {1, kUnits}, 1.0F / 2048, 0);
    const std::uint32_t output = builder.addTensor(kElement, {1, kUnits}, kUnit, 128);
    builder.addOperation(OperationType::QUANTIZED_16BIT_LSTM, std::move(inputs),
                         {stateAfter, output});
    return valueOf(builder.build({input, state}, {stateAfter, output}));
}

Device& device(bool useDotProducts) {
    static const SharedDevice own = valueOf(makeLocalDevice({.threads = 1}));
    static const SharedDevice others =
        valueOf(makeLocalDevice({.threads = 1, .useDotProducts = false}));
    return useDotProducts ? *own : *others;
}

void registerOperation(const std::string& group, const std::string& label, Model (*make)()) {
    for (const bool useDotProducts : {true, false}) {
        registerRow(group + (useDotProducts ? "/own" : "/others"),
                    label + (useDotProducts ? ", our kernels" : ", XNNPACK or reference kernel"),
                    [=](benchmark::State& state) {
                        BurstPath path(make(), device(useDotProducts));
                        measureEach(state, [&] { return path.execute(); });
                    });
    }
}

}  // namespace

void registerQuantizedOperations() {
    if (exec::dot8::fastestMicrokernels() == nullptr) {
        return;  // this processor does not have the instructions: nothing to compare
    }
    registerOperation("transposeConv2d", "TRANSPOSE_CONV_2D 28x28x64 to 56x56x64, 4x4, stride 2",
                      transposeConvolution);
    registerOperation("averagePool2d", "AVERAGE_POOL_2D 56x56x64, 3x3, padded", averagePool);
    registerOperation("hardSwish", "HARD_SWISH 56x56x64", hardSwish);
    registerOperation("concatenation", "CONCATENATION to 56x56x128 of another scale",
                      concatenation);
    registerOperation("lstm", "QUANTIZED_16BIT_LSTM of 256 units", lstm);
}

}  // namespace nnburst::bench
