// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_conformance/invalid_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "nnburst/type_queries.h"
#include "nnburst/validation.h"

namespace nnburst::conformance {

namespace {

using enum OperandType;

using Indexes = std::vector<std::uint32_t>;
using LifeTime = OperandLifeTime;

/// The types of HAL 1.3, but OEM types.
constexpr std::int32_t kOperandTypeEnd = static_cast<std::int32_t>(SUBGRAPH) + 1;

/// The changes that were found so far, and the valid subgraph that they are for.
class Changes {
  public:
    explicit Changes(const Subgraph& subgraph) : subgraph_(subgraph) {}

    [[nodiscard]] const Subgraph& subgraph() const noexcept { return subgraph_; }
    [[nodiscard]] std::uint32_t operandCount() const noexcept {
        return static_cast<std::uint32_t>(subgraph_.operands.size());
    }

    /// Of operand `index`.
    void addOperand(std::uint32_t index, const std::string& what,
                    std::function<void(Model&, Operand&)> change) {
        add(fmt::format("operand {} ({}): {}", index, toString(subgraph_.operands[index].type),
                        what),
            [index, change = std::move(change)](Model& model) {
                change(model, model.main.operands[index]);
            });
    }
    /// Of operation `index`.
    void addOperation(std::size_t index, const std::string& what,
                      std::function<void(Subgraph&, Operation&)> change) {
        add(fmt::format("operation {} ({}): {}", index, toString(subgraph_.operations[index].type),
                        what),
            [index, change = std::move(change)](Model& model) {
                change(model.main, model.main.operations[index]);
            });
    }
    void addOption(std::string name, std::function<void(PrepareOptions&)> change) {
        all_.push_back({.name = std::move(name),
                        .apply = [change = std::move(change)](
                                     Preparation& preparation) { change(preparation.options); },
                        .isOfModel = false});
    }

    [[nodiscard]] std::vector<InvalidChange> take() { return std::move(all_); }

  private:
    void add(std::string name, std::function<void(Model&)> change) {
        all_.push_back({.name = std::move(name),
                        .apply = [change = std::move(change)](Preparation& preparation) {
                            change(preparation.model);
                        }});
    }

    const Subgraph& subgraph_;
    std::vector<InvalidChange> all_;
};

void erasePosition(Indexes& indexes, std::size_t position) {
    indexes.erase(indexes.begin() + static_cast<std::ptrdiff_t>(position));
}

// ---- Operands

void changeType(Changes& changes, std::uint32_t index) {
    for (const std::int32_t code : {-1, kOperandTypeEnd, 9999, 10002}) {
        changes.addOperand(index, fmt::format("unknown type {}", code),
                           [code](Model&, Operand& o) { o.type = static_cast<OperandType>(code); });
    }
}

void changeRank(Changes& changes, std::uint32_t index) {
    if (isScalar(changes.subgraph().operands[index].type)) {
        changes.addOperand(index, "rank 1", [](Model&, Operand& o) { o.dimensions = {0}; });
    }
}

float invalidScaleOf(OperandType type) {
    if (type == TENSOR_INT32) {
        return -1.0F;
    }
    return isQuantized(type) && type != TENSOR_QUANT8_SYMM_PER_CHANNEL ? 0.0F : 1.0F;
}

void changeScale(Changes& changes, std::uint32_t index) {
    const float scale = invalidScaleOf(changes.subgraph().operands[index].type);
    changes.addOperand(index, fmt::format("scale {}", scale),
                       [scale](Model&, Operand& o) { o.scale = scale; });
}

std::vector<std::int32_t> invalidZeroPointsOf(OperandType type) {
    switch (type) {
        case TENSOR_QUANT8_ASYMM:
            return {-1, 256};
        case TENSOR_QUANT8_SYMM:
            return {-129, -1, 1, 128};
        case TENSOR_QUANT16_ASYMM:
            return {-1, 65536};
        case TENSOR_QUANT16_SYMM:
            return {-32769, -1, 1, 32768};
        case TENSOR_QUANT8_ASYMM_SIGNED:
            return {};
        default:
            return {1};
    }
}

void changeZeroPoint(Changes& changes, std::uint32_t index) {
    for (const std::int32_t zeroPoint :
         invalidZeroPointsOf(changes.subgraph().operands[index].type)) {
        changes.addOperand(index, fmt::format("zero point {}", zeroPoint),
                           [zeroPoint](Model&, Operand& o) { o.zeroPoint = zeroPoint; });
    }
}

void changeConsumers(Changes& changes, std::uint32_t index) {
    changes.addOperand(index, "one consumer more",
                       [](Model&, Operand& o) { ++o.numberOfConsumers; });
    if (changes.subgraph().operands[index].numberOfConsumers > 0) {
        changes.addOperand(index, "one consumer less",
                           [](Model&, Operand& o) { --o.numberOfConsumers; });
    }
}

/// The size of a value; 0 if it is not known.
std::uint32_t bytesOf(const Operand& operand) {
    return isFullySpecified(operand.type, operand.dimensions)
               ? static_cast<std::uint32_t>(
                     operandBytes(operand.type, operand.dimensions).value_or(0))
               : 0;
}

/// Gives `operand` another lifetime, and as a constant the first operand values, enlarged by zeros.
void setLifetime(Model& model, Operand& operand, LifeTime lifetime) {
    operand.lifetime = lifetime;
    operand.location = {};
    if (lifetime == LifeTime::CONSTANT_COPY) {
        operand.location.length = bytesOf(operand);
        model.operandValues.resize(
            std::max<std::size_t>(model.operandValues.size(), operand.location.length));
    }
}

/// Lifetimes with which an operation must write the operand though none does, or the reverse.
std::vector<LifeTime> lifetimesWithAnotherSource(LifeTime lifetime) {
    switch (lifetime) {
        case LifeTime::SUBGRAPH_OUTPUT:
        case LifeTime::TEMPORARY_VARIABLE:
            return {LifeTime::SUBGRAPH_INPUT, LifeTime::CONSTANT_COPY};
        case LifeTime::SUBGRAPH_INPUT:
        case LifeTime::CONSTANT_COPY:
        case LifeTime::CONSTANT_REFERENCE:
            return {LifeTime::TEMPORARY_VARIABLE, LifeTime::SUBGRAPH_OUTPUT};
        default:
            return {};
    }
}

/// The list of a subgraph in which operands of this lifetime are named; null if there is none.
Indexes* listOf(Subgraph& subgraph, LifeTime lifetime) {
    switch (lifetime) {
        case LifeTime::SUBGRAPH_INPUT:
            return &subgraph.inputIndexes;
        case LifeTime::SUBGRAPH_OUTPUT:
            return &subgraph.outputIndexes;
        default:
            return nullptr;
    }
}

void changeSource(Changes& changes, std::uint32_t index) {
    const Operand& valid = changes.subgraph().operands[index];
    for (const LifeTime lifetime : lifetimesWithAnotherSource(valid.lifetime)) {
        if (lifetime == LifeTime::CONSTANT_COPY && bytesOf(valid) == 0) {
            continue;
        }
        changes.addOperand(index, fmt::format("lifetime {}", toString(lifetime)),
                           [index, lifetime](Model& model, Operand& o) {
                               if (Indexes* const list = listOf(model.main, o.lifetime)) {
                                   std::erase(*list, index);
                               }
                               setLifetime(model, o, lifetime);
                               if (Indexes* const list = listOf(model.main, lifetime)) {
                                   list->push_back(index);
                               }
                           });
    }
}

/// A lifetime that needs another entry in the lists of inputs and outputs.
std::optional<LifeTime> lifetimeOfAnotherList(const Operand& operand) {
    switch (operand.lifetime) {
        case LifeTime::CONSTANT_COPY:
        case LifeTime::CONSTANT_REFERENCE:
            return LifeTime::SUBGRAPH_INPUT;
        case LifeTime::SUBGRAPH_INPUT:
            return bytesOf(operand) == 0 ? std::optional<LifeTime>() : LifeTime::CONSTANT_COPY;
        case LifeTime::SUBGRAPH_OUTPUT:
            return LifeTime::TEMPORARY_VARIABLE;
        case LifeTime::TEMPORARY_VARIABLE:
            return LifeTime::SUBGRAPH_OUTPUT;
        default:
            return std::nullopt;
    }
}

void changeInterface(Changes& changes, std::uint32_t index) {
    if (const auto lifetime = lifetimeOfAnotherList(changes.subgraph().operands[index])) {
        changes.addOperand(
            index,
            fmt::format("lifetime {}, the inputs and outputs as before", toString(*lifetime)),
            [lifetime = *lifetime](Model& model, Operand& o) { setLifetime(model, o, lifetime); });
    }
}

// ---- Types that operations do not take

bool isFloat(OperandType type) {
    return type == TENSOR_FLOAT16 || type == TENSOR_FLOAT32;
}

bool is8Bit(OperandType type) {
    return type == TENSOR_QUANT8_ASYMM || type == TENSOR_QUANT8_ASYMM_SIGNED;
}

/// Whether `operation` may take this type for `operand`, whatever it has now.
bool mayHaveType(const Operation& operation, std::uint32_t operand, OperandType type) {
    const auto isInput = [&](std::size_t position) {
        return position < operation.inputs.size() && operation.inputs[position] == operand;
    };
    const bool isOutput = !operation.outputs.empty() && operation.outputs[0] == operand;
    switch (operation.type) {
        case OperationType::LSH_PROJECTION:
            return isInput(1);
        case OperationType::CAST:
        case OperationType::ARGMAX:
        case OperationType::ARGMIN:
            return isFloat(type) || is8Bit(type) || type == TENSOR_INT32;
        case OperationType::QUANTIZE:
            return (isInput(0) && isFloat(type)) || (isOutput && is8Bit(type));
        case OperationType::RANDOM_MULTINOMIAL:
            return isInput(0) && isFloat(type);
        case OperationType::DEQUANTIZE:
            return (isInput(0) && (is8Bit(type) || type == TENSOR_QUANT8_SYMM ||
                                   type == TENSOR_QUANT8_SYMM_PER_CHANNEL)) ||
                   (isOutput && isFloat(type));
        case OperationType::TRANSPOSE_CONV_2D:
        case OperationType::GROUPED_CONV_2D:
        case OperationType::DEPTHWISE_CONV_2D:
        case OperationType::CONV_2D:
            return isInput(1) &&
                   (type == TENSOR_QUANT8_ASYMM || type == TENSOR_QUANT8_SYMM_PER_CHANNEL);
        case OperationType::AXIS_ALIGNED_BBOX_TRANSFORM:
            return isInput(1) && is8Bit(type);
        case OperationType::RANK:
            return isInput(0) && isTensor(type);
        default:
            return false;
    }
}

/// Gives `operand` another type and, for most types, the properties that the type wants.
void retype(Operand& operand, OperandType type) {
    operand.type = type;
    if (isScalar(type)) {
        operand.dimensions.clear();
        operand.scale = 0.0F;
        operand.zeroPoint = 0;
    }
    if (!isTensor(type) || type == TENSOR_QUANT8_ASYMM_SIGNED) {
        return;
    }
    const std::size_t channels = operand.dimensions.empty() ? 0 : operand.dimensions[0];
    if (operand.dimensions.empty()) {
        operand.dimensions = {1};
    }
    if (type == TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        operand.extraParams = SymmPerChannelQuantParams{
            .scales = std::vector<float>(channels, 1.0F), .channelDim = 0};
    } else if (isQuantized(type)) {
        operand.scale = operand.scale == 0.0F ? 1.0F : operand.scale;
        return;
    }
    operand.zeroPoint = 0;
    if (type != TENSOR_INT32) {
        operand.scale = 0.0F;
    }
}

void changeTypeForOperations(Changes& changes, std::uint32_t index) {
    const Subgraph& main = changes.subgraph();
    for (std::int32_t code = 0; code < kOperandTypeEnd; ++code) {
        const auto type = static_cast<OperandType>(code);
        const bool mayHave = std::any_of(
            main.operations.begin(), main.operations.end(),
            [&](const Operation& operation) { return mayHaveType(operation, index, type); });
        if (type != main.operands[index].type && !mayHave) {
            changes.addOperand(index, fmt::format("type {}", toString(type)),
                               [type](Model&, Operand& o) { retype(o, type); });
        }
    }
}

/// Whether a model without this operand may be valid.
bool mayBeRemoved(const Subgraph& main, std::uint32_t index) {
    const auto isOptionalOutput = [&](const Operation& operation) {
        switch (operation.type) {
            case OperationType::SPLIT:
            case OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM:
            case OperationType::UNIDIRECTIONAL_SEQUENCE_RNN:
            case OperationType::BIDIRECTIONAL_SEQUENCE_LSTM:
            case OperationType::BIDIRECTIONAL_SEQUENCE_RNN:
                return std::count(operation.outputs.begin(), operation.outputs.end(), index) != 0;
            default:
                return false;
        }
    };
    return main.operands[index].numberOfConsumers == 0 ||
           std::any_of(main.operations.begin(), main.operations.end(), isOptionalOutput);
}

void removeOperand(Changes& changes, std::uint32_t index) {
    if (mayBeRemoved(changes.subgraph(), index)) {
        return;
    }
    changes.addOperand(index, "removed", [index](Model& model, Operand&) {
        Subgraph& main = model.main;
        main.operands.erase(main.operands.begin() + static_cast<std::ptrdiff_t>(index));
        for (Operation& operation : main.operations) {
            std::erase(operation.inputs, index);
            std::erase(operation.outputs, index);
        }
        std::erase(main.inputIndexes, index);
        std::erase(main.outputIndexes, index);
    });
}

// ---- Operations

void changeOperationType(Changes& changes, std::size_t index) {
    for (const std::int32_t code : {kOperationTypeEnd, 9999, 10001}) {
        changes.addOperation(index, fmt::format("unknown type {}", code),
                             [code](Subgraph&, Operation& operation) {
                                 operation.type = static_cast<OperationType>(code);
                             });
    }
}

void changeOrder(Changes& changes, std::size_t index) {
    const std::vector<Operand>& operands = changes.subgraph().operands;
    const Operation& valid = changes.subgraph().operations[index];
    const auto place = static_cast<std::ptrdiff_t>(index);
    if (std::any_of(valid.inputs.begin(), valid.inputs.end(), [&](std::uint32_t input) {
            return operands[input].lifetime == LifeTime::TEMPORARY_VARIABLE ||
                   operands[input].lifetime == LifeTime::SUBGRAPH_OUTPUT;
        })) {
        changes.addOperation(index, "before all others", [place](Subgraph& main, Operation&) {
            const auto first = main.operations.begin();
            std::rotate(first, first + place, first + place + 1);
        });
    }
    if (std::any_of(valid.outputs.begin(), valid.outputs.end(),
                    [&](std::uint32_t output) { return operands[output].numberOfConsumers > 0; })) {
        changes.addOperation(index, "behind all others", [place](Subgraph& main, Operation&) {
            const auto first = main.operations.begin();
            std::rotate(first + place, first + place + 1, main.operations.end());
        });
    }
}

/// Adds a copy of `operand` that nothing reads. Gives its index.
std::uint32_t addUnusedCopy(Subgraph& main, std::uint32_t operand) {
    Operand copy = main.operands[operand];
    copy.numberOfConsumers = 0;
    copy.lifetime = LifeTime::TEMPORARY_VARIABLE;
    main.operands.push_back(std::move(copy));
    return static_cast<std::uint32_t>(main.operands.size() - 1);
}

void changeWriters(Changes& changes, std::size_t index) {
    const Operation& valid = changes.subgraph().operations[index];
    for (std::size_t output = 0; output < valid.outputs.size(); ++output) {
        changes.addOperation(index, fmt::format("output {} written again at the end", output),
                             [output](Subgraph& main, Operation& operation) {
                                 Operation again = operation;
                                 for (const std::uint32_t input : again.inputs) {
                                     ++main.operands[input].numberOfConsumers;
                                 }
                                 for (std::size_t i = 0; i < again.outputs.size(); ++i) {
                                     if (i != output) {
                                         again.outputs[i] = addUnusedCopy(main, again.outputs[i]);
                                     }
                                 }
                                 main.operations.push_back(std::move(again));
                             });
        if (changes.subgraph().operands[valid.outputs[output]].numberOfConsumers > 0) {
            changes.addOperation(index, fmt::format("output {} not written", output),
                                 [output](Subgraph& main, Operation& operation) {
                                     operation.outputs[output] =
                                         addUnusedCopy(main, operation.outputs[output]);
                                 });
        }
    }
}

void changeIndexes(Changes& changes, std::size_t index) {
    const std::uint32_t beyond = changes.operandCount();
    const Operation& valid = changes.subgraph().operations[index];
    for (std::size_t input = 0; input < valid.inputs.size(); ++input) {
        changes.addOperation(
            index, fmt::format("input {} beyond the operands", input),
            [input, beyond](Subgraph&, Operation& operation) { operation.inputs[input] = beyond; });
    }
    for (std::size_t output = 0; output < valid.outputs.size(); ++output) {
        changes.addOperation(index, fmt::format("output {} beyond the operands", output),
                             [output, beyond](Subgraph&, Operation& operation) {
                                 operation.outputs[output] = beyond;
                             });
    }
}

void removeOperation(Changes& changes, std::size_t index) {
    changes.addOperation(index, "removed", [index](Subgraph& main, Operation& operation) {
        for (const std::uint32_t input : operation.inputs) {
            --main.operands[input].numberOfConsumers;
        }
        main.operations.erase(main.operations.begin() + static_cast<std::ptrdiff_t>(index));
    });
}

/// Whether `operation` is valid without this input, too.
bool isOptional(const Operation& operation, std::size_t input) {
    const std::size_t count = operation.inputs.size();
    const auto isLastOf = [&](std::size_t inputs) {
        return count == inputs && input == inputs - 1;
    };
    switch (operation.type) {
        case OperationType::CONCATENATION:
            return count > 2 && input != count - 1;
        case OperationType::DEPTHWISE_CONV_2D:
            return isLastOf(12) || isLastOf(9);
        case OperationType::CONV_2D:
        case OperationType::AVERAGE_POOL_2D:
        case OperationType::MAX_POOL_2D:
        case OperationType::L2_POOL_2D:
            return isLastOf(11) || isLastOf(8);
        case OperationType::RESIZE_BILINEAR:
            return input >= 3;
        case OperationType::RESIZE_NEAREST_NEIGHBOR:
            return count >= 5 && input >= 3;
        case OperationType::SPACE_TO_DEPTH:
        case OperationType::DEPTH_TO_SPACE:
        case OperationType::BATCH_TO_SPACE_ND:
        case OperationType::SOFTMAX:
            return isLastOf(3);
        case OperationType::SPACE_TO_BATCH_ND:
            return isLastOf(4);
        case OperationType::L2_NORMALIZATION:
            return isLastOf(2);
        case OperationType::LOCAL_RESPONSE_NORMALIZATION:
            return isLastOf(6);
        default:
            return false;
    }
}

void removeInputsAndOutputs(Changes& changes, std::size_t index) {
    const Operation& valid = changes.subgraph().operations[index];
    for (std::size_t input = 0; input < valid.inputs.size(); ++input) {
        if (!isOptional(valid, input)) {
            changes.addOperation(index, fmt::format("without input {}", input),
                                 [input](Subgraph& main, Operation& operation) {
                                     --main.operands[operation.inputs[input]].numberOfConsumers;
                                     erasePosition(operation.inputs, input);
                                 });
        }
    }
    for (std::size_t output = 0; output < valid.outputs.size(); ++output) {
        changes.addOperation(index, fmt::format("without output {}", output),
                             [output](Subgraph&, Operation& operation) {
                                 erasePosition(operation.outputs, output);
                             });
    }
}

/// Whether `operation` may take an INT32 as one more input.
bool mayHaveAnotherInput(const Operation& operation) {
    const std::size_t count = operation.inputs.size();
    switch (operation.type) {
        case OperationType::L2_NORMALIZATION:
            return count == 1;
        case OperationType::LOCAL_RESPONSE_NORMALIZATION:
            return count == 5;
        case OperationType::SOFTMAX:
            return count == 2;
        case OperationType::RESIZE_BILINEAR:
        case OperationType::RESIZE_NEAREST_NEIGHBOR:
            return count < 6;
        default:
            return false;
    }
}

/// Adds an INT32, an input or output of the subgraph, and gives its index.
std::uint32_t addInteger(Subgraph& main, LifeTime lifetime) {
    Operand added;
    added.type = INT32;
    added.numberOfConsumers = 1;
    added.lifetime = lifetime;
    main.operands.push_back(std::move(added));
    const auto index = static_cast<std::uint32_t>(main.operands.size() - 1);
    listOf(main, lifetime)->push_back(index);
    return index;
}

void addInputsAndOutputs(Changes& changes, std::size_t index) {
    if (!mayHaveAnotherInput(changes.subgraph().operations[index])) {
        changes.addOperation(index, "one input more", [](Subgraph& main, Operation& operation) {
            operation.inputs.push_back(addInteger(main, LifeTime::SUBGRAPH_INPUT));
        });
    }
    changes.addOperation(index, "one output more", [](Subgraph& main, Operation& operation) {
        operation.outputs.push_back(addInteger(main, LifeTime::SUBGRAPH_OUTPUT));
    });
}

// ---- Options

void changeOptions(Changes& changes) {
    for (const std::int32_t code : {-1, 3}) {
        changes.addOption(fmt::format("preference {}", code), [code](PrepareOptions& options) {
            options.preference = static_cast<ExecutionPreference>(code);
        });
        changes.addOption(fmt::format("priority {}", code), [code](PrepareOptions& options) {
            options.priority = static_cast<Priority>(code);
        });
    }
}

}  // namespace

std::vector<InvalidChange> invalidChanges(const Model& model) {
    if (!validateModel(model)) {
        return {};
    }
    Changes changes(model.main);
    for (std::uint32_t index = 0; index < changes.operandCount(); ++index) {
        for (const auto change :
             {changeType, changeRank, changeScale, changeZeroPoint, changeSource, changeInterface,
              changeConsumers, changeTypeForOperations, removeOperand}) {
            change(changes, index);
        }
    }
    for (std::size_t index = 0; index < model.main.operations.size(); ++index) {
        for (const auto change : {changeOrder, changeWriters, changeOperationType, changeIndexes,
                                  removeOperation, removeInputsAndOutputs, addInputsAndOutputs}) {
            change(changes, index);
        }
    }
    changeOptions(changes);
    return changes.take();
}

}  // namespace nnburst::conformance
