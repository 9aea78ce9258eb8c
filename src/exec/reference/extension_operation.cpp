// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/extension_operation.h"

#include <array>

#include "model/extension_registry.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/type_queries.h"

namespace nnburst::exec {

namespace {
namespace extension_operation {

/// The contents that an extension sees.
enum class Contents : std::uint8_t {
    /// Of constants and scalars: results stay right until a scalar changes. Another operation may
    /// make the values of other tensors known, too, but these can change with every request.
    LASTING,
    ALL
};

/// Operands as types of the public interface, in arrays of fixed size.
class ExtensionOperands {
  public:
    ExtensionOperands(std::span<const OperandView> views, Contents contents) noexcept
        : count_(std::min(views.size(), kMaximumExtensionOperands)) {
        for (std::size_t i = 0; i < count_; ++i) {
            const OperandView& view = views[i];
            const bool isLasting = view.isConstant || operandKind(view.type) == OperandKind::SCALAR;
            operands_[i] = {.type = view.type,
                            .isExtensionType = isExtension(view.type),
                            .extensionType = static_cast<std::uint16_t>(view.type),
                            .dimensions = view.shape.sizes(),
                            .scale = view.scale,
                            .zeroPoint = view.zeroPoint,
                            .extraParams = view.extensionData == nullptr
                                               ? std::span<const std::uint8_t>()
                                               : std::span(*view.extensionData),
                            .data = isLasting || contents == Contents::ALL ? view.data : nullptr,
                            .isOmitted = view.isOmitted};
        }
    }

    [[nodiscard]] std::span<const ExtensionOperand> span() const noexcept {
        return {operands_.data(), count_};
    }

  private:
    std::array<ExtensionOperand, kMaximumExtensionOperands> operands_;
    std::size_t count_;
};

/// The time limit of a run as operations of extensions see it.
class RunLimit final : public ExtensionTimeLimit {
  public:
    explicit RunLimit(const OperationView& operation) noexcept : operation_(operation) {}

    [[nodiscard]] bool isOverAfter(std::size_t work) noexcept override {
        return operation_.isOutOfTime(work);
    }

  private:
    const OperationView& operation_;
};

Result<HalVersion> check(const OperationView& operation) {
    for (const auto& operands : {operation.inputs, operation.outputs}) {
        if (operands.size() > kMaximumExtensionOperands) {
            return invalid("extension operation with {} inputs or outputs; must have at most {}",
                           operands.size(), kMaximumExtensionOperands);
        }
        for (const OperandView& operand : operands) {
            if (isExtension(operand.type) && findExtensionType(operand.type) == nullptr) {
                return invalid(
                    "extension operation: operand type {}; must be one that the extension has",
                    static_cast<std::uint16_t>(operand.type));
            }
        }
    }
    NNBURST_TRY(findExtensionOperation(operation.type)
                    ->check(ExtensionOperands(operation.inputs, Contents::LASTING).span(),
                            ExtensionOperands(operation.outputs, Contents::LASTING).span()));
    return HalVersion::V1_2;
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    const ExtensionOperands inputs(operation.inputs, Contents::LASTING);
    for (std::size_t output = 0; output < outputs.size(); ++output) {
        NNBURST_TRY_ASSIGN(
            const Dimensions dimensions,
            findExtensionOperation(operation.type)->outputDimensions(inputs.span(), output));
        if (dimensions.size() > kMaximumRank) {
            return invalid(
                "extension operation: output {} with {} dimensions; must have at most {}", output,
                dimensions.size(), kMaximumRank);
        }
        outputs[output] = Shape(dimensions);
    }
    return {};
}

std::size_t scratchBytes(const OperationView& operation) {
    return findExtensionOperation(operation.type)
        ->scratchBytes(ExtensionOperands(operation.inputs, Contents::LASTING).span());
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    RunLimit limit(operation);
    return findExtensionOperation(operation.type)
        ->runWithin(ExtensionOperands(operation.inputs, Contents::ALL).span(),
                    ExtensionOperands(operation.outputs, Contents::ALL).span(), scratch, limit);
}

Result<> runShrinking(const OperationView& operation, std::span<std::byte> scratch,
                      std::span<Shape> outputs) {
    RunLimit limit(operation);
    std::array<std::span<std::uint32_t>, kMaximumExtensionOperands> sizes;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        sizes[i] = {&outputs[i][0], outputs[i].rank()};
    }
    NNBURST_TRY(findExtensionOperation(operation.type)
                    ->runShrinking(ExtensionOperands(operation.inputs, Contents::ALL).span(),
                                   ExtensionOperands(operation.outputs, Contents::ALL).span(),
                                   scratch, {sizes.data(), outputs.size()}, limit));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        for (std::size_t axis = 0; axis < outputs[i].rank(); ++axis) {
            if (outputs[i][axis] > operation.outputs[i].shape[axis]) {
                return invalid(
                    "extension operation: output {} has {} elements along axis {}; must "
                    "have at most {}",
                    i, outputs[i][axis], axis, operation.outputs[i].shape[axis]);
            }
        }
    }
    return {};
}

}  // namespace extension_operation
}  // namespace

constinit const OperationDefinition kExtensionOperation{
    .type = OperationType::OEM_OPERATION,
    .since = HalVersion::V1_2,
    .check = extension_operation::check,
    .inferShapes = extension_operation::inferShapes,
    .scratchBytes = extension_operation::scratchBytes,
    .run = extension_operation::run};

constinit const OperationDefinition kShrinkingExtensionOperation{
    .type = OperationType::OEM_OPERATION,
    .since = HalVersion::V1_2,
    .check = extension_operation::check,
    .inferShapes = extension_operation::inferShapes,
    .scratchBytes = extension_operation::scratchBytes,
    .runShrinking = extension_operation::runShrinking};

}  // namespace nnburst::exec
