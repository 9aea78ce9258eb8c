// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/operand.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

/// Element `index` of a vector whose elements may be unaligned: the verifier aligns vectors to
/// their length field only, which has 4 bytes.
std::int64_t unalignedAt(const flatbuffers::Vector<std::int64_t>& vector, std::uint32_t index) {
    std::int64_t value = 0;
    std::memcpy(&value, vector.Data() + std::size_t{index} * sizeof value, sizeof value);
    return flatbuffers::EndianScalar(value);
}

/// One scale and one zero point for the whole tensor.
Result<> applyScale(const schema::QuantizationParameters* quantization, Operand& operand) {
    const std::uint32_t count = quantization == nullptr ? 0 : sizeOf(quantization->scale());
    if (count == 0) {
        operand.scale = 1.0F;
        return {};
    }
    if (count != 1) {
        return invalid("{} scales: must be quantised with one", count);
    }
    const auto* zeroPoints = quantization->zero_point();
    const std::int64_t zeroPoint = sizeOf(zeroPoints) == 0 ? 0 : unalignedAt(*zeroPoints, 0);
    if (!std::in_range<std::int32_t>(zeroPoint)) {
        const ZeroPointRange range = zeroPointRange(operand.type);
        return invalid("zero point {}: must be {} to {} for {}", zeroPoint, range.minimum,
                       range.maximum, toString(operand.type));
    }
    const float scale = quantization->scale()->Get(0);
    operand.scale = scale == 0.0F && elementBytes(operand.type) == 1 ? 1.0F : scale;
    operand.zeroPoint = static_cast<std::int32_t>(zeroPoint);
    return {};
}

/// The scales with a positive one in place of 0: the smallest of the others, or 1 if there is none.
std::vector<float> withoutZeros(const flatbuffers::Vector<float>& given) {
    constexpr float kNone = std::numeric_limits<float>::infinity();
    std::vector<float> scales(given.begin(), given.end());
    float smallest = kNone;
    for (const float scale : scales) {
        smallest = scale > 0.0F ? std::min(smallest, scale) : smallest;
    }
    std::replace(scales.begin(), scales.end(), 0.0F, smallest == kNone ? 1.0F : smallest);
    return scales;
}

/// A scale for each index along one dimension.
Result<> applyChannelScales(const schema::QuantizationParameters& quantization, Operand& operand) {
    const auto& scales = *quantization.scale();
    const auto* zeroPoints = quantization.zero_point();
    const std::int32_t dimension = quantization.quantized_dimension();
    if (dimension < 0 || std::cmp_greater_equal(dimension, operand.dimensions.size()) ||
        operand.dimensions[static_cast<std::size_t>(dimension)] != scales.size()) {
        return invalid("{} scales along dimension {} of {}: must be one for each of its indices",
                       scales.size(), dimension, dimensionsText(operand.dimensions));
    }
    if (sizeOf(zeroPoints) > scales.size()) {
        return invalid("{} zero points for {} scales: must be at most one for each",
                       zeroPoints->size(), scales.size());
    }
    for (std::uint32_t i = 0; i < sizeOf(zeroPoints); ++i) {
        if (const std::int64_t zeroPoint = unalignedAt(*zeroPoints, i); zeroPoint != 0) {
            return invalid("zero point {} of channel {}: must be 0", zeroPoint, i);
        }
    }
    operand.extraParams = SymmPerChannelQuantParams{
        .scales = withoutZeros(scales), .channelDim = static_cast<std::uint32_t>(dimension)};
    return {};
}

/// Sets type, scale, zero point and extra parameters of `operand`, whose dimensions are known.
Result<> applyType(const schema::Tensor& tensor, Operand& operand) {
    const schema::TensorType type = tensor.type();
    const schema::QuantizationParameters* quantization = tensor.quantization();
    const std::uint32_t scales = quantization == nullptr ? 0 : sizeOf(quantization->scale());
    if (quantization != nullptr && quantization->details_kind() != 0) {
        return invalid("quantisation of kind {} is not supported", quantization->details_kind());
    }
    switch (type) {
        case schema::TensorType::FLOAT32:
            operand.type = OperandType::TENSOR_FLOAT32;
            return {};
        case schema::TensorType::COMPLEX64:
            operand.type = OperandType::TENSOR_FLOAT32;
            if (!operand.dimensions.empty()) {
                operand.dimensions.push_back(2);
            }
            return {};
        case schema::TensorType::FLOAT16:
            operand.type = OperandType::TENSOR_FLOAT16;
            return {};
        case schema::TensorType::BOOL:
            operand.type = OperandType::TENSOR_BOOL8;
            return {};
        case schema::TensorType::INT64:
            operand.type = OperandType::TENSOR_INT32;
            return {};
        case schema::TensorType::INT32:
            // The scale of a bias is that of the products to which it is added. Scales by channel
            // are left out, because in the HAL they follow from input and filter.
            operand.type = OperandType::TENSOR_INT32;
            return scales == 1 ? applyScale(quantization, operand) : Result<>();
        case schema::TensorType::UINT8:
            operand.type = OperandType::TENSOR_QUANT8_ASYMM;
            return applyScale(quantization, operand);
        case schema::TensorType::INT16:
            operand.type = OperandType::TENSOR_QUANT16_SYMM;
            return applyScale(quantization, operand);
        case schema::TensorType::INT4:  // of constants, whose elements were unpacked
        case schema::TensorType::INT8:
            if (scales > 1) {
                operand.type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
                return applyChannelScales(*quantization, operand);
            }
            operand.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
            return applyScale(quantization, operand);
        default:
            return invalid("type {} is not supported", typeText(type));
    }
}

}  // namespace

std::string typeText(schema::TensorType type) {
    const char* name = schema::EnumNameTensorType(type);
    return *name == '\0' ? std::to_string(static_cast<int>(type)) : name;
}

Result<Operand> typeOf(const schema::Tensor& tensor, Dimensions dimensions) {
    Operand operand;
    operand.dimensions = std::move(dimensions);
    NNBURST_TRY(applyType(tensor, operand));
    NNBURST_TRY(checkOperandType(operand));
    return operand;
}

std::vector<std::uint32_t> channelsOfScaleZero(const schema::Tensor& tensor) {
    using enum schema::TensorType;
    std::vector<std::uint32_t> channels;
    const auto* quantization = tensor.quantization();
    const bool isNarrow = tensor.type() == UINT8 || tensor.type() == INT8 || tensor.type() == INT4;
    const std::uint32_t count =
        quantization == nullptr || !isNarrow ? 0 : sizeOf(quantization->scale());
    for (std::uint32_t i = 0; i < count; ++i) {
        if (quantization->scale()->Get(i) == 0.0F) {
            channels.push_back(i);
        }
    }
    return channels;
}

}  // namespace nnburst::tflite
