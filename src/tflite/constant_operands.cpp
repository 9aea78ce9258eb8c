// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/constant_operands.h"

#include <utility>
#include <variant>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"
#include "tflite/extension_types.h"
#include "tflite/operand.h"

namespace nnburst::tflite {

namespace {

/// The channels of a constant that have scale 0. Refuses them if not all their elements are 0.
Result<std::vector<std::uint32_t>> checkedChannelsOfScaleZero(const schema::Tensor& tensor,
                                                              const Operand& operand,
                                                              std::span<const std::byte> bytes) {
    std::vector<std::uint32_t> channels = channelsOfScaleZero(tensor);
    if (channels.empty()) {
        return channels;
    }
    const auto* quant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams);
    std::vector<bool> isOfScaleZero(quant == nullptr ? 1 : quant->scales.size(), false);
    for (const std::uint32_t channel : channels) {
        isOfScaleZero[channel] = true;
    }
    std::size_t inner = 1;  // elements of one channel that follow each other
    for (std::size_t axis = quant == nullptr ? 0 : quant->channelDim + 1;
         axis < operand.dimensions.size(); ++axis) {
        inner *= operand.dimensions[axis];
    }
    const auto zero = static_cast<std::byte>(operand.zeroPoint);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t channel = i / inner % isOfScaleZero.size();
        if (isOfScaleZero[channel] && bytes[i] != zero) {
            const bool isSigned = operand.type != OperandType::TENSOR_QUANT8_ASYMM;
            return invalid(
                "element {} is {}: must be {}, as channel {} has scale 0", i,
                isSigned ? int{static_cast<std::int8_t>(bytes[i])} : std::to_integer<int>(bytes[i]),
                operand.zeroPoint, channel);
        }
    }
    return channels;
}

}  // namespace

Result<std::uint32_t> ConstantOperands::readIntegers(std::uint32_t tensor, const Operand& operand,
                                                     std::span<const std::byte> bytes) {
    std::size_t misfit = 0;
    const auto values = toInt32(schema::TensorType::INT64, bytes, misfit);
    if (!values) {
        return invalid("{}: element {} of INT64: must fit into 32 bits", contents_.describe(tensor),
                       misfit);
    }
    return addConstant(operand.type, operand.dimensions, std::as_bytes(std::span(*values)));
}

Result<std::uint32_t> ConstantOperands::readConstant(std::uint32_t tensor,
                                                     std::span<const std::byte> bytes,
                                                     const Dimensions& shape) {
    NNBURST_TRY_ASSIGN(Operand operand, contents_.declare(tensor, Source::CONSTANT));
    if (!shape.empty()) {
        operand.dimensions = shape;
    }
    const schema::TensorType type = contents_.declaration(tensor).type();
    const std::uint64_t elementFactor = type == schema::TensorType::INT64 ? 2 : 1;
    const auto sizeBytes = operandBytes(operand.type, operand.dimensions);
    if (!sizeBytes || *sizeBytes * elementFactor != bytes.size()) {
        return invalid("{}: buffer of {} bytes for {} {}: must have as many bytes as the tensor",
                       contents_.describe(tensor), bytes.size(), dimensionsText(operand.dimensions),
                       type == schema::TensorType::INT64 ? "INT64" : toString(operand.type));
    }
    if (bytes.empty()) {
        return builder_.addOmitted(operand.type);
    }
    if (type == schema::TensorType::INT64) {
        return readIntegers(tensor, operand, bytes);
    }
    NNBURST_TRY(file_.takeConstantBytes(bytes.size()));
    NNBURST_TRY_ASSIGN(
        std::vector<std::uint32_t> unscaled,
        within(contents_.describe(tensor),
               checkedChannelsOfScaleZero(contents_.declaration(tensor), operand, bytes)));
    const std::uint32_t constant = remembered(
        builder_.addConstant(operand.type, std::move(operand.dimensions), bytes, operand.scale,
                             operand.zeroPoint, std::move(operand.extraParams)),
        bytes);
    if (!unscaled.empty()) {
        unscaled_[constant] = std::move(unscaled);
    }
    return constant;
}

Result<std::uint32_t> ConstantOperands::addConstantOf(const schema::Tensor& tensor,
                                                      std::span<const std::byte> bytes) {
    NNBURST_TRY_ASSIGN(const Operand operand, contents_.operandOf(tensor, Source::CONSTANT));
    const auto sizeBytes = operandBytes(operand.type, operand.dimensions);
    const bool isConverted =
        tensor.type() == schema::TensorType::INT64 || tensor.type() == schema::TensorType::INT4;
    if (isConverted || sizeBytes != bytes.size()) {
        return invalid(
            "a value of {} bytes for {} {}: must have as many bytes as the tensor, and "
            "not be INT64 or INT4",
            bytes.size(), dimensionsText(operand.dimensions), toString(operand.type));
    }
    NNBURST_TRY(checkedChannelsOfScaleZero(tensor, operand, bytes));
    return addConstant(operand.type, operand.dimensions, bytes, operand.scale, operand.zeroPoint);
}

Result<std::uint32_t> ConstantOperands::addConstant(OperandType type, Dimensions dimensions,
                                                    std::span<const std::byte> bytes, float scale,
                                                    std::int32_t zeroPoint) {
    NNBURST_TRY(file_.takeConstantBytes(bytes.size()));
    return remembered(builder_.addConstant(type, std::move(dimensions), bytes, scale, zeroPoint),
                      bytes);
}

std::uint32_t ConstantOperands::remembered(std::uint32_t operand,
                                           std::span<const std::byte> bytes) {
    // As many as the HAL's operations take for the axes of a tensor.
    constexpr std::size_t kMaximumBytes = 4 * kMaximumDimensions * sizeof(std::int32_t);
    if (builder_.operand(operand).type == OperandType::TENSOR_INT32 &&
        bytes.size() <= kMaximumBytes) {
        std::size_t misfit = 0;
        small_[operand] = *toInt32(schema::TensorType::INT32, bytes, misfit);
    }
    return operand;
}

const std::vector<std::int32_t>* ConstantOperands::valuesOf(std::uint32_t operand) const {
    const auto known = small_.find(operand);
    return known == small_.end() ? nullptr : &known->second;
}

std::span<const std::uint32_t> ConstantOperands::channelsOfScaleZero(std::uint32_t operand) const {
    const auto known = unscaled_.find(operand);
    return known == unscaled_.end() ? std::span<const std::uint32_t>()
                                    : std::span<const std::uint32_t>(known->second);
}

Result<std::uint32_t> ConstantOperands::addRepeated(OperandType type, Dimensions dimensions,
                                                    std::span<const std::byte> element,
                                                    float scale) {
    const std::uint64_t sizeBytes = operandBytes(type, dimensions).value_or(UINT64_MAX);
    NNBURST_TRY(file_.takeConstantBytes(sizeBytes));
    std::vector<std::byte> bytes;
    bytes.reserve(sizeBytes);
    while (bytes.size() < sizeBytes) {
        bytes.insert(bytes.end(), element.begin(), element.end());
    }
    return builder_.addConstant(type, std::move(dimensions), bytes, scale);
}

Result<std::uint32_t> ConstantOperands::replaceByConstant(std::uint32_t operand, OperandType type,
                                                          std::uint32_t count,
                                                          std::span<const std::byte> bytes) {
    Dimensions dimensions = builder_.operand(operand).dimensions;
    if (operandBytes(type, dimensions) != bytes.size()) {
        dimensions = {count};
    }
    return addConstant(type, std::move(dimensions), bytes);
}

bool ConstantOperands::isFixed(std::uint32_t operand) {
    const OperandLifeTime lifetime = builder_.operand(operand).lifetime;
    return lifetime == OperandLifeTime::CONSTANT_COPY ||
           lifetime == OperandLifeTime::CONSTANT_REFERENCE || fixed_.contains(operand);
}

void ConstantOperands::adopt(ConstantOperands& caller, std::uint32_t operand) {
    if (const auto* small = caller.valuesOf(operand)) {
        small_[operand] = *small;
    }
    if (const auto unscaled = caller.channelsOfScaleZero(operand); !unscaled.empty()) {
        unscaled_[operand] = {unscaled.begin(), unscaled.end()};
    }
    if (caller.isFixed(operand)) {
        setFixed(operand);
    }
}

std::uint32_t ConstantOperands::toFloat(std::uint32_t operand) {
    const Operand& given = builder_.operand(operand);
    const bool isHalf = given.type == OperandType::TENSOR_FLOAT16;
    const bool isQuantized = given.type == OperandType::TENSOR_QUANT8_ASYMM ||
                             given.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
                             given.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
    const bool has16Bits = given.type == OperandType::TENSOR_QUANT16_SYMM;
    if (!isHalf && !isQuantized && !has16Bits) {
        return operand;
    }
    const auto [known, isNew] = asFloat_.try_emplace(operand, 0);
    if (isNew) {
        known->second = builder_.addTensor(OperandType::TENSOR_FLOAT32, given.dimensions);
        if (has16Bits) {
            file_.nameExtension();
        }
        builder_.addOperation(has16Bits
                                  ? extensionOperation(tflite_operations::Code::RESCALE_16)
                                  : (isHalf ? OperationType::CAST : OperationType::DEQUANTIZE),
                              {operand}, {known->second});
    }
    return known->second;
}

}  // namespace nnburst::tflite
