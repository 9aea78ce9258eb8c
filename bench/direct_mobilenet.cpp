// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "direct_mobilenet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "fail.h"
#include "memory/aligned_buffer.h"
#include "model/operand_info.h"

namespace nnburst::bench {
namespace {

void check(xnn_status status, const char* what) {
    if (status != xnn_status_success) {
        fail(what);
    }
}

using exec::xnnpack::CreatedOperator;
using exec::xnnpack::createPacked;
using exec::xnnpack::Elements;
using exec::xnnpack::SetUp;

Elements elementsOf(const Operand& operand) {
    return {operand.type, operand.scale, operand.zeroPoint};
}

bool isQuantised(const Operand& operand) {
    return operand.type == OperandType::TENSOR_QUANT8_ASYMM;
}

/// Rows or columns that SAME padding adds before and after.
std::pair<std::uint32_t, std::uint32_t> samePadding(std::uint32_t input, std::uint32_t kernel,
                                                    std::uint32_t stride) {
    const std::uint32_t output = (input + stride - 1) / stride;
    const std::uint32_t covered = (output - 1) * stride + kernel;
    const std::uint32_t total = covered > input ? covered - input : 0;
    return {total / 2, total - total / 2};
}

}  // namespace

DirectMobileNet::DirectMobileNet(const Model& model, std::uint32_t threads)
    : model_(model),
      threads_(threads > 1 ? pthreadpool_create(threads) : nullptr),
      buffers_(model.main.operands.size()),
      aliases_(model.main.operands.size()) {
    check(xnn_initialize(nullptr), "xnn_initialize");
    for (const SharedRegion& region : model.pools) {
        auto mapping = Mapping::map(region, MappingAccess::READ_ONLY);
        if (!mapping) {
            fail(mapping.error().message);
        }
        pools_.push_back(std::move(*mapping));
    }
    std::iota(aliases_.begin(), aliases_.end(), 0U);
    for (std::size_t i = 0; i < model.main.operands.size(); ++i) {
        const Operand& value = model.main.operands[i];
        if (value.lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
            value.lifetime == OperandLifeTime::SUBGRAPH_INPUT ||
            value.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT) {
            buffers_[i].resize(operandBytes(value.type, value.dimensions).value_or(0) +
                               kMappingPaddingBytes);
        }
    }
    for (const Operation& operation : model.main.operations) {
        switch (operation.type) {
            case OperationType::CONV_2D:
            case OperationType::DEPTHWISE_CONV_2D:
                addConvolution(operation);
                break;
            case OperationType::AVERAGE_POOL_2D:
                addAveragePool(operation);
                break;
            case OperationType::RESHAPE:
                aliases_[operation.outputs[0]] = aliases_[operation.inputs[0]];
                break;
            case OperationType::SOFTMAX:
                addSoftmax(operation);
                break;
            default:
                fail(toString(operation.type));
        }
    }
}

std::span<std::byte> DirectMobileNet::input() noexcept {
    const std::uint32_t index = model_.main.inputIndexes[0];
    return std::span(buffers_[index]).first(buffers_[index].size() - kMappingPaddingBytes);
}

std::span<std::byte> DirectMobileNet::output() noexcept {
    const std::uint32_t index = aliases_[model_.main.outputIndexes[0]];
    return std::span(buffers_[index]).first(buffers_[index].size() - kMappingPaddingBytes);
}

bool DirectMobileNet::run() noexcept {
    return std::all_of(operators_.begin(), operators_.end(), [&](const Operator& op) {
        return xnn_run_operator(op.get(), threads_.get()) == xnn_status_success;
    });
}

const Operand& DirectMobileNet::operand(std::uint32_t index) const {
    return model_.main.operands[index];
}

template <class T>
T* DirectMobileNet::values(std::uint32_t index) {
    const Operand& value = operand(index);
    switch (value.lifetime) {
        case OperandLifeTime::CONSTANT_COPY:
            return reinterpret_cast<T*>(
                const_cast<std::uint8_t*>(model_.operandValues.data() + value.location.offset));
        case OperandLifeTime::CONSTANT_REFERENCE:
            return reinterpret_cast<T*>(pools_[value.location.poolIndex].data() +
                                        value.location.offset);
        default:
            return reinterpret_cast<T*>(buffers_[aliases_[index]].data());
    }
}

std::int32_t DirectMobileNet::scalar(std::uint32_t index) {
    std::int32_t value = 0;
    std::memcpy(&value, values<std::byte>(index), sizeof(value));
    return value;
}

// input [1, height, width, depthIn]; filter [depthOut, kernelHeight, kernelWidth, depthIn], or
// [1, kernelHeight, kernelWidth, depth] if depthwise; the HAL's signatures with implicit padding.
void DirectMobileNet::addConvolution(const Operation& operation) {
    const bool isDepthwise = operation.type == OperationType::DEPTHWISE_CONV_2D;
    const std::size_t multiplier = isDepthwise ? 1 : 0;  // DEPTHWISE_CONV_2D has one more scalar
    const std::vector<std::uint32_t>& inputs = operation.inputs;
    if (inputs.size() < 7 + multiplier || (isDepthwise && scalar(inputs[6]) != 1)) {
        fail("a convolution has another signature than expected");
    }
    constexpr std::int32_t kSame = 1;
    const bool isSame = scalar(inputs[3]) == kSame;
    const auto strideWidth = static_cast<std::uint32_t>(scalar(inputs[4]));
    const auto strideHeight = static_cast<std::uint32_t>(scalar(inputs[5]));
    const auto activation = FusedActivationFunc{scalar(inputs[6 + multiplier])};

    const Operand& input = operand(inputs[0]);
    const Operand& filter = operand(inputs[1]);
    const Operand& output = operand(operation.outputs[0]);
    const std::uint32_t kernelHeight = filter.dimensions[1];
    const std::uint32_t kernelWidth = filter.dimensions[2];
    const std::size_t depthIn = input.dimensions[3];
    const std::size_t depthOut = output.dimensions[3];
    const auto [top, bottom] =
        isSame ? samePadding(input.dimensions[1], kernelHeight, strideHeight) : std::pair{0U, 0U};
    const auto [left, right] =
        isSame ? samePadding(input.dimensions[2], kernelWidth, strideWidth) : std::pair{0U, 0U};
    const auto groups = static_cast<std::uint32_t>(isDepthwise ? depthIn : 1);
    const std::uint32_t flags = isDepthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0;

    xnn_operator_t created = nullptr;
    const SetUp setUp = exec::xnnpack::setUpConvolution(
        input.type, false, {1, input.dimensions[1], input.dimensions[2]}, 1);
    if (isQuantised(input)) {
        if (activation != FusedActivationFunc::NONE && activation != FusedActivationFunc::RELU6) {
            fail("a convolution has another activation than expected");
        }
        std::uint8_t lowest = 0;
        std::uint8_t highest = 255;
        if (activation == FusedActivationFunc::RELU6) {
            const long six = std::lround(6.0F / output.scale) + output.zeroPoint;
            lowest = static_cast<std::uint8_t>(output.zeroPoint);
            highest = static_cast<std::uint8_t>(std::min(six, 255L));
        }
        check(createPacked(xnn_create_convolution2d_nhwc_qu8, created, nullptr, top, right, bottom,
                           left, kernelHeight, kernelWidth, strideHeight, strideWidth, 1, 1, groups,
                           depthIn / groups, depthOut / groups, depthIn, depthOut,
                           static_cast<std::uint8_t>(input.zeroPoint), input.scale,
                           static_cast<std::uint8_t>(filter.zeroPoint), filter.scale,
                           values<std::uint8_t>(inputs[1]), values<std::int32_t>(inputs[2]),
                           static_cast<std::uint8_t>(output.zeroPoint), output.scale, lowest,
                           highest, flags),
              "xnn_create_convolution2d_nhwc_qu8");
        add(created, setUp, operation);
        return;
    }
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const bool isRelu6 = activation == FusedActivationFunc::RELU6;
    check(createPacked(xnn_create_convolution2d_nhwc_f32, created, nullptr, top, right, bottom,
                       left, kernelHeight, kernelWidth, strideHeight, strideWidth, 1, 1, groups,
                       depthIn / groups, depthOut / groups, depthIn, depthOut,
                       values<float>(inputs[1]), values<float>(inputs[2]),
                       isRelu6 ? 0.0F : -kInfinity, isRelu6 ? 6.0F : kInfinity, flags),
          "xnn_create_convolution2d_nhwc_f32");
    add(created, setUp, operation);
}

// input [1, height, width, depth] -> output [1, 1, 1, depth]: the window is the whole image.
void DirectMobileNet::addAveragePool(const Operation& operation) {
    const Operand& input = operand(operation.inputs[0]);
    const Operand& output = operand(operation.outputs[0]);
    if (output.dimensions[1] != 1 || output.dimensions[2] != 1) {
        fail("the pooling is not global");
    }
    const CreatedOperator average = exec::xnnpack::createGlobalAverage(
        elementsOf(input), {1, input.dimensions[1], input.dimensions[2]}, input.dimensions[3],
        exec::xnnpack::wholeRange(input.type), 1);
    check(average.status, "the creation of a global average");
    add(average.created, average.setUp, operation);
}

// input [1, classes] -> output [1, classes], beta 1
void DirectMobileNet::addSoftmax(const Operation& operation) {
    const Operand& input = operand(operation.inputs[0]);
    const CreatedOperator softmax =
        exec::xnnpack::createSoftmax(elementsOf(input), 1, input.dimensions.back(), 1);
    check(softmax.status, "the creation of a softmax");
    add(softmax.created, softmax.setUp, operation);
}

void DirectMobileNet::add(xnn_operator_t created, const SetUp& setUp, const Operation& operation) {
    operators_.emplace_back(created);
    std::size_t workspaceBytes = 0;
    if (setUp.reshape) {
        check(setUp.reshape(created, workspaceBytes, threads_.get()), "a reshape");
    }
    auto workspace = AlignedBuffer::allocate(workspaceBytes + kMappingPaddingBytes);
    if (!workspace) {
        fail(workspace.error().message);
    }
    const std::array operands{values<std::byte>(operation.inputs[0]),
                              values<std::byte>(operation.outputs[0])};
    check(setUp.setUp(created, operands, workspaceBytes == 0 ? nullptr : workspace->data(),
                      threads_.get()),
          "a set-up");
    workspaces_.push_back(std::move(*workspace));
}

}  // namespace nnburst::bench
