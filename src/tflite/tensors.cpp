// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/tensors.h"

#include <algorithm>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"
#include "tflite/extension_types.h"
#include "tflite/operand.h"
#include "tflite/operator_import.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

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

}  // namespace

TensorMap::TensorMap(FileImport& file, const schema::SubGraph& graph, ModelBuilder& builder,
                     bool isMain)
    : file_(file),
      graph_(graph),
      builder_(builder),
      isMain_(isMain),
      contents_(file, graph, isMain),
      constants_(file, contents_, builder),
      states_(builder, isMain),
      values_(sizeOf(graph.tensors())),
      readers_(sizeOf(graph.tensors())) {}

Result<std::uint32_t> TensorMap::addTensor(std::uint32_t tensor, Source source) {
    NNBURST_TRY_ASSIGN(Operand operand, contents_.declare(tensor, source));
    if (operand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        return invalid("{}: only constants can be quantised per channel",
                       contents_.describe(tensor));
    }
    const schema::TensorType type = graph_.tensors()->Get(tensor)->type();
    if (type == schema::TensorType::INT4) {
        return invalid("{}: only constants can be INT4", contents_.describe(tensor));
    }
    if (source == Source::VARIABLE && type == schema::TensorType::INT64) {
        return invalid("{}: variable tensors of INT64 are not supported",
                       contents_.describe(tensor));
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
        NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, contents_.find(tensor));
        const auto index = static_cast<std::uint32_t>(tensor);
        NNBURST_TRY_ASSIGN(const auto bytes, contents_.bufferOf(index));
        if (!bytes.empty() || declaration->is_variable() || values_[index]) {
            return invalid("input {} of the model: {} is constant, variable or an input already", i,
                           contents_.describe(index));
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
            shape.empty() ? given.isScalar : contents_.isDeclaredScalar(*declaration, source);
        if (!mayBeEqual(shape, given.dimensions)) {
            if (!isScalar && shape.size() == given.dimensions.size()) {
                contents_.setResized();
                openOtherSizes(shape, given.dimensions);
            } else if (isMain_) {
                return invalid("input {} of the model: {} has {} dimensions: cannot be {}", i,
                               contents_.describe(index), isScalar ? 0 : shape.size(),
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

/// TFLite passes the bytes on, whatever scale they have.
Result<std::uint32_t> TensorMap::adopt(OperatorImport& op, std::uint32_t input,
                                       std::uint32_t tensor) {
    const std::uint32_t operand = op.input(input);
    const Operand given = op.operand(operand);
    if (!op.isQuantized(operand) && given.type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        return operand;
    }
    const auto bytes = op.constantBytes(input);
    const Source source = bytes.empty() ? Source::OPEN_INPUT : Source::CONSTANT;
    NNBURST_TRY_ASSIGN(const Operand declared, contents_.declare(tensor, source));
    if (declared.type == given.type && declared.scale == given.scale &&
        declared.zeroPoint == given.zeroPoint && declared.extraParams == given.extraParams) {
        return operand;
    }
    if (!bytes.empty()) {
        return constants_.readConstant(tensor, bytes, given.dimensions);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t copy, addTensor(tensor, source));
    builder_.operand(copy).dimensions = given.dimensions;
    op.add(kBitcast, {operand}, {copy});
    return copy;
}

Result<> TensorMap::adoptInputs(OperatorImport& op) {
    TensorMap& caller = op.tensors();
    for (std::uint32_t i = 0; i < sizeOf(graph_.inputs()); ++i) {
        const std::int32_t tensor = graph_.inputs()->Get(i);
        NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, contents_.find(tensor));
        NNBURST_TRY_ASSIGN(const schema::Tensor* given,
                           caller.contents().find(op.declaration().inputs()->Get(i)));
        const auto index = static_cast<std::uint32_t>(tensor);
        NNBURST_TRY_ASSIGN(const auto bytes, contents_.bufferOf(index));
        if (!bytes.empty() || declaration->is_variable() || values_[index] ||
            declaration->type() != given->type()) {
            return invalid(
                "input {}: {} of type {}: must be {}, and neither constant, variable nor an input "
                "already",
                i, contents_.describe(index), typeText(declaration->type()),
                typeText(given->type()));
        }
        NNBURST_TRY_ASSIGN(const Dimensions stated,
                           contents_.shapeOf(*declaration, Source::OPEN_INPUT));
        NNBURST_TRY_ASSIGN(const std::uint32_t adopted, adopt(op, i, index));
        const std::uint32_t operand = op.input(i);
        if (!mayBeEqual(stated, op.shape(i))) {
            contents_.setResized();
        }
        auto integers = op.knownIntegers(i);
        auto reals = op.knownReals(i);
        const auto unscaled = caller.constants().channelsOfScaleZero(operand);
        // Many inputs may be the same tensor, of which each gets a copy.
        NNBURST_TRY(file_.takeConstantBytes(
            sizeof(std::int32_t) *
            ((integers ? integers->size() : 0) + (reals ? reals->size() : 0) + unscaled.size())));
        values_[index] = {.operand = adopted,
                          .isScalar = op.isScalar(i),
                          .integers = std::move(integers),
                          .reals = std::move(reals)};
        contents_.adopt(index, op.constantBytes(i));
        if (adopted == operand) {
            constants_.adopt(caller.constants(), operand);
        }
    }
    return {};
}

Result<std::uint32_t> TensorMap::read(std::int32_t tensor) {
    NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, contents_.find(tensor));
    const auto index = static_cast<std::uint32_t>(tensor);
    if (values_[index]) {
        return values_[index]->operand;
    }
    NNBURST_TRY_ASSIGN(const auto bytes, contents_.bufferOf(index));
    const auto* shape = declaration->shape();
    const bool hasNoElements = shape != nullptr && shape->size() <= kMaximumDimensions &&
                               std::find(shape->begin(), shape->end(), 0) != shape->end();
    if (bytes.empty() && !declaration->is_variable() && !hasNoElements) {
        return invalid("{} is read before any operator writes it", contents_.describe(index));
    }
    if (!bytes.empty() && declaration->is_variable()) {
        return invalid("{}: variable tensors with a first value are not supported",
                       contents_.describe(index));
    }
    if (declaration->is_variable() && !isMain_) {
        return invalid("{}: variable tensors in subgraphs are not supported",
                       contents_.describe(index));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t operand, declaration->is_variable()
                                                        ? addTensor(index, Source::VARIABLE)
                                                        : constants_.readConstant(index, bytes));
    if (declaration->is_variable()) {
        states_.addVariable(index, operand);
    }
    values_[index] = {.operand = operand,
                      .isScalar = contents_.isDeclaredScalar(*declaration, Source::CONSTANT)};
    if (builder_.operand(operand).lifetime == OperandLifeTime::NO_VALUE) {
        values_[index]->integers.emplace();
    }
    return operand;
}

Result<std::uint32_t> TensorMap::ownConstant(std::int32_t tensor) {
    const auto index = static_cast<std::uint32_t>(tensor);
    // Operators of the caller may read what it has given.
    if (readers_[index] == 1 && !contents_.isAdopted(index)) {
        return values_[index]->operand;
    }
    if (const auto known = own_.find(index); known != own_.end()) {
        return known->second;
    }
    NNBURST_TRY_ASSIGN(const auto bytes, contents_.bufferOf(index));
    NNBURST_TRY(file_.takeConstantBytes(bytes.size()));
    const Operand given = builder_.operand(values_[index]->operand);
    const std::uint32_t copy = builder_.addConstant(
        given.type, given.dimensions, bytes, given.scale, given.zeroPoint, given.extraParams);
    own_.emplace(index, copy);
    return copy;
}

Result<std::uint32_t> TensorMap::define(std::int32_t tensor) {
    NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, contents_.find(tensor));
    const auto index = static_cast<std::uint32_t>(tensor);
    NNBURST_TRY_ASSIGN(const auto bytes, contents_.bufferOf(index));
    if (!bytes.empty() || declaration->is_variable() || values_[index]) {
        return invalid("{} is constant, variable or written already: cannot be an output",
                       contents_.describe(index));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t operand, addTensor(index, Source::OPERATOR));
    values_[index] = {.operand = operand,
                      .isScalar = contents_.isDeclaredScalar(*declaration, Source::OPERATOR)};
    return operand;
}

Result<> TensorMap::requireKnownInt64(std::int32_t tensor) const {
    const auto index = static_cast<std::uint32_t>(tensor);
    if (contents_.isInt64(tensor) && !values_[index]->integers) {
        return invalid(
            "{}: type INT64 is not supported where values may need more than 32 bits, unless "
            "TfliteOptions::integersFitInt32 says that they do not",
            contents_.describe(index));
    }
    return {};
}

Result<std::uint32_t> TensorMap::update(std::int32_t tensor) {
    NNBURST_TRY_ASSIGN(const schema::Tensor* declaration, contents_.find(tensor));
    const auto index = static_cast<std::uint32_t>(tensor);
    if (!declaration->is_variable()) {
        return invalid("{} is a state: must be variable", contents_.describe(index));
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
                           constants_.replaceByConstant(value.operand, OperandType::TENSOR_INT32,
                                                        static_cast<std::uint32_t>(integers.size()),
                                                        std::as_bytes(std::span(integers))));
    }
    value.integers = integers;
    return {};
}

Result<> TensorMap::redefine(std::int32_t tensor, const std::vector<float>& reals) {
    Value& value = *values_[static_cast<std::uint32_t>(tensor)];
    builder_.operand(value.operand).lifetime = OperandLifeTime::NO_VALUE;
    NNBURST_TRY_ASSIGN(value.operand,
                       constants_.replaceByConstant(value.operand, OperandType::TENSOR_FLOAT32,
                                                    static_cast<std::uint32_t>(reals.size()),
                                                    std::as_bytes(std::span(reals))));
    value.reals = reals;
    return {};
}

bool TensorMap::isScalar(std::int32_t tensor) const {
    return values_[static_cast<std::uint32_t>(tensor)]->isScalar;
}

void TensorMap::setScalar(std::int32_t tensor, bool isScalar) {
    values_[static_cast<std::uint32_t>(tensor)]->isScalar = isScalar;
}

bool TensorMap::isGuessedScalar(std::int32_t tensor) const {
    return isScalar(tensor) && !contents_.hasRanks();
}

std::optional<std::vector<std::int32_t>> TensorMap::integers(std::int32_t tensor) {
    const auto& known = values_[static_cast<std::uint32_t>(tensor)]->integers;
    return known ? known : contents_.integers(tensor);
}

std::optional<std::vector<float>> TensorMap::reals(std::int32_t tensor) {
    const auto& known = values_[static_cast<std::uint32_t>(tensor)]->reals;
    return known ? known : contents_.reals(tensor);
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
    for (const StateOperands::State& variable : states_.all()) {
        result.inputs.push_back(variable.input);
    }
    std::set<std::uint32_t> taken(result.inputs.begin(), result.inputs.end());
    for (std::uint32_t i = 0; i < sizeOf(graph_.outputs()); ++i) {
        const std::int32_t tensor = graph_.outputs()->Get(i);
        NNBURST_TRY(contents_.find(tensor));
        const auto index = static_cast<std::uint32_t>(tensor);
        if (auto operand = read(tensor); !operand) {
            return invalid("output {} of the model: {}", i, operand.error().message);
        }
        if (builder_.operand(values_[index]->operand).lifetime == OperandLifeTime::NO_VALUE) {
            return invalid("output {} of the model: {} has no elements", i,
                           contents_.describe(index));
        }
        result.outputs.push_back(asOutput(values_[index]->operand, taken));
    }
    for (std::uint32_t i = 0; i < states_.all().size(); ++i) {
        const StateOperands::State& variable = states_.all()[i];
        const bool isResource = variable.tensor == StateOperands::kNoTensor;
        const std::uint32_t next = isResource ? variable.next : values_[variable.tensor]->operand;
        if (!isResource && next == variable.input) {
            return invalid("{} is variable, but no operator updates it",
                           contents_.describe(variable.tensor));
        }
        states.push_back({.input = static_cast<std::uint32_t>(inputs_.size() + i),
                          .output = static_cast<std::uint32_t>(result.outputs.size())});
        result.outputs.push_back(asOutput(next, taken));
    }
    return result;
}

}  // namespace nnburst::tflite
