// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/tflite_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"

namespace nnburst::tflite {

namespace {

/// The number of entries of a vector that may be absent.
template <class T>
std::uint32_t sizeOf(const flatbuffers::Vector<T>* vector) {
    return vector == nullptr ? 0 : vector->size();
}

/// The name of a type; its code if it has none.
std::string typeText(schema::TensorType type) {
    const char* name = schema::EnumNameTensorType(type);
    return *name == '\0' ? std::to_string(static_cast<int>(type)) : name;
}

Result<Dimensions> readShape(const schema::Tensor& tensor) {
    const auto* shape = tensor.shape();
    if (sizeOf(shape) > kMaximumDimensions) {
        return invalid("{} dimensions: must be at most {}", shape->size(), kMaximumDimensions);
    }
    Dimensions dimensions;
    for (std::uint32_t i = 0; i < sizeOf(shape); ++i) {
        const std::int32_t size = shape->Get(i);
        if (size < 1) {
            return invalid("dimension {} is {}: must be at least 1", i, size);
        }
        dimensions.push_back(static_cast<std::uint32_t>(size));
    }
    return dimensions;
}

/// Element `index` of a vector whose elements need not be aligned: the verifier aligns vectors to
/// their length alone, which has 4 bytes.
std::int64_t unalignedAt(const flatbuffers::Vector<std::int64_t>& vector, std::uint32_t index) {
    std::int64_t value = 0;
    std::memcpy(&value, vector.Data() + std::size_t{index} * sizeof value, sizeof value);
    return flatbuffers::EndianScalar(value);
}

/// One scale and one zero point for the whole tensor.
Result<> applyScale(const schema::QuantizationParameters* quantization, Operand& operand) {
    const std::uint32_t count = quantization == nullptr ? 0 : sizeOf(quantization->scale());
    if (count != 1) {
        return invalid("{} scales: must be quantised with one", count);
    }
    const auto* zeroPoints = quantization->zero_point();
    const std::int64_t zeroPoint = sizeOf(zeroPoints) == 0 ? 0 : unalignedAt(*zeroPoints, 0);
    if (!std::in_range<std::int32_t>(zeroPoint)) {
        return invalid("zero point {}: does not fit the type", zeroPoint);
    }
    operand.scale = quantization->scale()->Get(0);
    operand.zeroPoint = static_cast<std::int32_t>(zeroPoint);
    return {};
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
    for (std::uint32_t i = 0; i < sizeOf(zeroPoints); ++i) {
        if (const std::int64_t zeroPoint = unalignedAt(*zeroPoints, i); zeroPoint != 0) {
            return invalid("zero point {} of channel {}: must be 0", zeroPoint, i);
        }
    }
    operand.extraParams =
        SymmPerChannelQuantParams{.scales = {scales.begin(), scales.end()},
                                  .channelDim = static_cast<std::uint32_t>(dimension)};
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
        case schema::TensorType::FLOAT16:
            operand.type = OperandType::TENSOR_FLOAT16;
            return {};
        case schema::TensorType::BOOL:
            operand.type = OperandType::TENSOR_BOOL8;
            return {};
        case schema::TensorType::INT32:
            // A bias is quantised with the scales of the products to which it is added. If they
            // differ by channel, the HAL wants none: they follow from input and filter.
            operand.type = OperandType::TENSOR_INT32;
            return scales == 1 ? applyScale(quantization, operand) : Result<>();
        case schema::TensorType::UINT8:
            operand.type = OperandType::TENSOR_QUANT8_ASYMM;
            return applyScale(quantization, operand);
        case schema::TensorType::INT16:
            operand.type = OperandType::TENSOR_QUANT16_SYMM;
            return applyScale(quantization, operand);
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

/// The value of `result`, or its error with `context` before it.
template <class T>
Result<T> within(const std::string& context, Result<T> result) {
    if (!result) {
        return failure(result.error().status, context + ": " + result.error().message);
    }
    return result;
}

}  // namespace

std::string printableName(const flatbuffers::String* name) {
    constexpr std::size_t kMaximumLength = 80;
    std::string text = name == nullptr ? std::string() : name->str().substr(0, kMaximumLength);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

TensorMap::TensorMap(const schema::Model& file, const schema::SubGraph& graph,
                     std::uint64_t fileBytes)
    : file_(file),
      graph_(graph),
      constantBytesLeft_(fileBytes * kMaximumExpansion),
      values_(sizeOf(graph.tensors())) {}

std::string TensorMap::describe(std::uint32_t tensor) const {
    return fmt::format("tensor {} (\"{}\")", tensor,
                       printableName(graph_.tensors()->Get(tensor)->name()));
}

std::string TensorMap::nameOf(std::int32_t tensor) const {
    return printableName(graph_.tensors()->Get(static_cast<std::uint32_t>(tensor))->name());
}

Result<const schema::Tensor*> TensorMap::find(std::int32_t tensor) const {
    if (!std::in_range<std::uint32_t>(tensor) || std::cmp_greater_equal(tensor, values_.size())) {
        return invalid("tensor {}: must be one of {} tensors", tensor, values_.size());
    }
    return graph_.tensors()->Get(static_cast<std::uint32_t>(tensor));
}

Result<Operand> TensorMap::declare(std::uint32_t tensor) const {
    const schema::Tensor& declaration = *graph_.tensors()->Get(tensor);
    if (declaration.sparsity() != nullptr) {
        return invalid("{}: sparse tensors are not supported", describe(tensor));
    }
    Operand operand;
    NNBURST_TRY_ASSIGN(operand.dimensions, within(describe(tensor), readShape(declaration)));
    NNBURST_TRY(within(describe(tensor), applyType(declaration, operand)));
    NNBURST_TRY(within(describe(tensor), checkOperandType(operand)));
    return operand;
}

Result<std::span<const std::byte>> TensorMap::bufferOf(std::uint32_t tensor) const {
    const std::uint32_t index = graph_.tensors()->Get(tensor)->buffer();
    if (index >= sizeOf(file_.buffers())) {
        // Files without constants may have no buffers at all, not even the empty one.
        if (index == 0) {
            return std::span<const std::byte>();
        }
        return invalid("{}: buffer {}: must be one of {}", describe(tensor), index,
                       sizeOf(file_.buffers()));
    }
    const schema::Buffer& buffer = *file_.buffers()->Get(index);
    if (sizeOf(buffer.data()) == 0) {
        if (buffer.offset() > 1) {
            return invalid("{}: buffer {} lies behind the FlatBuffer: not supported",
                           describe(tensor), index);
        }
        return std::span<const std::byte>();
    }
    return std::as_bytes(std::span(buffer.data()->data(), buffer.data()->size()));
}

Result<> TensorMap::takeConstantBytes(std::uint64_t sizeBytes) {
    if (sizeBytes > constantBytesLeft_) {
        return invalid("constants take more than {} times the size of the file", kMaximumExpansion);
    }
    constantBytesLeft_ -= sizeBytes;
    return {};
}

Result<std::uint32_t> TensorMap::addConstant(OperandType type, Dimensions dimensions,
                                             std::span<const std::byte> bytes, float scale) {
    NNBURST_TRY(takeConstantBytes(bytes.size()));
    return builder_.addConstant(type, std::move(dimensions), bytes, scale);
}

Result<std::uint32_t> TensorMap::readConstant(std::uint32_t tensor,
                                              std::span<const std::byte> bytes) {
    NNBURST_TRY_ASSIGN(Operand operand, declare(tensor));
    if (operand.dimensions.empty()) {
        operand.dimensions = {1};  // a tensor without dimensions has one element in TFLite
    }
    const auto sizeBytes = operandBytes(operand.type, operand.dimensions);
    if (!sizeBytes || *sizeBytes != bytes.size()) {
        return invalid("{}: buffer of {} bytes for {} {}: must have as many bytes as the tensor",
                       describe(tensor), bytes.size(), dimensionsText(operand.dimensions),
                       toString(operand.type));
    }
    NNBURST_TRY(takeConstantBytes(bytes.size()));
    return builder_.addConstant(operand.type, std::move(operand.dimensions), bytes, operand.scale,
                                operand.zeroPoint, std::move(operand.extraParams));
}

Result<std::uint32_t> TensorMap::addTensor(std::uint32_t tensor) {
    NNBURST_TRY_ASSIGN(Operand operand, declare(tensor));
    if (operand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        return invalid("{}: only constants can be quantised per channel", describe(tensor));
    }
    return builder_.addTensor(operand.type, std::move(operand.dimensions), operand.scale,
                              operand.zeroPoint);
}

Result<> TensorMap::declareInputs() {
    for (std::uint32_t i = 0; i < sizeOf(graph_.inputs()); ++i) {
        const std::int32_t tensor = graph_.inputs()->Get(i);
        NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, find(tensor));
        const auto index = static_cast<std::uint32_t>(tensor);
        NNBURST_TRY_ASSIGN(const auto bytes, bufferOf(index));
        if (!bytes.empty() || declaration->is_variable() || values_[index]) {
            return invalid("input {} of the model: {} is constant, variable or an input already", i,
                           describe(index));
        }
        NNBURST_TRY_ASSIGN(const std::uint32_t operand, addTensor(index));
        values_[index] = {.operand = operand};
        inputs_.push_back(operand);
    }
    return {};
}

Result<std::uint32_t> TensorMap::read(std::int32_t tensor) {
    NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, find(tensor));
    const auto index = static_cast<std::uint32_t>(tensor);
    if (values_[index]) {
        return values_[index]->operand;
    }
    NNBURST_TRY_ASSIGN(const auto bytes, bufferOf(index));
    if (bytes.empty() && !declaration->is_variable()) {
        return invalid("{} is read before any operator writes it", describe(index));
    }
    if (!bytes.empty() && declaration->is_variable()) {
        return invalid("{}: variable tensors with a first value are not supported",
                       describe(index));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t operand,
                       declaration->is_variable() ? addTensor(index) : readConstant(index, bytes));
    if (declaration->is_variable()) {
        variables_.push_back({.tensor = index, .input = operand});
    }
    values_[index] = {.operand = operand};
    return operand;
}

Result<std::uint32_t> TensorMap::define(std::int32_t tensor) {
    NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, find(tensor));
    const auto index = static_cast<std::uint32_t>(tensor);
    NNBURST_TRY_ASSIGN(const auto bytes, bufferOf(index));
    if (!bytes.empty() || declaration->is_variable() || values_[index]) {
        return invalid("{} is constant, variable or written already: cannot be an output",
                       describe(index));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t operand, addTensor(index));
    values_[index] = {.operand = operand, .isComputed = true};
    return operand;
}

Result<std::uint32_t> TensorMap::update(std::int32_t tensor) {
    NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, find(tensor));
    const auto index = static_cast<std::uint32_t>(tensor);
    if (!declaration->is_variable()) {
        return invalid("{} is a state: must be variable", describe(index));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t operand, addTensor(index));
    values_[index] = {.operand = operand};
    return operand;
}

std::span<const std::byte> TensorMap::constantBytes(std::int32_t tensor) const {
    const auto bytes = bufferOf(static_cast<std::uint32_t>(tensor));
    return bytes ? *bytes : std::span<const std::byte>();
}

Result<TfliteModel> TensorMap::finish() {
    TfliteModel result;
    for (std::uint32_t i = 0; i < sizeOf(graph_.inputs()); ++i) {
        result.inputNames.push_back(nameOf(graph_.inputs()->Get(i)));
    }
    std::vector<std::uint32_t> outputs;
    for (std::uint32_t i = 0; i < sizeOf(graph_.outputs()); ++i) {
        const std::int32_t tensor = graph_.outputs()->Get(i);
        NNBURST_TRY(find(tensor));
        const auto index = static_cast<std::uint32_t>(tensor);
        if (!values_[index] || !values_[index]->isComputed) {
            return invalid("output {} of the model: {} is not computed by any operator", i,
                           describe(index));
        }
        outputs.push_back(values_[index]->operand);
        result.outputNames.push_back(nameOf(tensor));
    }
    for (const Variable& variable : variables_) {
        const std::uint32_t next = values_[variable.tensor]->operand;
        if (next == variable.input) {
            return invalid("{} is variable, but no operator updates it", describe(variable.tensor));
        }
        result.states.push_back({.input = static_cast<std::uint32_t>(inputs_.size()),
                                 .output = static_cast<std::uint32_t>(outputs.size())});
        inputs_.push_back(variable.input);
        outputs.push_back(next);
    }
    NNBURST_TRY_ASSIGN(result.model, builder_.build(std::move(inputs_), std::move(outputs)));
    return result;
}

}  // namespace nnburst::tflite
