// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/reference_step.h"

#include <utility>

#include "exec/reference/operations.h"
#include "log/assert.h"

namespace nnburst::exec {

namespace {

class ReferenceStep final : public Step {
  public:
    ReferenceStep(OperationInstance operation, std::unique_ptr<const MatrixProducts> products)
        : operation_(std::move(operation)),
          products_(std::move(products)),
          definition_(*findOperation(operation_.type)),
          view_(operation_.view()),
          scratchBytes_(definition_.scratchBytes == nullptr ? 0 : definition_.scratchBytes(view_)) {
        view_.products = products_.get();
    }

    [[nodiscard]] std::size_t scratchBytes() const noexcept override { return scratchBytes_; }

    Result<> setUp(std::span<std::byte* const> operands) override {
        NNBURST_ASSERT(operands.size() >= operation_.inputs.size() + operation_.outputs.size() +
                                              (scratchBytes_ == 0 ? 0 : 1),
                       "{} operands for {} inputs, {} outputs and {} bytes of scratch memory",
                       operands.size(), operation_.inputs.size(), operation_.outputs.size(),
                       scratchBytes_);
        auto next = operands.begin();
        for (OperandView& input : operation_.inputs) {
            input.data = *next++;
        }
        for (OperandView& output : operation_.outputs) {
            output.data = *next++;
        }
        scratch_ = scratchBytes_ == 0 ? std::span<std::byte>() : std::span(*next, scratchBytes_);
        return {};
    }

    Result<> run(TimeLimit& limit) override {
        view_.timeLimit = &limit;
        return definition_.run(view_, scratch_);
    }

  private:
    OperationInstance operation_;
    const std::unique_ptr<const MatrixProducts> products_;
    const OperationDefinition& definition_;
    OperationView view_;  // of operation_
    std::size_t scratchBytes_;
    std::span<std::byte> scratch_;
};

}  // namespace

std::unique_ptr<Step> makeReferenceStep(OperationInstance operation,
                                        std::unique_ptr<const MatrixProducts> products) {
    NNBURST_ASSERT(findOperation(operation.type) != nullptr, "{} has no definition",
                   toString(operation.type));
    return std::make_unique<ReferenceStep>(std::move(operation), std::move(products));
}

}  // namespace nnburst::exec
