// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/hal_limits.h"

#include <optional>
#include <utility>

#include "nnburst/type_queries.h"
#include "tflite/axis_swaps.h"
#include "tflite/extension_types.h"
#include "tflite/hal_rules.h"
#include "tflite/joined_operation.h"
#include "tflite/shapes.h"
#include "tflite/tensors.h"

namespace nnburst::tflite {

namespace {

using enum OperationType;

/// The type that replaces a type that an operation lacks, with the same number of bytes.
std::optional<Operand> standInFor(OperandType type, Lacks lacks) {
    if (lacks == Lacks::NOTHING) {
        return std::nullopt;
    }
    Operand result;
    switch (type) {
        case OperandType::TENSOR_INT32:
            result.type = OperandType::TENSOR_FLOAT32;
            return lacks == Lacks::ALL_INTEGER_TYPES ? std::optional(result) : std::nullopt;
        case OperandType::TENSOR_BOOL8:
            result.type = OperandType::TENSOR_QUANT8_ASYMM;
            result.scale = 1.0F;
            return result;
        case OperandType::TENSOR_QUANT16_SYMM:
        case OperandType::TENSOR_QUANT16_ASYMM:
            result.type = OperandType::TENSOR_FLOAT16;
            return result;
        default:
            return std::nullopt;
    }
}

/// Rewrites one operation for the ranks and types that the HAL's operation takes, with BITCASTs
/// around it.
class OperationRewriter {
  public:
    explicit OperationRewriter(const RuledOperation& op)
        : op_(op), joined_{.inputs = op.planned.inputs} {}

    Result<bool> add() {
        if (op_.operandCount() == 0) {
            return false;
        }
        const bool isOfOtherType =
            standInFor(op_.given(op_.operandCount() - 1).type, op_.rule.lacks).has_value();
        bool isTooLarge = false;
        bool isKnownShape = true;
        for (std::size_t i = 0; i < op_.operandCount(); ++i) {
            isTooLarge = isTooLarge || op_.given(i).dimensions.size() > kMaximumHalRank;
            isKnownShape = isKnownShape && isKnown(op_.given(i).dimensions);
        }
        for (const std::uint32_t output : op_.planned.outputs) {
            const Dimensions& dimensions = op_.tensors.builder().operand(output).dimensions;
            isTooLarge = isTooLarge || dimensions.size() > kMaximumHalRank;
            isKnownShape = isKnownShape && isKnown(dimensions);
        }
        if (!isOfOtherType && !isTooLarge) {
            return false;
        }
        if (op_.rule.axes == Axes::RESHAPED && isKnownShape) {
            NNBURST_TRY_ASSIGN(const auto sizes,
                               newSizes(op_.given(0).dimensions, op_.outputShape()));
            planBitcast(op_.planned.inputs[0], op_.planned.outputs[0], sizes);
            addOperations();
            return true;
        }
        if (isTooLarge) {
            if (!isKnownShape) {
                return false;
            }
            NNBURST_TRY_ASSIGN(auto joined, joinAxes(op_));
            if (!joined) {
                return false;
            }
            joined_ = *std::move(joined);
        }
        NNBURST_TRY(joined_.swaps.empty() ? planOperations() : planSwaps());
        addOperations();
        return true;
    }

  private:
    /// The sizes that a BITCAST from dimensions `from` to `to` takes, as a constant; none if they
    /// are the same.
    Result<std::optional<std::uint32_t>> newSizes(const Dimensions& from, const Dimensions& to) {
        if (from == to) {
            return std::nullopt;
        }
        NNBURST_TRY_ASSIGN(const std::uint32_t sizes, op_.integers({to.begin(), to.end()}));
        return std::optional(sizes);
    }

    /// Plans a BITCAST to the type and dimensions of `to`. `sizes`: newSizes.
    void planBitcast(std::uint32_t from, std::uint32_t to,
                     const std::optional<std::uint32_t>& sizes) {
        std::vector<std::uint32_t> inputs{from};
        if (sizes) {
            inputs.push_back(*sizes);
        }
        operations_.push_back({.type = kBitcast, .inputs = std::move(inputs), .outputs = {to}});
    }

    /// Adds what is planned: all of it or nothing, since a plan may fail half-way.
    void addOperations() {
        for (PlannedOperation& operation : operations_) {
            if (operation.type == kBitcast) {
                op_.tensors.file().nameExtension();
            }
            op_.tensors.builder().addOperation(operation.type, std::move(operation.inputs),
                                               std::move(operation.outputs));
        }
    }

    /// A tensor like `operand` with these dimensions, or its stand-in; `operand` if it is the same.
    std::uint32_t like(std::uint32_t operand, const Dimensions& dimensions, Lacks lacks) {
        const Operand original = op_.tensors.builder().operand(operand);
        const auto standIn = standInFor(original.type, lacks);
        if (!standIn && original.dimensions == dimensions) {
            return operand;
        }
        const Operand& type = standIn ? *standIn : original;
        return op_.tensors.builder().addTensor(type.type, dimensions, type.scale, type.zeroPoint);
    }

    /// All constants come first: where there is no room for one, nothing else may be left in the
    /// model, since operands that are not constant have to be written.
    Result<> planOperations() {
        const auto joined = [&](std::size_t input) {
            return joined_.inputShapes.empty() ? op_.given(input).dimensions
                                               : joined_.inputShapes[input];
        };
        std::vector<std::optional<std::uint32_t>> inputSizes(op_.operandCount());
        for (std::size_t i = 0; i < op_.operandCount(); ++i) {
            NNBURST_TRY_ASSIGN(inputSizes[i], newSizes(op_.given(i).dimensions, joined(i)));
        }
        std::vector<std::optional<std::uint32_t>> outputSizes(op_.planned.outputs.size());
        for (std::size_t i = 0; i < op_.planned.outputs.size(); ++i) {
            const Dimensions shape = op_.outputShape(i);
            NNBURST_TRY_ASSIGN(
                outputSizes[i],
                newSizes(joined_.outputShape.empty() ? shape : joined_.outputShape, shape));
        }
        for (std::size_t i = 0; i < op_.operandCount(); ++i) {
            const std::uint32_t from = op_.planned.inputs[i];
            // The condition of SELECT stays BOOL.
            const Lacks lacks = op_.rule.type == SELECT && i == 0 ? Lacks::NOTHING : op_.rule.lacks;
            const std::uint32_t to = like(from, joined(i), lacks);
            if (to != from) {
                planBitcast(from, to, inputSizes[i]);
            }
            joined_.inputs[i] = to;
        }
        std::vector<std::uint32_t> outputs;
        for (std::size_t i = 0; i < op_.planned.outputs.size(); ++i) {
            const Dimensions shape =
                joined_.outputShape.empty() ? op_.outputShape(i) : joined_.outputShape;
            outputs.push_back(like(op_.planned.outputs[i], shape, op_.rule.lacks));
        }
        operations_.push_back(
            {.type = op_.planned.type, .inputs = joined_.inputs, .outputs = outputs});
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (outputs[i] != op_.planned.outputs[i]) {
                planBitcast(outputs[i], op_.planned.outputs[i], outputSizes[i]);
            }
        }
        return {};
    }

    /// Plans joined_.swaps, with BITCASTs between them. All constants come first.
    Result<> planSwaps() {
        std::vector<std::optional<std::uint32_t>> sizes(joined_.swaps.size());
        Dimensions shape = op_.given(0).dimensions;
        for (std::size_t i = 0; i < joined_.swaps.size(); ++i) {
            NNBURST_TRY_ASSIGN(sizes[i], newSizes(shape, joined_.swaps[i]));
            shape = swapped(joined_.swaps[i]);
        }
        const Dimensions last = op_.outputShape();
        NNBURST_TRY_ASSIGN(const auto lastSizes, newSizes(shape, last));
        NNBURST_TRY_ASSIGN(const std::uint32_t order, op_.integers({kSwap.begin(), kSwap.end()}));
        std::uint32_t current = op_.planned.inputs[0];
        for (std::size_t i = 0; i < joined_.swaps.size(); ++i) {
            const std::uint32_t from = like(current, joined_.swaps[i], op_.rule.lacks);
            if (from != current) {
                planBitcast(current, from, sizes[i]);
            }
            const Operand type = op_.tensors.builder().operand(from);
            current = op_.tensors.builder().addTensor(type.type, swapped(joined_.swaps[i]),
                                                      type.scale, type.zeroPoint);
            operations_.push_back(
                {.type = TRANSPOSE, .inputs = {from, order}, .outputs = {current}});
        }
        planBitcast(current, op_.planned.outputs[0], lastSizes);
        return {};
    }

    const RuledOperation& op_;
    JoinedOperation joined_;                      // without shapes if its axes stay
    std::vector<PlannedOperation> operations_{};  // what the operation becomes
};

}  // namespace

bool movesElements(OperationType type) noexcept {
    const Rule* rule = findRule(type);
    return rule != nullptr && rule->lacks != Lacks::NOTHING;
}

Result<bool> addWithinLimits(TensorMap& tensors, const PlannedOperation& planned) {
    const Rule* rule = findRule(planned.type);
    if (rule == nullptr) {
        return false;
    }
    const RuledOperation op{.tensors = tensors, .planned = planned, .rule = *rule};
    return OperationRewriter(op).add();
}

}  // namespace nnburst::tflite
