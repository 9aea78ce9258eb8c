// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/default_arguments.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "nnburst/validation.h"
#include "runtime/operand_uses.h"

namespace nnburst::runtime {

namespace {

/// The default of an argument.
enum class Default : std::uint8_t {
    FALSE,      ///< BOOL: the layout NHWC, no aligned corners, no half pixels
    ONE,        ///< INT32: no dilation
    LAST_AXIS,  ///< INT32: -1
    OMITTED,    ///< an optional operand without value
};

/// Arguments that an operation has all together or not at all.
using Group = std::vector<Default>;

/// The inputs that every version of an operation has, and the groups that may follow them.
struct Signature {
    std::size_t required = 0;
    std::vector<Group> optional;
};

/// Operations with windows have implicit padding (one INT32) or explicit (four). Where the number
/// of inputs allows both, a BOOL after the implicit arguments is the layout.
Signature windowSignature(const Subgraph& subgraph, const Operation& operation,
                          std::size_t implicit, std::vector<Group> optional) {
    constexpr std::size_t kMoreIfExplicit = 3;
    const bool isImplicit = operation.inputs.size() <= implicit ||
                            subgraph.operands[operation.inputs[implicit]].type == OperandType::BOOL;
    return {.required = isImplicit ? implicit : implicit + kMoreIfExplicit,
            .optional = std::move(optional)};
}

std::optional<Signature> signatureOf(const Subgraph& subgraph, const Operation& operation) {
    using enum Default;
    switch (operation.type) {
        case OperationType::CONV_2D:
            return windowSignature(subgraph, operation, 7, {{FALSE}, {ONE, ONE}});
        case OperationType::DEPTHWISE_CONV_2D:
            return windowSignature(subgraph, operation, 8, {{FALSE}, {ONE, ONE}});
        case OperationType::AVERAGE_POOL_2D:
        case OperationType::L2_POOL_2D:
        case OperationType::MAX_POOL_2D:
            return windowSignature(subgraph, operation, 7, {{FALSE}});
        case OperationType::RESIZE_BILINEAR:
            return Signature{3, {{FALSE}, {FALSE}, {FALSE}}};
        case OperationType::RESIZE_NEAREST_NEIGHBOR:
            return Signature{4, {{FALSE}, {FALSE}}};
        case OperationType::BATCH_TO_SPACE_ND:
        case OperationType::DEPTH_TO_SPACE:
        case OperationType::SPACE_TO_DEPTH:
            return Signature{2, {{FALSE}}};
        case OperationType::SPACE_TO_BATCH_ND:
            return Signature{3, {{FALSE}}};
        case OperationType::L2_NORMALIZATION:
            return Signature{1, {{LAST_AXIS}}};
        case OperationType::SOFTMAX:
            return Signature{2, {{LAST_AXIS}}};
        case OperationType::LOCAL_RESPONSE_NORMALIZATION:
            return Signature{5, {{LAST_AXIS}}};
        case OperationType::LSTM:
            return Signature{23, {{OMITTED, OMITTED, OMITTED, OMITTED}}};
        default:
            return std::nullopt;
    }
}

template <class T>
bool hasValue(const Model& model, const Operand& operand, OperandType type, T value) {
    T its{};
    if (operand.type != type || operand.lifetime != OperandLifeTime::CONSTANT_COPY ||
        operand.location.length != sizeof(T)) {
        return false;
    }
    std::memcpy(&its, model.operandValues.data() + operand.location.offset, sizeof(T));
    return its == value;
}

bool isDefault(const Model& model, const Operand& operand, Default expected) {
    switch (expected) {
        case Default::FALSE:
            return hasValue(model, operand, OperandType::BOOL, std::uint8_t{0});
        case Default::ONE:
            return hasValue(model, operand, OperandType::INT32, std::int32_t{1});
        case Default::LAST_AXIS:
            return hasValue(model, operand, OperandType::INT32, std::int32_t{-1});
        case Default::OMITTED:
            return operand.lifetime == OperandLifeTime::NO_VALUE;
    }
    return false;
}

/// How many inputs are left without trailing defaults.
std::size_t neededInputs(const Model& model, const Operation& operation,
                         const Signature& signature) {
    // Where each group that the operation has begins.
    std::vector<std::size_t> starts;
    std::size_t next = signature.required;
    for (const Group& group : signature.optional) {
        if (next + group.size() > operation.inputs.size()) {
            break;
        }
        starts.push_back(next);
        next += group.size();
    }
    if (next != operation.inputs.size()) {
        return operation.inputs.size();  // another signature: the device checks it
    }
    while (!starts.empty()) {
        const Group& group = signature.optional[starts.size() - 1];
        for (std::size_t i = 0; i < group.size(); ++i) {
            const std::uint32_t input = operation.inputs[starts.back() + i];
            if (!isDefault(model, model.main.operands[input], group[i])) {
                return next;
            }
        }
        next = starts.back();
        starts.pop_back();
    }
    return next;
}

}  // namespace

Model withoutDefaultArguments(Model model) {
    for (Operation& operation : model.main.operations) {
        if (const auto signature = signatureOf(model.main, operation)) {
            operation.inputs.resize(neededInputs(model, operation, *signature));
        }
    }
    const std::vector<std::uint32_t> consumers = countConsumers(model.main);
    for (std::size_t index = 0; index < consumers.size(); ++index) {
        model.main.operands[index].numberOfConsumers = consumers[index];
    }
    return model;
}

Model withoutUnusedConstants(Model model) {
    Subgraph& main = model.main;
    std::vector<std::uint32_t> placeOf(main.operands.size());
    std::vector<Operand> kept;
    for (std::size_t index = 0; index < main.operands.size(); ++index) {
        Operand& operand = main.operands[index];
        if (!isGiven(operand) || operand.numberOfConsumers != 0) {
            placeOf[index] = static_cast<std::uint32_t>(kept.size());
            kept.push_back(std::move(operand));
        }
    }
    main.operands = std::move(kept);
    const auto move = [&placeOf](std::vector<std::uint32_t>& indexes) {
        for (std::uint32_t& index : indexes) {
            index = placeOf[index];
        }
    };
    for (Operation& operation : main.operations) {
        move(operation.inputs);
        move(operation.outputs);
    }
    move(main.inputIndexes);
    move(main.outputIndexes);
    return model;
}

}  // namespace nnburst::runtime
