// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/tensor_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"
#include "tflite/operand.h"
#include "tflite/shapes.h"
#include "tflite/sparse.h"

namespace nnburst::tflite {

std::optional<std::vector<std::int32_t>> toInt32(schema::TensorType type,
                                                 std::span<const std::byte> bytes,
                                                 std::size_t& misfit) {
    if (type == schema::TensorType::INT32) {
        std::vector<std::int32_t> values(bytes.size() / sizeof(std::int32_t));
        if (!values.empty()) {
            std::memcpy(values.data(), bytes.data(), values.size() * sizeof(std::int32_t));
        }
        return values;
    }
    std::vector<std::int32_t> values(bytes.size() / sizeof(std::int64_t));
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::int64_t value = 0;
        std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
        if (!std::in_range<std::int32_t>(value)) {
            misfit = i;
            return std::nullopt;
        }
        values[i] = static_cast<std::int32_t>(value);
    }
    return values;
}

std::string printableName(const flatbuffers::String* name) {
    constexpr std::size_t kMaximumLength = 80;
    std::string text;
    if (name != nullptr) {
        text.assign(name->c_str(), std::min<std::size_t>(name->size(), kMaximumLength));
    }
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text;
}

TensorContents::TensorContents(FileImport& file, const schema::SubGraph& graph, bool isMain)
    : file_(file), graph_(graph), isMain_(isMain) {
    for (std::uint32_t i = 0; i < sizeOf(graph.tensors()); ++i) {
        hasRanks_ = hasRanks_ || graph.tensors()->Get(i)->has_rank();
    }
    for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
        const auto* outputs = graph.operators()->Get(i)->outputs();
        const auto tensor = static_cast<std::uint32_t>(sizeOf(outputs) == 0 ? -1 : outputs->Get(0));
        hasShapes_ = hasShapes_ || (tensor < sizeOf(graph.tensors()) &&
                                    sizeOf(graph.tensors()->Get(tensor)->shape()) != 0);
    }
}

std::string TensorContents::describe(std::uint32_t tensor) const {
    return fmt::format("tensor {} (\"{}\")", tensor, printableName(declaration(tensor).name()));
}

std::string TensorContents::nameOf(std::int32_t tensor) const {
    return printableName(declaration(static_cast<std::uint32_t>(tensor)).name());
}

Result<const schema::Tensor*> TensorContents::find(std::int32_t tensor) const {
    if (!std::in_range<std::uint32_t>(tensor) ||
        std::cmp_greater_equal(tensor, sizeOf(graph_.tensors()))) {
        return invalid("tensor {}: must be one of {} tensors", tensor, sizeOf(graph_.tensors()));
    }
    return graph_.tensors()->Get(static_cast<std::uint32_t>(tensor));
}

/// A file that states no ranks does not say whether a computed tensor without sizes is a scalar or
/// has an unknown shape. It is a scalar if the file states shapes of other computed tensors, or if
/// it is an input.
bool TensorContents::isDeclaredScalar(const schema::Tensor& tensor, Source source) const {
    if (sizeOf(tensor.shape()) != 0) {
        return false;
    }
    if (source == Source::OPERATOR) {
        return hasRanks_ ? tensor.has_rank() : hasShapes_;
    }
    return source != Source::OPEN_INPUT || isMain_ || !hasRanks_ || tensor.has_rank();
}

Result<Dimensions> TensorContents::shapeOf(const schema::Tensor& tensor, Source source) const {
    const auto* shape = tensor.shape();
    if (sizeOf(shape) > kMaximumDimensions) {
        return invalid("{} dimensions: must be at most {}", shape->size(), kMaximumDimensions);
    }
    if (isDeclaredScalar(tensor, source)) {
        return Dimensions{1};
    }
    // The sizes of computed tensors follow from those of the inputs, as far as these are known.
    const auto* signature = tensor.shape_signature();
    const bool mayBeOpen = source == Source::OPERATOR || source == Source::OPEN_INPUT;
    Dimensions dimensions;
    for (std::uint32_t i = 0; i < sizeOf(shape); ++i) {
        const std::int32_t size = shape->Get(i);
        const bool isOpen =
            mayBeOpen && ((isResized_ && source == Source::OPERATOR) ||
                          (sizeOf(signature) == shape->size() && signature->Get(i) == -1));
        const bool mayBeZero = source == Source::CONSTANT || source == Source::OPERATOR;
        if (!isOpen && size < (mayBeZero ? 0 : 1)) {
            return invalid("dimension {} is {}: must be at least {}", i, size, mayBeZero ? 0 : 1);
        }
        dimensions.push_back(isOpen ? 0 : static_cast<std::uint32_t>(size));
    }
    return dimensions;
}

/// The copies of scales count as constants: many tensors may share one list of scales.
Result<Operand> TensorContents::operandOf(const schema::Tensor& tensor, Source source) const {
    NNBURST_TRY_ASSIGN(Dimensions dimensions, shapeOf(tensor, source));
    const auto* quantization = tensor.quantization();
    const std::uint64_t scales = quantization == nullptr ? 0 : sizeOf(quantization->scale());
    NNBURST_TRY(file_.takeConstantBytes(scales * sizeof(float)));
    if (source != Source::CONSTANT && !tflite::channelsOfScaleZero(tensor).empty()) {
        return invalid("scale 0: must be more than 0, as the tensor is not constant");
    }
    return typeOf(tensor, std::move(dimensions));
}

Result<Operand> TensorContents::declare(std::uint32_t tensor, Source source) const {
    return within(describe(tensor), operandOf(declaration(tensor), source));
}

Result<Operand> TensorContents::quantization(std::int32_t tensor) const {
    NNBURST_TRY(find(tensor));
    return declare(static_cast<std::uint32_t>(tensor), Source::OPERATOR);
}

Result<std::vector<std::byte>> TensorContents::allElements(std::uint32_t tensor,
                                                           std::span<const std::byte> packed) {
    const schema::Tensor& declared = declaration(tensor);
    if (declared.type() == schema::TensorType::INT4) {
        return unpack(declared, packed);
    }
    NNBURST_TRY_ASSIGN(const Operand operand, operandOf(declared, Source::CONSTANT));
    const std::uint64_t sizeBytes =
        elementBytes(operand.type) * (declared.type() == schema::TensorType::INT64 ? 2 : 1);
    const std::uint32_t count = elementCount(operand.dimensions);
    if (count == 0) {
        return invalid("sparse of shape {}: must have elements, less than 2^32",
                       dimensionsText(operand.dimensions));
    }
    NNBURST_TRY(file_.takeConstantBytes(count * sizeBytes));
    return densify(declared, packed, sizeBytes);
}

/// Two elements of INT4 share a byte, the first one in its lower half.
Result<std::vector<std::byte>> TensorContents::unpack(const schema::Tensor& declaration,
                                                      std::span<const std::byte> packed) {
    if (declaration.sparsity() != nullptr) {
        return invalid("sparse of type INT4 is not supported");
    }
    NNBURST_TRY_ASSIGN(const Dimensions dimensions, shapeOf(declaration, Source::CONSTANT));
    const std::uint32_t count = elementCount(dimensions);
    const std::uint64_t neededBytes = (std::uint64_t{count} + 1) / 2;
    if (count == 0 || packed.size() != neededBytes) {
        return invalid("buffer of {} bytes for {} INT4: must have a byte for two elements",
                       packed.size(), dimensionsText(dimensions));
    }
    NNBURST_TRY(file_.takeConstantBytes(count));
    std::vector<std::byte> elements(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        constexpr unsigned kSign = 0b1000;
        const unsigned half = std::to_integer<unsigned>(packed[i / 2]) >> (i % 2 * 4) & 0b1111U;
        elements[i] = static_cast<std::byte>((half ^ kSign) - kSign);
    }
    return elements;
}

Result<std::span<const std::byte>> TensorContents::bufferOf(std::uint32_t tensor) {
    if (const auto adopted = adopted_.find(tensor); adopted != adopted_.end()) {
        return adopted->second;
    }
    const schema::Tensor& declared = declaration(tensor);
    NNBURST_TRY_ASSIGN(const auto bytes, within(describe(tensor), file_.buffer(declared.buffer())));
    const bool isPacked =
        declared.sparsity() != nullptr || declared.type() == schema::TensorType::INT4;
    if (!isPacked || bytes.empty()) {
        return bytes;
    }
    auto known = dense_.find(tensor);
    if (known == dense_.end()) {
        NNBURST_TRY_ASSIGN(std::vector<std::byte> elements,
                           within(describe(tensor), allElements(tensor, bytes)));
        known = dense_.emplace(tensor, std::move(elements)).first;
    }
    return std::span<const std::byte>(known->second);
}

bool TensorContents::isInt64(std::int32_t tensor) const {
    return declaration(static_cast<std::uint32_t>(tensor)).type() == schema::TensorType::INT64;
}

bool TensorContents::isComplex(std::int32_t tensor) const {
    return declaration(static_cast<std::uint32_t>(tensor)).type() == schema::TensorType::COMPLEX64;
}

std::span<const std::byte> TensorContents::constantBytes(std::int32_t tensor) {
    const auto bytes = bufferOf(static_cast<std::uint32_t>(tensor));
    return bytes ? *bytes : std::span<const std::byte>();
}

std::optional<std::vector<std::int32_t>> TensorContents::integers(std::int32_t tensor) {
    const schema::TensorType type = declaration(static_cast<std::uint32_t>(tensor)).type();
    const auto bytes = constantBytes(tensor);
    if ((type != schema::TensorType::INT32 && type != schema::TensorType::INT64) || bytes.empty() ||
        bytes.size() > kMaximumIntegers * sizeof(std::int64_t)) {
        return std::nullopt;
    }
    std::size_t misfit = 0;
    return toInt32(type, bytes, misfit);
}

std::optional<std::vector<float>> TensorContents::reals(std::int32_t tensor) {
    const auto bytes = constantBytes(tensor);
    if (declaration(static_cast<std::uint32_t>(tensor)).type() != schema::TensorType::FLOAT32 ||
        bytes.empty() || bytes.size() > kMaximumIntegers * sizeof(float)) {
        return std::nullopt;
    }
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

}  // namespace nnburst::tflite
