// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/piecewise_step.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "exec/operation/operation_instance.h"
#include "log/assert.h"
#include "model/operand_info.h"

namespace nnburst::exec::xnnpack {

namespace {

/// Of the output, in each piece: takes some 30 us.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
/// The same where several threads share a piece.
constexpr std::size_t kSharedPieceBytes = 8 * kPieceBytes;
/// With fewer pieces the operation is short.
constexpr std::size_t kMinimumPieces = 4;

class PiecewiseStep final : public Step {
  public:
    /// `pieces` times `piece`, and then `rest`, which may be null. Each operand of a piece follows
    /// that of the piece before after so many bytes; 0: it is the same one.
    PiecewiseStep(std::size_t pieces, std::unique_ptr<Step> piece, std::unique_ptr<Step> rest,
                  std::vector<std::size_t> strides)
        : pieces_(pieces),
          piece_(std::move(piece)),
          rest_(std::move(rest)),
          strides_(std::move(strides)) {}

    [[nodiscard]] std::size_t scratchBytes() const noexcept override {
        return std::max(piece_->scratchBytes(), rest_ ? rest_->scratchBytes() : 0);
    }
    [[nodiscard]] std::size_t keptBytes() const noexcept override {
        return piece_->keptBytes() + (rest_ ? rest_->keptBytes() : 0);
    }
    [[nodiscard]] bool isMultithreaded() const noexcept override {
        return piece_->isMultithreaded();
    }

    Result<> setUp(std::span<std::byte* const> operands) override {
        NNBURST_ASSERT(operands.size() >= strides_.size(), "{} operands for {}", operands.size(),
                       strides_.size());
        operands_ = operands;
        ofPiece_.assign(operands.begin(), operands.end());
        NNBURST_TRY(piece_->setUp(ofPiece_));
        return rest_ ? rest_->setUp(ofPiece_) : Result<>();
    }

    Result<> run(TimeLimit& limit) override {
        for (std::size_t index = 0; index < pieces_; ++index) {
            NNBURST_TRY(runPiece(*piece_, index, limit));
            if (limit.isOverAfter(TimeLimit::kWorkPerCheck)) {
                return {};
            }
        }
        return rest_ ? runPiece(*rest_, pieces_, limit) : Result<>();
    }

  private:
    Result<> runPiece(Step& step, std::size_t index, TimeLimit& limit) {
        for (std::size_t operand = 0; operand < strides_.size(); ++operand) {
            ofPiece_[operand] = operands_[operand] + index * strides_[operand];
        }
        NNBURST_TRY(step.setUp(ofPiece_));
        return step.run(limit);
    }

    const std::size_t pieces_;
    const std::unique_ptr<Step> piece_;
    const std::unique_ptr<Step> rest_;
    const std::vector<std::size_t> strides_;
    std::span<std::byte* const> operands_;
    std::vector<std::byte*> ofPiece_;
};

/// The operation on `elements` elements of each tensor that has more than one.
Result<std::unique_ptr<Step>> makePiece(const OperationView& operation, const StepContext& context,
                                        std::uint32_t elements) {
    OperationInstance piece{.type = operation.type,
                            .inputs = {operation.inputs.begin(), operation.inputs.end()},
                            .outputs = {operation.outputs.begin(), operation.outputs.end()},
                            .isRelaxed = operation.isRelaxed};
    const auto cut = [elements](OperandView& operand) {
        if (isTensor(operand.type)) {
            operand.shape = Shape{operand.shape.elementCount() == 1 ? 1 : elements};
        }
    };
    std::ranges::for_each(piece.inputs, cut);
    std::ranges::for_each(piece.outputs, cut);
    return makeStep(piece.view(), context);
}

}  // namespace

StepResult makePiecewiseStep(const OperationView& operation, const StepContext& context) {
    const OperandView& output = operation.outputs[0];
    const std::size_t element = elementBytes(output.type);
    const std::size_t pieceElements =
        (context.threads == nullptr ? kPieceBytes : kSharedPieceBytes) / element;
    const std::size_t elements = output.shape.elementCount();
    if (elements < kMinimumPieces * pieceElements) {
        return nullptr;
    }
    std::vector<std::size_t> strides;
    for (const OperandView& input : operation.inputs) {
        const bool isCut = isTensor(input.type) && input.shape.elementCount() != 1;
        // A constant is converted as a whole (converted_step.h).
        if (isCut && (input.shape.elementCount() != elements || input.isConstant)) {
            return nullptr;
        }
        strides.push_back(isCut ? pieceElements * elementBytes(input.type) : 0);
    }
    strides.push_back(pieceElements * element);
    NNBURST_TRY_ASSIGN(auto piece,
                       makePiece(operation, context, static_cast<std::uint32_t>(pieceElements)));
    const std::size_t left = elements % pieceElements;
    std::unique_ptr<Step> rest;
    if (left != 0) {
        NNBURST_TRY_ASSIGN(rest, makePiece(operation, context, static_cast<std::uint32_t>(left)));
    }
    if (piece == nullptr || (left != 0 && rest == nullptr)) {
        return nullptr;
    }
    return std::make_unique<PiecewiseStep>(elements / pieceElements, std::move(piece),
                                           std::move(rest), std::move(strides));
}

}  // namespace nnburst::exec::xnnpack
