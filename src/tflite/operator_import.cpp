// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/operator_import.h"

#include <algorithm>
#include <utility>

#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "tflite/extension_types.h"
#include "tflite/hal_limits.h"
#include "tflite/shapes.h"
#include "tflite/sixteen_bits.h"

namespace nnburst::tflite {

// ---- Inputs and outputs

Result<OperatorImport> OperatorImport::resolve(TensorMap& tensors,
                                               const schema::Operator& declaration,
                                               const Arity& arity) {
    OperatorImport result(tensors, declaration);
    NNBURST_TRY(result.resolveInputs(arity));
    NNBURST_TRY(result.resolveOutputs(arity));
    return result;
}

Result<> OperatorImport::resolveInputs(const Arity& arity) {
    constexpr std::uint32_t kLastBit = 63;
    const auto* inputs = declaration_->inputs();
    const std::uint32_t count = sizeOf(inputs);
    if (count < arity.minimumInputs || count > arity.maximumInputs) {
        return invalid("{} inputs: must be {} to {}", count, arity.minimumInputs,
                       arity.maximumInputs);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (inputs->Get(i) != -1) {
            NNBURST_TRY_ASSIGN(const std::uint32_t operand, tensors_->read(inputs->Get(i)));
            inputs_.push_back(operand);
        } else if ((arity.requiredInputs >> std::min(i, kLastBit) & 1U) != 0) {
            return invalid("input {} is left out: must be given", i);
        } else {
            inputs_.push_back(kLeftOut);
        }
    }
    return {};
}

Result<> OperatorImport::resolveOutputs(const Arity& arity) {
    const auto* outputs = declaration_->outputs();
    const std::uint32_t count = sizeOf(outputs);
    if (count < arity.minimumOutputs || count > arity.maximumOutputs) {
        if (arity.minimumOutputs == arity.maximumOutputs) {
            return invalid("{} outputs: must be {}", count, arity.minimumOutputs);
        }
        return invalid("{} outputs: must be {} to {}", count, arity.minimumOutputs,
                       arity.maximumOutputs);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        NNBURST_TRY_ASSIGN(const std::uint32_t operand, tensors_->define(outputs->Get(i)));
        outputs_.push_back(operand);
    }
    return {};
}

std::uint32_t OperatorImport::optionalInput(std::size_t index, OperandType type) {
    return has(index) ? input(index) : omitted(type);
}

bool OperatorImport::inputIsInt64(std::size_t index) const {
    return tensors_->contents().isInt64(inputTensor(index));
}

bool OperatorImport::outputIsInt64(std::size_t index) const {
    return tensors_->contents().isInt64(outputTensor(index));
}

Result<> OperatorImport::requireKnownInt64() const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        NNBURST_TRY(tensors_->requireKnownInt64(outputTensor(i)));
    }
    return {};
}

bool OperatorImport::isScalar(std::size_t index) const {
    return tensors_->isScalar(inputTensor(index));
}

Result<std::uint32_t> OperatorImport::rank(std::size_t index) {
    const Dimensions& dimensions = shape(index);
    if (dimensions.empty()) {
        return invalid("input {} of unknown rank: must be known", index);
    }
    return isScalar(index) ? 0 : static_cast<std::uint32_t>(dimensions.size());
}

bool OperatorImport::isQuantized(std::uint32_t operand) {
    const OperandType type = tensors_->builder().operand(operand).type;
    return type == OperandType::TENSOR_QUANT8_ASYMM ||
           type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
           type == OperandType::TENSOR_QUANT16_SYMM;
}

bool OperatorImport::haveSameQuantization(std::uint32_t a, std::uint32_t b) {
    const Operand& left = operand(a);
    const Operand& right = operand(b);
    return left.type == right.type && left.scale == right.scale &&
           left.zeroPoint == right.zeroPoint;
}

// ---- Known values

bool OperatorImport::isConstant(std::size_t index) {
    const Operand& constant = operand(input(index));
    const auto sizeBytes = operandBytes(constant.type, constant.dimensions);
    const auto bytes = constantBytes(index);
    return !bytes.empty() && bytes.size() == sizeBytes;
}

std::span<const std::byte> OperatorImport::constantBytes(std::size_t index) const {
    return tensors_->contents().constantBytes(inputTensor(index));
}

std::optional<std::vector<std::int32_t>> OperatorImport::knownIntegers(std::size_t index) const {
    return tensors_->integers(inputTensor(index));
}

std::optional<std::vector<float>> OperatorImport::knownReals(std::size_t index) const {
    return tensors_->reals(inputTensor(index));
}

Result<std::vector<std::int32_t>> OperatorImport::integers(std::size_t index,
                                                           const char* what) const {
    auto values = knownIntegers(index);
    if (!values) {
        return invalid(
            "input {} ({}): must be a constant of INT32 or INT64 with at most {} elements", index,
            what, kMaximumIntegers);
    }
    return *std::move(values);
}

Result<std::int32_t> OperatorImport::integer(std::size_t index, const char* what) const {
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> values, integers(index, what));
    if (values.size() != 1) {
        return invalid("input {} ({}): {} elements: must be 1", index, what, values.size());
    }
    return values[0];
}

Result<std::uint32_t> OperatorImport::axis(std::int32_t axis, std::uint32_t rank) {
    const std::int64_t fromFront = axis < 0 ? std::int64_t{axis} + rank : std::int64_t{axis};
    if (fromFront < 0 || fromFront >= rank) {
        return invalid("axis {}: must be one of {} dimensions", axis, rank);
    }
    return static_cast<std::uint32_t>(fromFront);
}

Result<std::vector<std::uint32_t>> OperatorImport::axes(const std::vector<std::int32_t>& axes,
                                                        std::uint32_t rank) const {
    std::vector<bool> isListed(rank, false);
    for (const std::int32_t given : axes) {
        NNBURST_TRY_ASSIGN(const std::uint32_t fromFront, axis(given, rank));
        isListed[fromFront] = true;
    }
    std::vector<std::uint32_t> result;
    for (std::uint32_t i = 0; i < rank; ++i) {
        if (isListed[i]) {
            result.push_back(i);
        }
    }
    return result;
}

// ---- Operands that TFLite does not have

Result<std::uint32_t> OperatorImport::realScalar(float value, std::size_t index) {
    if (type(index) == OperandType::TENSOR_FLOAT16) {
        return invalid("input {} of type TENSOR_FLOAT16 is not supported", index);
    }
    return scalar(value);
}

Result<std::uint32_t> OperatorImport::activation(schema::ActivationFunctionType activation) {
    using enum schema::ActivationFunctionType;
    switch (activation) {
        case NONE:
            return scalar(static_cast<std::int32_t>(FusedActivationFunc::NONE));
        case RELU:
            return scalar(static_cast<std::int32_t>(FusedActivationFunc::RELU));
        case RELU_N1_TO_1:
            return scalar(static_cast<std::int32_t>(FusedActivationFunc::RELU1));
        case RELU6:
            return scalar(static_cast<std::int32_t>(FusedActivationFunc::RELU6));
        default:
            return invalid("fused activation {} is not supported", static_cast<int>(activation));
    }
}

Result<std::uint32_t> OperatorImport::constant(std::span<const std::int32_t> values) {
    return constant(OperandType::TENSOR_INT32, {static_cast<std::uint32_t>(values.size())},
                    std::as_bytes(values));
}

std::uint32_t OperatorImport::temporaryLike(std::uint32_t operand, Dimensions dimensions) {
    const Operand& model = tensors_->builder().operand(operand);
    return tensors_->builder().addTensor(model.type, std::move(dimensions), model.scale,
                                         model.zeroPoint);
}

Result<std::uint32_t> OperatorImport::nextState(std::size_t index) {
    return tensors_->update(inputTensor(index));
}

// ---- Outputs

void OperatorImport::inferOutputShape(const Dimensions& dimensions, std::size_t output) {
    if (dimensions.empty()) {
        return;
    }
    Dimensions& stated = operand(outputs_[output]).dimensions;
    const bool isGuessed = tensors_->isGuessedScalar(outputTensor(output));
    if (isGuessed || stated.size() != dimensions.size() || elementCount(dimensions) > 1) {
        tensors_->setScalar(outputTensor(output), false);
        stated.assign(dimensions.size(), 0);
    }
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
        stated[axis] = dimensions[axis] == 0 ? stated[axis] : dimensions[axis];
    }
}

void OperatorImport::inferScalarOutput(std::size_t output) {
    operand(outputs_[output]).dimensions = {1};
    tensors_->setScalar(outputTensor(output), true);
}

void OperatorImport::inferShapeOf(std::size_t index, std::size_t output) {
    if (isScalar(index)) {
        inferScalarOutput(output);
    } else {
        const Dimensions dimensions = shape(index);
        inferOutputShape(dimensions, output);
    }
}

// ---- Operations

namespace {

/// Whether the operation takes tensors of 16 bits, or whatever its subgraphs take.
bool isForAnyType(OperationType type) {
    using enum OperationType;
    return type == CAST || type == IF || type == WHILE || type == LSTM ||
           type == QUANTIZED_16BIT_LSTM || type == QUANTIZED_LSTM;
}

/// Operations of which TFLite's kernels take the numbers of 8 bits as they are, whatever the scales
/// of input and output.
bool ignoresScales(OperationType type) {
    using enum OperationType;
    return type == MAX_POOL_2D || type == AVERAGE_POOL_2D || type == RESIZE_BILINEAR ||
           type == RESIZE_NEAREST_NEIGHBOR ||
           (movesElements(type) && type != CONCATENATION && type != SELECT);
}

}  // namespace

void OperatorImport::add(OperationType type, std::vector<std::uint32_t> inputs,
                         std::vector<std::uint32_t> outputs) {
    PlannedOperation planned{
        .type = type, .inputs = std::move(inputs), .outputs = std::move(outputs)};
    const auto copies = adoptQuantization(planned);
    const bool computes = !isExtension(type) && !movesElements(type) && !isForAnyType(type);
    if (computes && (have16Bits(*tensors_, {planned.inputs[0]}) ||
                     have16Bits(*tensors_, {planned.outputs[0]}))) {
        if (!planIn16Bits(*tensors_, planned)) {
            return addInFloat(std::move(planned));
        }
    }
    if (isExtension(planned.type)) {
        tensors_->file().nameExtension();
    }
    if (const auto isAdded = addWithinLimits(*tensors_, planned); !isAdded || !*isAdded) {
        tensors_->builder().addOperation(planned.type, std::move(planned.inputs),
                                         std::move(planned.outputs));
    }
    for (const auto& [computed, output] : copies) {
        add(kBitcast, {computed}, {output});
    }
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> OperatorImport::adoptQuantization(
    PlannedOperation& planned) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> copies;
    const std::uint32_t first = planned.outputs[0];
    const OperandType type = operand(first).type;
    if (!ignoresScales(planned.type) || !isQuantized(first) ||
        type == OperandType::TENSOR_QUANT16_SYMM || operand(planned.inputs[0]).type != type) {
        return copies;
    }
    if (!haveSameQuantization(planned.inputs[0], first)) {
        const Dimensions dimensions = operand(planned.inputs[0]).dimensions;
        const std::uint32_t input = temporaryLike(first, dimensions);
        add(kBitcast, {planned.inputs[0]}, {input});
        planned.inputs[0] = input;
    }
    for (std::uint32_t& output : planned.outputs) {
        if (!haveSameQuantization(output, first)) {
            const Dimensions dimensions = operand(output).dimensions;
            const std::uint32_t computed = temporaryLike(first, dimensions);
            copies.emplace_back(computed, std::exchange(output, computed));
        }
    }
    return copies;
}

void OperatorImport::addInFloat(PlannedOperation planned) {
    for (std::uint32_t& input : planned.inputs) {
        input = tensors_->constants().toFloat(input);
    }
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rescaled;
    for (std::uint32_t& output : planned.outputs) {
        if (have16Bits(*tensors_, {output})) {
            const Dimensions dimensions = operand(output).dimensions;
            const std::uint32_t computed = temporary(OperandType::TENSOR_FLOAT32, dimensions);
            rescaled.emplace_back(computed, std::exchange(output, computed));
        }
    }
    add(planned.type, std::move(planned.inputs), std::move(planned.outputs));
    for (const auto& [computed, output] : rescaled) {
        add(OperationType::QUANTIZE, {computed}, {output});
    }
}

Result<> OperatorImport::readAsSigned(std::size_t index) {
    if (type(index) != OperandType::TENSOR_QUANT8_ASYMM || !isConstant(index) ||
        !tensors_->constants().channelsOfScaleZero(input(index)).empty()) {
        return {};
    }
    NNBURST_TRY_ASSIGN(inputs_[index], ownConstant(index));
    operand(input(index)).type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    operand(input(index)).zeroPoint = 0;
    return {};
}

Result<> OperatorImport::dequantizeHybrid(std::size_t weights) {
    if (type(0) == OperandType::TENSOR_FLOAT32) {
        NNBURST_TRY(readAsSigned(weights));
        inputs_[weights] = floatInput(weights);
    }
    return {};
}

std::uint32_t OperatorImport::floatOutput(std::size_t output) {
    const std::uint32_t result = outputs_[output];
    if (!isQuantized(result)) {
        return result;
    }
    const Dimensions dimensions = operand(result).dimensions;
    return temporary(OperandType::TENSOR_FLOAT32, dimensions);
}

void OperatorImport::finishFloat(std::uint32_t computed, std::size_t output) {
    if (computed != outputs_[output]) {
        add(OperationType::QUANTIZE, {computed}, {outputs_[output]});
    }
}

Result<> OperatorImport::forward(std::uint32_t operandIndex, std::size_t output) {
    const OperandType given = operand(operandIndex).type;
    const OperandType declared = operand(outputs_[output]).type;
    if (given != declared) {
        return invalid("output of type {}: must be {}", toString(declared), toString(given));
    }
    if (isQuantized(operandIndex) && !haveSameQuantization(operandIndex, outputs_[output])) {
        add(kBitcast, {operandIndex}, {outputs_[output]});
        return {};
    }
    tensors_->redefine(outputTensor(output), operandIndex);
    return {};
}

Result<> OperatorImport::forwardIntegers(const std::vector<std::int32_t>& values,
                                         std::size_t output) {
    const OperandType declared = operand(outputs_[output]).type;
    if (declared != OperandType::TENSOR_INT32) {
        return invalid("output of type {}: must be TENSOR_INT32", toString(declared));
    }
    return tensors_->redefine(outputTensor(output), values);
}

Result<> OperatorImport::forwardReals(const std::vector<float>& values) {
    const OperandType declared = operand(outputs_[0]).type;
    if (declared != OperandType::TENSOR_FLOAT32) {
        return invalid("output of type {}: must be TENSOR_FLOAT32", toString(declared));
    }
    return tensors_->redefine(outputTensor(0), values);
}

Result<std::uint32_t> OperatorImport::broadcast(std::uint32_t operandIndex,
                                                const Dimensions& dimensions) {
    const Dimensions given = operand(operandIndex).dimensions;
    if (given == dimensions) {
        return operandIndex;
    }
    if (!isKnown(given) || !isKnown(dimensions) || elementCount(dimensions) == 0 ||
        broadcastShape(given, dimensions) != dimensions) {
        return invalid("shape {}: must be one that can be repeated to {}", dimensionsText(given),
                       dimensionsText(dimensions));
    }
    std::uint32_t current = operandIndex;
    Dimensions shape = given;
    if (operand(operandIndex).type == OperandType::TENSOR_BOOL8) {
        // TILE does not take this type, but LOGICAL_OR repeats elements. It does so along one axis
        // after the other: a constant of all axes could be as large as the result.
        shape.insert(shape.begin(), dimensions.size() - shape.size(), 1);
        for (std::size_t axis = dimensions.size(); axis-- > 0;) {
            const bool lacksAxes = operand(current).dimensions.size() != dimensions.size();
            if (shape[axis] == dimensions[axis] && !(axis == 0 && lacksAxes)) {
                continue;
            }
            Dimensions along(dimensions.size(), 1);
            along[axis] = shape[axis] = dimensions[axis];
            NNBURST_TRY_ASSIGN(const std::uint32_t zeros,
                               repeated(OperandType::TENSOR_BOOL8, along, std::uint8_t{0}));
            const std::uint32_t next = temporary(OperandType::TENSOR_BOOL8, shape);
            add(OperationType::LOGICAL_OR, {current, zeros}, {next});
            current = next;
        }
        return current;
    }
    while (shape.size() < dimensions.size()) {
        shape.insert(shape.begin(), 1);
        const std::uint32_t next = temporaryLike(current, shape);
        add(OperationType::EXPAND_DIMS, {current, scalar(std::int32_t{0})}, {next});
        current = next;
    }
    if (shape == dimensions) {
        return current;
    }
    std::vector<std::int32_t> multiples;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        multiples.push_back(static_cast<std::int32_t>(dimensions[axis] / shape[axis]));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t tiles, constant(multiples));
    const std::uint32_t result = temporaryLike(current, dimensions);
    add(OperationType::TILE, {current, tiles}, {result});
    return result;
}

}  // namespace nnburst::tflite
