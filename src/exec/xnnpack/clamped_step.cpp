// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/clamped_step.h"

#include <array>
#include <utility>

namespace nnburst::exec::xnnpack {

namespace {

class ClampedStep final : public Step {
  public:
    ClampedStep(std::unique_ptr<Step> inner, std::unique_ptr<Step> clamp,
                std::size_t outputIndex) noexcept
        : inner_(std::move(inner)), clamp_(std::move(clamp)), outputIndex_(outputIndex) {}

    [[nodiscard]] std::size_t scratchBytes() const noexcept override {
        return inner_->scratchBytes();
    }
    [[nodiscard]] std::size_t keptBytes() const noexcept override {
        return inner_->keptBytes() + clamp_->keptBytes();
    }
    [[nodiscard]] bool hasPackedConstants() const noexcept override {
        return inner_->hasPackedConstants();
    }
    [[nodiscard]] bool isMultithreaded() const noexcept override {
        return inner_->isMultithreaded() || clamp_->isMultithreaded();
    }

    Result<> setUp(std::span<std::byte* const> operands) override {
        NNBURST_ASSERT(outputIndex_ < operands.size(), "operand {} of {}", outputIndex_,
                       operands.size());
        inPlace_ = {operands[outputIndex_], operands[outputIndex_]};
        NNBURST_TRY(inner_->setUp(operands));
        return clamp_->setUp(inPlace_);
    }

    Result<> run(TimeLimit& limit) override {
        NNBURST_TRY(inner_->run(limit));
        return clamp_->run(limit);
    }

  private:
    std::unique_ptr<Step> inner_;
    std::unique_ptr<Step> clamp_;
    std::size_t outputIndex_;
    std::array<std::byte*, 2> inPlace_{};
};

}  // namespace

StepResult makeClampedStep(CreatedOperator made, const FloatRange& range, const OperandView& output,
                           std::size_t outputIndex, const Effort& effort) {
    const bool isClamped = made.isClamped;
    NNBURST_TRY_ASSIGN(std::unique_ptr<Step> inner, makeOperatorStep(std::move(made), effort));
    if (inner == nullptr || isClamped) {
        return inner;
    }
    NNBURST_TRY_ASSIGN(
        std::unique_ptr<Step> clamp,
        makeOperatorStep(createClamp(output.type, range, output.shape.elementCount(), 1), effort));
    if (clamp == nullptr) {
        return nullptr;
    }
    return std::make_unique<ClampedStep>(std::move(inner), std::move(clamp), outputIndex);
}

}  // namespace nnburst::exec::xnnpack
