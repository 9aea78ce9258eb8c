// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/converted_step.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "exec/operation/float16.h"
#include "exec/operation/operation_instance.h"
#include "exec/operation/spatial.h"
#include "log/assert.h"
#include "memory/aligned_buffer.h"
#include "model/operand_info.h"
#include "nnburst/memory.h"

namespace nnburst::exec::xnnpack {

namespace {

enum class Form : std::uint8_t { FLOAT32, SIGNED, NHWC };

bool isHalf(OperandType type) noexcept {
    return type == OperandType::TENSOR_FLOAT16 || type == OperandType::FLOAT16;
}

/// NCHW to NHWC or back: a transposition of the two inner axes of [batches, rows, columns].
struct Transposition {
    std::size_t batches = 0;
    std::size_t rows = 0;
    std::size_t columns = 0;

    template <class T>
    void run(const std::byte* source, std::byte* target) const noexcept {
        // Tiles whose rows and columns fit into the L1 cache.
        constexpr std::size_t kSide = 16;
        const auto* from = reinterpret_cast<const T*>(source);
        auto* to = reinterpret_cast<T*>(target);
        for (std::size_t batch = 0; batch < batches; ++batch) {
            for (std::size_t top = 0; top < rows; top += kSide) {
                const std::size_t bottom = std::min(top + kSide, rows);
                for (std::size_t left = 0; left < columns; left += kSide) {
                    const std::size_t right = std::min(left + kSide, columns);
                    for (std::size_t row = top; row < bottom; ++row) {
                        for (std::size_t column = left; column < right; ++column) {
                            to[column * rows + row] = from[row * columns + column];
                        }
                    }
                }
            }
            from += rows * columns;
            to += rows * columns;
        }
    }
};

/// Converts one operand to the other form, or back.
struct Conversion {
    Form form = Form::FLOAT32;
    bool isInput = false;  ///< converts to the other form, else back
    std::size_t elements = 0;
    std::size_t elementBytes = 0;          ///< used with Form::NHWC
    Transposition transposition;           ///< used with Form::NHWC
    std::shared_ptr<OperatorUse> convert;  ///< used with Form::FLOAT32
    std::byte* source = nullptr;           ///< as `target`: the address of the last set-up
    std::byte* target = nullptr;

    /// Stores the addresses; sets up the operator, if there is one.
    Result<> setUp(std::byte* from, std::byte* to) {
        source = from;
        target = to;
        return form == Form::FLOAT32 ? convert->setUp(std::array{from, to}, nullptr) : Result<>();
    }

    Result<> run(TimeLimit& limit) const {
        switch (form) {
            case Form::FLOAT32:
                return convert->run(limit);
            case Form::SIGNED:
                std::transform(source, source + elements, target,
                               [](std::byte element) { return element ^ std::byte{0x80}; });
                break;
            case Form::NHWC:
                switch (elementBytes) {
                    case 1:
                        transposition.run<std::uint8_t>(source, target);
                        break;
                    case 2:
                        transposition.run<std::uint16_t>(source, target);
                        break;
                    default:
                        transposition.run<std::uint32_t>(source, target);
                }
        }
        return {};
    }
};

/// The operation in the other form.
struct ConvertedOperation {
    OperationInstance instance;
    /// One an operand, inputs before outputs: the converted constant; empty if each run converts
    /// the operand, if it is not converted, or if it was packed.
    std::vector<AlignedBuffer> constants;
    /// One an operand: nullopt for those that are not converted in runs.
    std::vector<std::optional<Conversion>> conversions;

    /// To be called when a step has packed the constants that steps may pack.
    void dropPackable() noexcept {
        for (std::size_t index = 0; index < instance.inputs.size(); ++index) {
            if (isPackable(index) && constants[index].data() != nullptr) {
                instance.inputs[index].data = nullptr;
                constants[index] = AlignedBuffer();
            }
        }
    }
};

/// Makes a ConvertedOperation.
class Converter {
  public:
    Converter(const OperationView& operation, Form form) : operation_(operation), form_(form) {}

    Result<ConvertedOperation> convert() {
        converted_.instance = {.type = operation_.type,
                               .inputs = {operation_.inputs.begin(), operation_.inputs.end()},
                               .outputs = {operation_.outputs.begin(), operation_.outputs.end()},
                               .isRelaxed = operation_.isRelaxed};
        bool isLayoutFound = false;
        for (std::size_t index = 0; index < operation_.inputs.size(); ++index) {
            OperandView& input = converted_.instance.inputs[index];
            if (form_ == Form::NHWC && input.type == OperandType::BOOL && !isLayoutFound) {
                isLayoutFound = true;
                static constexpr std::uint8_t kNhwc = 0;
                // Never written to: OperandView has no type for constants.
                input.data = reinterpret_cast<std::byte*>(const_cast<std::uint8_t*>(&kNhwc));
            }
            NNBURST_TRY(convertOperand(input, true, index == 0));
            if (form_ == Form::NHWC && operation_.type == OperationType::TRANSPOSE_CONV_2D &&
                index == kTransposeOutputShape && input.type == OperandType::TENSOR_INT32) {
                NNBURST_TRY(reorderImageShape(input));
            }
        }
        for (OperandView& output : converted_.instance.outputs) {
            NNBURST_TRY(convertOperand(output, false, true));
        }
        return std::move(converted_);
    }

  private:
    [[nodiscard]] bool isConverted(const OperandView& operand, bool isImage) const noexcept {
        if (operand.isOmitted) {
            return false;
        }
        switch (form_) {
            case Form::FLOAT32:
                return isHalf(operand.type);
            case Form::SIGNED:
                return operand.type == OperandType::TENSOR_QUANT8_ASYMM;
            case Form::NHWC:
                return isImage;
        }
        return false;
    }

    Result<> convertOperand(OperandView& operand, bool isInput, bool isImage) {
        converted_.conversions.emplace_back();
        AlignedBuffer& constant = converted_.constants.emplace_back();
        if (!isConverted(operand, isImage)) {
            return {};
        }
        Conversion conversion{.form = form_,
                              .isInput = isInput,
                              .elements = operand.shape.elementCount(),
                              .elementBytes = elementBytes(operand.type),
                              .transposition = {}};
        if (form_ == Form::FLOAT32) {
            NNBURST_TRY_ASSIGN(conversion.convert, makeHalfConverter(isInput, conversion.elements));
            operand.type = operand.type == OperandType::FLOAT16 ? OperandType::FLOAT32
                                                                : OperandType::TENSOR_FLOAT32;
        } else if (form_ == Form::SIGNED) {
            operand.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
            operand.zeroPoint -= 128;
        } else {
            NNBURST_ASSERT(operand.shape.rank() == 4, "an image of {} dimensions",
                           operand.shape.rank());
            NNBURST_ASSERT(conversion.elementBytes == 1 || conversion.elementBytes == 2 ||
                               conversion.elementBytes == 4,
                           "an image with elements of {} bytes", conversion.elementBytes);
            const Shape nchw = operand.shape;
            operand.shape = Shape{nchw[0], nchw[2], nchw[3], nchw[1]};
            const std::size_t pixels = std::size_t{nchw[2]} * nchw[3];
            conversion.transposition = {.batches = nchw[0],
                                        .rows = isInput ? nchw[1] : pixels,
                                        .columns = isInput ? pixels : nchw[1]};
        }
        if (isInput && (operand.isConstant || !isTensor(operand.type))) {
            // A constant is converted now. If its value was dropped, it is packed in an operator.
            if (operand.data != nullptr) {
                NNBURST_TRY_ASSIGN(constant, AlignedBuffer::allocate(sizeBytes(operand)));
                NNBURST_TRY(conversion.setUp(operand.data, constant.data()));
                TimeLimit unlimited;
                NNBURST_TRY(conversion.run(unlimited));
                operand.data = constant.data();
            }
            return {};
        }
        operand.data = nullptr;
        converted_.conversions.back() = std::move(conversion);
        return {};
    }

    /// Reorders a constant that is the shape of an image from NCHW to NHWC.
    Result<> reorderImageShape(OperandView& operand) {
        NNBURST_ASSERT(operand.data != nullptr && operand.shape.elementCount() == 4,
                       "the shape of an image has {} elements and {}", operand.shape.elementCount(),
                       operand.data == nullptr ? "no value" : "a value");
        NNBURST_TRY_ASSIGN(AlignedBuffer constant, AlignedBuffer::allocate(sizeBytes(operand)));
        const auto* nchw = operand.as<const std::int32_t>();
        const std::array<std::int32_t, 4> nhwc{nchw[0], nchw[2], nchw[3], nchw[1]};
        std::memcpy(constant.data(), nhwc.data(), sizeof(nhwc));
        operand.data = constant.data();
        converted_.constants.back() = std::move(constant);
        return {};
    }

    static Result<std::shared_ptr<OperatorUse>> makeHalfConverter(bool isInput,
                                                                  std::size_t elements) {
        CreatedOperator made = isInput ? createHalfToFloat(elements) : createFloatToHalf(elements);
        NNBURST_TRY_ASSIGN(SharedOperator shared, takeOperator(made.status, made.created));
        if (shared) {
            auto use = std::make_shared<OperatorUse>(
                std::move(shared), std::move(made.setUp),
                effortAlone(static_cast<double>(elements), Speed::ELEMENTWISE));
            NNBURST_TRY_ASSIGN(const bool isReshaped, use->reshape());
            if (isReshaped) {
                return use;
            }
        }
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "cannot convert float16: XNNPACK has no conversion for this processor");
    }

    const OperationView& operation_;
    const Form form_;
    ConvertedOperation converted_;
};

class ConvertedStep final : public Step {
  public:
    ConvertedStep(ConvertedOperation operation, std::unique_ptr<Step> inner)
        : operation_(std::move(operation)), inner_(std::move(inner)) {
        for (std::size_t index = 0; index < operation_.conversions.size(); ++index) {
            offsets_.push_back(scratchBytes_);
            if (operation_.conversions[index]) {
                reserve(sizeBytes(operand(index)));
            }
        }
        NNBURST_ASSERT(offsets_.size() ==
                           operation_.instance.inputs.size() + operation_.instance.outputs.size(),
                       "{} conversions for {} inputs and {} outputs", offsets_.size(),
                       operation_.instance.inputs.size(), operation_.instance.outputs.size());
        innerScratchOffset_ = scratchBytes_;
        reserve(inner_->scratchBytes());
        innerOperands_.resize(offsets_.size() + (inner_->scratchBytes() == 0 ? 0 : 1));
    }

    [[nodiscard]] std::size_t scratchBytes() const noexcept override { return scratchBytes_; }

    [[nodiscard]] std::size_t keptBytes() const noexcept override {
        std::size_t bytes = inner_->keptBytes();
        for (const AlignedBuffer& constant : operation_.constants) {
            bytes += constant.sizeBytes();
        }
        for (const std::optional<Conversion>& conversion : operation_.conversions) {
            bytes += conversion && conversion->convert ? conversion->convert->keptBytes() : 0;
        }
        return bytes;
    }

    [[nodiscard]] bool hasPackedConstants() const noexcept override {
        return inner_->hasPackedConstants();
    }
    [[nodiscard]] bool isMultithreaded() const noexcept override {
        return inner_->isMultithreaded();
    }

    Result<> setUp(std::span<std::byte* const> operands) override {
        NNBURST_ASSERT(operands.size() == offsets_.size() + 1,
                       "{} operands for {} and scratch memory", operands.size(), offsets_.size());
        std::byte* const scratch = operands.back();
        for (std::size_t index = 0; index < offsets_.size(); ++index) {
            std::optional<Conversion>& conversion = operation_.conversions[index];
            if (!conversion) {
                std::byte* const constant = operation_.constants[index].data();
                innerOperands_[index] = constant != nullptr ? constant : operands[index];
                continue;
            }
            std::byte* const converted = scratch + offsets_[index];
            innerOperands_[index] = converted;
            NNBURST_TRY(conversion->isInput ? conversion->setUp(operands[index], converted)
                                            : conversion->setUp(converted, operands[index]));
        }
        if (innerOperands_.size() > offsets_.size()) {
            innerOperands_.back() = scratch + innerScratchOffset_;
        }
        return inner_->setUp(innerOperands_);
    }

    Result<> run(TimeLimit& limit) override {
        NNBURST_TRY(convert(true, limit));
        NNBURST_TRY(inner_->run(limit));
        return convert(false, limit);
    }

  private:
    [[nodiscard]] const OperandView& operand(std::size_t index) const {
        const OperationInstance& instance = operation_.instance;
        return index < instance.inputs.size() ? instance.inputs[index]
                                              : instance.outputs[index - instance.inputs.size()];
    }

    void reserve(std::size_t sizeBytes) noexcept {
        // XNNPACK reads a little past the end of an operand.
        const std::size_t padded = sizeBytes + kMappingPaddingBytes;
        scratchBytes_ +=
            (padded + kOperandAlignmentBytes - 1) / kOperandAlignmentBytes * kOperandAlignmentBytes;
    }

    Result<> convert(bool areInputs, TimeLimit& limit) const {
        for (const std::optional<Conversion>& conversion : operation_.conversions) {
            if (conversion && conversion->isInput == areInputs) {
                NNBURST_TRY(conversion->run(limit));
            }
        }
        return {};
    }

    ConvertedOperation operation_;
    std::unique_ptr<Step> inner_;
    std::vector<std::size_t> offsets_;  // of operands in the scratch memory
    std::size_t scratchBytes_ = 0;
    std::size_t innerScratchOffset_ = 0;
    std::vector<std::byte*> innerOperands_;
};

std::optional<Form> formFor(const OperationView& operation) noexcept {
    if (isHalf(operation.inputs[0].type)) {
        return Form::FLOAT32;
    }
    const auto firstBool =
        std::find_if(operation.inputs.begin(), operation.inputs.end(),
                     [](const OperandView& input) { return input.type == OperandType::BOOL; });
    // The first BOOL of an operation on images is its layout: true for NCHW.
    const bool isOnImages = operation.inputs[0].shape.rank() == 4;
    if (isOnImages && firstBool != operation.inputs.end() && firstBool->data != nullptr &&
        firstBool->scalar<std::uint8_t>() != 0) {
        return Form::NHWC;
    }
    if (operation.inputs[0].type == OperandType::TENSOR_QUANT8_ASYMM &&
        operation.inputs.size() > 1 && operation.inputs[1].channelQuant != nullptr) {
        return Form::SIGNED;
    }
    return std::nullopt;
}

}  // namespace

StepResult makeConvertedStep(const OperationView& operation, const StepContext& context) {
    const std::optional<Form> form = formFor(operation);
    if (!form) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(ConvertedOperation converted, Converter(operation, *form).convert());
    NNBURST_TRY_ASSIGN(std::unique_ptr<Step> inner, makeStep(converted.instance.view(), context));
    if (inner == nullptr) {
        return nullptr;
    }
    if (inner->hasPackedConstants()) {
        converted.dropPackable();
    }
    return std::make_unique<ConvertedStep>(std::move(converted), std::move(inner));
}

}  // namespace nnburst::exec::xnnpack
