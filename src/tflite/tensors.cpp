// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"
#include "tflite/operand.h"
#include "tflite/operator.h"
#include "tflite/shapes.h"
#include "tflite/sparse.h"

namespace nnburst::tflite {

namespace {

/// The value of `result`, or its error with `context` in front.
template <class T>
Result<T> within(const std::string& context, Result<T> result) {
    if (!result) {
        return failure(result.error().status, context + ": " + result.error().message);
    }
    return result;
}

/// INT32 or INT64 elements; nullopt if one does not fit into 32 bits: `misfit` is its index.
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

/// Opens the sizes of `dimensions` of which `given`, with as many dimensions, has others.
void openOtherSizes(Dimensions& dimensions, const Dimensions& given) {
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
        const bool isOther = given[axis] != 0 && given[axis] != dimensions[axis];
        dimensions[axis] = isOther ? 0 : dimensions[axis];
    }
}

/// Gives the open sizes of `dimensions` those of `given`, if both may be the same shape.
void fillOpenSizes(Dimensions& dimensions, const Dimensions& given) {
    if (!mayBeEqual(dimensions, given)) {
        return;
    }
    if (dimensions.empty()) {
        dimensions = given;
    }
    for (std::size_t axis = 0; axis < given.size(); ++axis) {
        dimensions[axis] = dimensions[axis] == 0 ? given[axis] : dimensions[axis];
    }
}

/// Gives the open sizes of `dimensions` those that the file states for `tensor`.
void fillWithStatedSizes(Dimensions& dimensions, const schema::Tensor& tensor) {
    const std::size_t count = std::min<std::size_t>(dimensions.size(), sizeOf(tensor.shape()));
    for (std::uint32_t axis = 0; axis < count; ++axis) {
        const std::int32_t size = tensor.shape()->Get(axis);
        if (dimensions[axis] == 0 && size > 0) {
            dimensions[axis] = static_cast<std::uint32_t>(size);
        }
    }
}

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

TensorMap::TensorMap(FileImport& file, const schema::SubGraph& graph, ModelBuilder& builder,
                     bool isMain)
    : file_(file),
      graph_(graph),
      builder_(builder),
      isMain_(isMain),
      values_(sizeOf(graph.tensors())),
      readers_(sizeOf(graph.tensors())) {
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
        tellsRanks_ = tellsRanks_ || graph.tensors()->Get(i)->has_rank();
    }
    for (std::uint32_t i = 0; i < sizeOf(graph.operators()); ++i) {
        const auto* outputs = graph.operators()->Get(i)->outputs();
        const auto tensor = static_cast<std::uint32_t>(sizeOf(outputs) == 0 ? -1 : outputs->Get(0));
        tellsShapes_ = tellsShapes_ || (tensor < values_.size() &&
                                        sizeOf(graph.tensors()->Get(tensor)->shape()) != 0);
    }
}

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

/// A file that states no ranks does not say whether a computed tensor without sizes is a scalar or
/// has an unknown shape. It is a scalar if the file states shapes of other computed tensors, or if
/// it is an input.
bool TensorMap::isDeclaredScalar(const schema::Tensor& tensor, Source source) const {
    if (sizeOf(tensor.shape()) != 0) {
        return false;
    }
    if (source == Source::OPERATOR) {
        return tellsRanks_ ? tensor.has_rank() : tellsShapes_;
    }
    return source != Source::OPEN_INPUT || isMain_ || !tellsRanks_ || tensor.has_rank();
}

Result<Dimensions> TensorMap::shapeOf(const schema::Tensor& tensor, Source source) const {
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
Result<Operand> TensorMap::operandOf(const schema::Tensor& tensor, Source source) const {
    NNBURST_TRY_ASSIGN(Dimensions dimensions, shapeOf(tensor, source));
    const auto* quantization = tensor.quantization();
    const std::uint64_t scales = quantization == nullptr ? 0 : sizeOf(quantization->scale());
    NNBURST_TRY(file_.takeConstantBytes(scales * sizeof(float)));
    if (source != Source::CONSTANT && !tflite::channelsOfScaleZero(tensor).empty()) {
        return invalid("scale 0: must be more than 0, as the tensor is not constant");
    }
    return typeOf(tensor, std::move(dimensions));
}

Result<Operand> TensorMap::declare(std::uint32_t tensor, Source source) const {
    return within(describe(tensor), operandOf(*graph_.tensors()->Get(tensor), source));
}

Result<Operand> TensorMap::quantization(std::int32_t tensor) const {
    NNBURST_TRY(find(tensor));
    return declare(static_cast<std::uint32_t>(tensor), Source::OPERATOR);
}

Result<std::vector<std::byte>> TensorMap::allElements(std::uint32_t tensor,
                                                      std::span<const std::byte> packed) {
    const schema::Tensor& declaration = *graph_.tensors()->Get(tensor);
    if (declaration.type() == schema::TensorType::INT4) {
        return unpack(declaration, packed);
    }
    NNBURST_TRY_ASSIGN(const Operand operand, operandOf(declaration, Source::CONSTANT));
    const std::uint64_t sizeBytes =
        elementBytes(operand.type) * (declaration.type() == schema::TensorType::INT64 ? 2 : 1);
    const std::uint32_t count = elementCount(operand.dimensions);
    if (count == 0) {
        return invalid("sparse of shape {}: must have elements, less than 2^32",
                       dimensionsText(operand.dimensions));
    }
    NNBURST_TRY(file_.takeConstantBytes(count * sizeBytes));
    return densify(declaration, packed, sizeBytes);
}

/// Two elements of INT4 share a byte, the first one in its lower half.
Result<std::vector<std::byte>> TensorMap::unpack(const schema::Tensor& declaration,
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

Result<std::span<const std::byte>> TensorMap::bufferOf(std::uint32_t tensor) {
    if (const auto adopted = adopted_.find(tensor); adopted != adopted_.end()) {
        return adopted->second;
    }
    const schema::Tensor& declaration = *graph_.tensors()->Get(tensor);
    NNBURST_TRY_ASSIGN(const auto bytes,
                       within(describe(tensor), file_.buffer(declaration.buffer())));
    const bool isPacked =
        declaration.sparsity() != nullptr || declaration.type() == schema::TensorType::INT4;
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

Result<std::uint32_t> TensorMap::addConstant(OperandType type, Dimensions dimensions,
                                             std::span<const std::byte> bytes, float scale,
                                             std::int32_t zeroPoint) {
    NNBURST_TRY(file_.takeConstantBytes(bytes.size()));
    return remembered(builder_.addConstant(type, std::move(dimensions), bytes, scale, zeroPoint),
                      bytes);
}

std::uint32_t TensorMap::remembered(std::uint32_t operand, std::span<const std::byte> bytes) {
    // As many as the HAL's operations take for the axes of a tensor.
    constexpr std::size_t kMaximumBytes = 4 * kMaximumDimensions * sizeof(std::int32_t);
    if (builder_.operand(operand).type == OperandType::TENSOR_INT32 &&
        bytes.size() <= kMaximumBytes) {
        std::size_t misfit = 0;
        small_[operand] = *toInt32(schema::TensorType::INT32, bytes, misfit);
    }
    return operand;
}

const std::vector<std::int32_t>* TensorMap::valuesOf(std::uint32_t operand) const {
    const auto known = small_.find(operand);
    return known == small_.end() ? nullptr : &known->second;
}

std::span<const std::uint32_t> TensorMap::channelsOfScaleZero(std::uint32_t operand) const {
    const auto known = unscaled_.find(operand);
    return known == unscaled_.end() ? std::span<const std::uint32_t>()
                                    : std::span<const std::uint32_t>(known->second);
}

Result<std::uint32_t> TensorMap::addRepeated(OperandType type, Dimensions dimensions,
                                             std::span<const std::byte> element, float scale) {
    const std::uint64_t sizeBytes = operandBytes(type, dimensions).value_or(UINT64_MAX);
    NNBURST_TRY(file_.takeConstantBytes(sizeBytes));
    std::vector<std::byte> bytes;
    bytes.reserve(sizeBytes);
    while (bytes.size() < sizeBytes) {
        bytes.insert(bytes.end(), element.begin(), element.end());
    }
    return builder_.addConstant(type, std::move(dimensions), bytes, scale);
}

Result<std::uint32_t> TensorMap::readIntegers(std::uint32_t tensor, const Operand& operand,
                                              std::span<const std::byte> bytes) {
    std::size_t misfit = 0;
    const auto values = toInt32(schema::TensorType::INT64, bytes, misfit);
    if (!values) {
        return invalid("{}: element {} of INT64: must fit into 32 bits", describe(tensor), misfit);
    }
    return addConstant(operand.type, operand.dimensions, std::as_bytes(std::span(*values)));
}

Result<std::uint32_t> TensorMap::readConstant(std::uint32_t tensor,
                                              std::span<const std::byte> bytes) {
    NNBURST_TRY_ASSIGN(Operand operand, declare(tensor, Source::CONSTANT));
    const schema::TensorType type = graph_.tensors()->Get(tensor)->type();
    const std::uint64_t elementFactor = type == schema::TensorType::INT64 ? 2 : 1;
    const auto sizeBytes = operandBytes(operand.type, operand.dimensions);
    if (!sizeBytes || *sizeBytes * elementFactor != bytes.size()) {
        return invalid("{}: buffer of {} bytes for {} {}: must have as many bytes as the tensor",
                       describe(tensor), bytes.size(), dimensionsText(operand.dimensions),
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
        within(describe(tensor),
               checkedChannelsOfScaleZero(*graph_.tensors()->Get(tensor), operand, bytes)));
    const std::uint32_t constant = remembered(
        builder_.addConstant(operand.type, std::move(operand.dimensions), bytes, operand.scale,
                             operand.zeroPoint, std::move(operand.extraParams)),
        bytes);
    if (!unscaled.empty()) {
        unscaled_[constant] = std::move(unscaled);
    }
    return constant;
}

Result<std::uint32_t> TensorMap::addConstantOf(const schema::Tensor& tensor,
                                               std::span<const std::byte> bytes) {
    NNBURST_TRY_ASSIGN(const Operand operand, operandOf(tensor, Source::CONSTANT));
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

Result<std::size_t> TensorMap::addState(const Operand& value) {
    if (!isMain_) {
        return invalid(
            "what is kept from one execution to the next is supported in the main "
            "subgraph alone");
    }
    if (!isKnown(value.dimensions)) {
        return invalid("a variable of shape {}: all sizes must be known",
                       dimensionsText(value.dimensions));
    }
    const std::uint32_t input =
        builder_.addTensor(value.type, value.dimensions, value.scale, value.zeroPoint);
    variables_.push_back({.tensor = kNoTensor, .input = input, .next = input});
    return variables_.size() - 1;
}

Result<std::uint32_t> TensorMap::addTensor(std::uint32_t tensor, Source source) {
    NNBURST_TRY_ASSIGN(Operand operand, declare(tensor, source));
    if (operand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        return invalid("{}: only constants can be quantised per channel", describe(tensor));
    }
    const schema::TensorType type = graph_.tensors()->Get(tensor)->type();
    if (type == schema::TensorType::INT4) {
        return invalid("{}: only constants can be INT4", describe(tensor));
    }
    if (source == Source::VARIABLE && type == schema::TensorType::INT64) {
        return invalid("{}: variable tensors of INT64 are not supported", describe(tensor));
    }
    return builder_.addTensor(operand.type, std::move(operand.dimensions), operand.scale,
                              operand.zeroPoint);
}

/// Inputs of operators, and outputs of the subgraph.
void TensorMap::countReaders() {
    const auto count = [&](const flatbuffers::Vector<std::int32_t>* tensors) {
        for (std::uint32_t i = 0; i < sizeOf(tensors); ++i) {
            const auto tensor = static_cast<std::uint32_t>(tensors->Get(i));
            if (tensor < readers_.size()) {
                ++readers_[tensor];
            }
        }
    };
    for (std::uint32_t i = 0; i < sizeOf(graph_.operators()); ++i) {
        count(graph_.operators()->Get(i)->inputs());
    }
    count(graph_.outputs());
}

Result<std::vector<UnsupportedInput>> TensorMap::declareInputs(const SubgraphUse& use) {
    std::vector<UnsupportedInput> unsupported;
    keepsOpenSizes_ = use.keepsOpenSizes;
    countReaders();
    if (use.inPlaceOf != nullptr) {
        NNBURST_TRY(adoptInputs(*use.inPlaceOf));
        return unsupported;
    }
    for (std::uint32_t i = 0; i < sizeOf(graph_.inputs()); ++i) {
        const std::int32_t tensor = graph_.inputs()->Get(i);
        NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, find(tensor));
        const auto index = static_cast<std::uint32_t>(tensor);
        NNBURST_TRY_ASSIGN(const auto bytes, bufferOf(index));
        if (!bytes.empty() || declaration->is_variable() || values_[index]) {
            return invalid("input {} of the model: {} is constant, variable or an input already", i,
                           describe(index));
        }
        const ValueShape given = i < use.inputs.size() ? use.inputs[i] : ValueShape();
        const bool keepsOpen = keepsOpenSizes_ || file_.options().keepsOpenSizes;
        // Takes the shapes of the operator that runs it.
        const bool mayBeOpen = !isMain_ || !given.dimensions.empty() || keepsOpen;
        const Source source = mayBeOpen ? Source::OPEN_INPUT : Source::INPUT;
        const auto operand = addTensor(index, source);
        if (!operand) {
            unsupported.push_back({.tensor = index, .reason = operand.error().message});
            continue;
        }
        Dimensions& shape = builder_.operand(*operand).dimensions;
        const bool isScalar =
            shape.empty() ? given.isScalar : isDeclaredScalar(*declaration, source);
        if (!mayBeEqual(shape, given.dimensions)) {
            if (!isScalar && shape.size() == given.dimensions.size()) {
                isResized_ = true;
                openOtherSizes(shape, given.dimensions);
            } else if (isMain_) {
                return invalid("input {} of the model: {} has {} dimensions: cannot be {}", i,
                               describe(index), isScalar ? 0 : shape.size(),
                               dimensionsText(given.dimensions));
            }
        }
        declared_.push_back(shape);
        fillOpenSizes(shape, given.dimensions);
        if (!isMain_ && !keepsOpen) {
            fillWithStatedSizes(shape, *declaration);
        }
        values_[index] = {.operand = *operand, .isScalar = isScalar};
        inputs_.push_back(*operand);
    }
    return unsupported;
}

Result<> TensorMap::adoptInputs(OperatorImport& op) {
    TensorMap& caller = op.tensors();
    for (std::uint32_t i = 0; i < sizeOf(graph_.inputs()); ++i) {
        const std::int32_t tensor = graph_.inputs()->Get(i);
        NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, find(tensor));
        NNBURST_TRY_ASSIGN(const schema::Tensor* given,
                           caller.find(op.declaration().inputs()->Get(i)));
        const auto index = static_cast<std::uint32_t>(tensor);
        NNBURST_TRY_ASSIGN(const auto bytes, bufferOf(index));
        if (!bytes.empty() || declaration->is_variable() || values_[index] ||
            declaration->type() != given->type()) {
            return invalid(
                "input {}: {} of type {}: must be {}, and neither constant, variable nor an input "
                "already",
                i, describe(index), typeText(declaration->type()), typeText(given->type()));
        }
        const std::uint32_t operand = op.input(i);
        NNBURST_TRY_ASSIGN(const Dimensions stated, shapeOf(*declaration, Source::OPEN_INPUT));
        isResized_ = isResized_ || !mayBeEqual(stated, op.shape(i));
        auto integers = op.knownIntegers(i);
        auto reals = op.knownReals(i);
        const auto unscaled = caller.channelsOfScaleZero(operand);
        // Many inputs may be the same tensor, of which each gets a copy.
        NNBURST_TRY(file_.takeConstantBytes(
            sizeof(std::int32_t) *
            ((integers ? integers->size() : 0) + (reals ? reals->size() : 0) + unscaled.size())));
        values_[index] = {.operand = operand,
                          .isScalar = op.isScalar(i),
                          .integers = std::move(integers),
                          .reals = std::move(reals)};
        adopted_[index] = op.constantBytes(i);
        if (const auto* small = caller.valuesOf(operand)) {
            small_[operand] = *small;
        }
        if (!unscaled.empty()) {
            unscaled_[operand] = {unscaled.begin(), unscaled.end()};
        }
        if (caller.isFixed(operand)) {
            setFixed(operand);
        }
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
    const auto* shape = declaration->shape();
    const bool hasNoElements = shape != nullptr && shape->size() <= kMaximumDimensions &&
                               std::find(shape->begin(), shape->end(), 0) != shape->end();
    if (bytes.empty() && !declaration->is_variable() && !hasNoElements) {
        return invalid("{} is read before any operator writes it", describe(index));
    }
    if (!bytes.empty() && declaration->is_variable()) {
        return invalid("{}: variable tensors with a first value are not supported",
                       describe(index));
    }
    if (declaration->is_variable() && !isMain_) {
        return invalid("{}: variable tensors in subgraphs are not supported", describe(index));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t operand, declaration->is_variable()
                                                        ? addTensor(index, Source::VARIABLE)
                                                        : readConstant(index, bytes));
    if (declaration->is_variable()) {
        variables_.push_back({.tensor = index, .input = operand, .next = operand});
    }
    values_[index] = {.operand = operand,
                      .isScalar = isDeclaredScalar(*declaration, Source::CONSTANT)};
    if (builder_.operand(operand).lifetime == OperandLifeTime::NO_VALUE) {
        values_[index]->integers.emplace();
    }
    return operand;
}

Result<std::uint32_t> TensorMap::ownConstant(std::int32_t tensor) {
    const auto index = static_cast<std::uint32_t>(tensor);
    // Operators of the caller may read what it has given.
    if (readers_[index] == 1 && !adopted_.contains(index)) {
        return values_[index]->operand;
    }
    if (const auto known = own_.find(index); known != own_.end()) {
        return known->second;
    }
    NNBURST_TRY_ASSIGN(const auto bytes, bufferOf(index));
    NNBURST_TRY(file_.takeConstantBytes(bytes.size()));
    const Operand given = builder_.operand(values_[index]->operand);
    const std::uint32_t copy = builder_.addConstant(
        given.type, given.dimensions, bytes, given.scale, given.zeroPoint, given.extraParams);
    own_.emplace(index, copy);
    return copy;
}

Result<std::uint32_t> TensorMap::define(std::int32_t tensor) {
    NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, find(tensor));
    const auto index = static_cast<std::uint32_t>(tensor);
    NNBURST_TRY_ASSIGN(const auto bytes, bufferOf(index));
    if (!bytes.empty() || declaration->is_variable() || values_[index]) {
        return invalid("{} is constant, variable or written already: cannot be an output",
                       describe(index));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t operand, addTensor(index, Source::OPERATOR));
    values_[index] = {.operand = operand,
                      .isScalar = isDeclaredScalar(*declaration, Source::OPERATOR)};
    return operand;
}

Result<> TensorMap::requireKnownInt64(std::int32_t tensor) const {
    const auto index = static_cast<std::uint32_t>(tensor);
    if (isInt64(tensor) && !values_[index]->integers) {
        return invalid(
            "{}: type INT64 is not supported where values may need more than 32 bits, unless "
            "TfliteOptions::integersFitInt32 says that they do not",
            describe(index));
    }
    return {};
}

Result<std::uint32_t> TensorMap::update(std::int32_t tensor) {
    NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, find(tensor));
    const auto index = static_cast<std::uint32_t>(tensor);
    if (!declaration->is_variable()) {
        return invalid("{} is a state: must be variable", describe(index));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t operand, addTensor(index, Source::VARIABLE));
    values_[index] = {.operand = operand};
    return operand;
}

void TensorMap::setNext(std::int32_t tensor, std::uint32_t operand) {
    const auto index = static_cast<std::uint32_t>(tensor);
    if (graph_.tensors()->Get(index)->is_variable()) {
        values_[index]->operand = operand;
    }
}

void TensorMap::redefine(std::int32_t tensor, std::uint32_t operand) {
    Value& value = *values_[static_cast<std::uint32_t>(tensor)];
    // No operation writes its former operand any more.
    builder_.operand(value.operand).lifetime = OperandLifeTime::NO_VALUE;
    value.operand = operand;
}

Result<> TensorMap::redefine(std::int32_t tensor, const std::vector<std::int32_t>& integers) {
    Value& value = *values_[static_cast<std::uint32_t>(tensor)];
    builder_.operand(value.operand).lifetime = OperandLifeTime::NO_VALUE;
    if (!integers.empty()) {
        NNBURST_TRY_ASSIGN(value.operand,
                           replaceByConstant(value.operand, OperandType::TENSOR_INT32,
                                             static_cast<std::uint32_t>(integers.size()),
                                             std::as_bytes(std::span(integers))));
    }
    value.integers = integers;
    return {};
}

Result<> TensorMap::redefine(std::int32_t tensor, const std::vector<float>& reals) {
    Value& value = *values_[static_cast<std::uint32_t>(tensor)];
    builder_.operand(value.operand).lifetime = OperandLifeTime::NO_VALUE;
    NNBURST_TRY_ASSIGN(value.operand, replaceByConstant(value.operand, OperandType::TENSOR_FLOAT32,
                                                        static_cast<std::uint32_t>(reals.size()),
                                                        std::as_bytes(std::span(reals))));
    value.reals = reals;
    return {};
}

Result<std::uint32_t> TensorMap::replaceByConstant(std::uint32_t operand, OperandType type,
                                                   std::uint32_t count,
                                                   std::span<const std::byte> bytes) {
    Dimensions dimensions = builder_.operand(operand).dimensions;
    if (operandBytes(type, dimensions) != bytes.size()) {
        dimensions = {count};
    }
    return addConstant(type, std::move(dimensions), bytes);
}

bool TensorMap::isFixed(std::uint32_t operand) {
    const OperandLifeTime lifetime = builder_.operand(operand).lifetime;
    return lifetime == OperandLifeTime::CONSTANT_COPY ||
           lifetime == OperandLifeTime::CONSTANT_REFERENCE || fixed_.contains(operand);
}

std::uint32_t TensorMap::toFloat(std::uint32_t operand) {
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

bool TensorMap::isScalar(std::int32_t tensor) const {
    return values_[static_cast<std::uint32_t>(tensor)]->isScalar;
}

void TensorMap::setScalar(std::int32_t tensor, bool isScalar) {
    values_[static_cast<std::uint32_t>(tensor)]->isScalar = isScalar;
}

bool TensorMap::isGuessedScalar(std::int32_t tensor) const {
    return isScalar(tensor) && !tellsRanks_;
}

bool TensorMap::isInt64(std::int32_t tensor) const {
    return graph_.tensors()->Get(static_cast<std::uint32_t>(tensor))->type() ==
           schema::TensorType::INT64;
}

bool TensorMap::isComplex(std::int32_t tensor) const {
    return graph_.tensors()->Get(static_cast<std::uint32_t>(tensor))->type() ==
           schema::TensorType::COMPLEX64;
}

std::span<const std::byte> TensorMap::constantBytes(std::int32_t tensor) {
    const auto bytes = bufferOf(static_cast<std::uint32_t>(tensor));
    return bytes ? *bytes : std::span<const std::byte>();
}

std::optional<std::vector<std::int32_t>> TensorMap::integers(std::int32_t tensor) {
    const auto index = static_cast<std::uint32_t>(tensor);
    if (values_[index]->integers) {
        return values_[index]->integers;
    }
    const schema::TensorType type = graph_.tensors()->Get(index)->type();
    const auto bytes = constantBytes(tensor);
    if ((type != schema::TensorType::INT32 && type != schema::TensorType::INT64) || bytes.empty() ||
        bytes.size() > kMaximumIntegers * sizeof(std::int64_t)) {
        return std::nullopt;
    }
    std::size_t misfit = 0;
    return toInt32(type, bytes, misfit);
}

std::optional<std::vector<float>> TensorMap::reals(std::int32_t tensor) {
    const auto index = static_cast<std::uint32_t>(tensor);
    if (values_[index]->reals) {
        return values_[index]->reals;
    }
    const auto bytes = constantBytes(tensor);
    if (graph_.tensors()->Get(index)->type() != schema::TensorType::FLOAT32 || bytes.empty() ||
        bytes.size() > kMaximumIntegers * sizeof(float)) {
        return std::nullopt;
    }
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

std::uint32_t TensorMap::asOutput(std::uint32_t operand, std::set<std::uint32_t>& taken) {
    if (builder_.operand(operand).lifetime == OperandLifeTime::TEMPORARY_VARIABLE &&
        taken.insert(operand).second) {
        return operand;
    }
    const Operand original = builder_.operand(operand);
    const std::uint32_t copy =
        builder_.addTensor(original.type, original.dimensions, original.scale, original.zeroPoint);
    builder_.addOperation(OperationType::CAST, {operand}, {copy});
    return copy;
}

Result<Interface> TensorMap::finish(std::vector<ModelState>& states) {
    Interface result{.inputs = inputs_, .outputs = {}};
    for (const Variable& variable : variables_) {
        result.inputs.push_back(variable.input);
    }
    std::set<std::uint32_t> taken(result.inputs.begin(), result.inputs.end());
    for (std::uint32_t i = 0; i < sizeOf(graph_.outputs()); ++i) {
        const std::int32_t tensor = graph_.outputs()->Get(i);
        NNBURST_TRY(find(tensor));
        const auto index = static_cast<std::uint32_t>(tensor);
        if (auto operand = read(tensor); !operand) {
            return invalid("output {} of the model: {}", i, operand.error().message);
        }
        if (builder_.operand(values_[index]->operand).lifetime == OperandLifeTime::NO_VALUE) {
            return invalid("output {} of the model: {} has no elements", i, describe(index));
        }
        result.outputs.push_back(asOutput(values_[index]->operand, taken));
    }
    for (std::uint32_t i = 0; i < variables_.size(); ++i) {
        const Variable& variable = variables_[i];
        const bool isResource = variable.tensor == kNoTensor;
        const std::uint32_t next = isResource ? variable.next : values_[variable.tensor]->operand;
        if (!isResource && next == variable.input) {
            return invalid("{} is variable, but no operator updates it", describe(variable.tensor));
        }
        states.push_back({.input = static_cast<std::uint32_t>(inputs_.size() + i),
                          .output = static_cast<std::uint32_t>(result.outputs.size())});
        result.outputs.push_back(asOutput(next, taken));
    }
    return result;
}

}  // namespace nnburst::tflite
