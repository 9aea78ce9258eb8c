// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/operator_step.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace nnburst::exec::xnnpack {

namespace {

Result<> failed(const char* what, xnn_status status) {
    return failure(status == xnn_status_out_of_memory ? ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT
                                                      : ErrorStatus::GENERAL_FAILURE,
                   fmt::format("cannot {} an XNNPACK operator: its status is {}", what,
                               static_cast<int>(status)));
}

class OperatorStep final : public Step {
  public:
    OperatorStep(SharedOperator shared, SetUp setUp, pthreadpool_t threads,
                 bool hasPackedConstants) noexcept
        : operator_(std::move(shared)),
          setUp_(std::move(setUp)),
          threads_(threads),
          hasPackedConstants_(hasPackedConstants) {}

    [[nodiscard]] bool hasPackedConstants() const noexcept override { return hasPackedConstants_; }

    [[nodiscard]] bool isMultithreaded() const noexcept override { return threads_ != nullptr; }

    Result<> setUp(std::span<std::byte* const> operands) override {
        operands_ = operands;
        operator_->user = nullptr;
        NNBURST_TRY(setUpOperator(*operator_, setUp_, operands, threads_));
        operator_->user = this;
        return {};
    }

    Result<> run(TimeLimit& /*limit*/) override {
        if (operator_->user != this) {
            NNBURST_ASSERT(!operands_.empty(), "the operator runs before it was set up");
            NNBURST_TRY(setUp(operands_));
        }
        return runOperator(*operator_, threads_);
    }

  private:
    SharedOperator operator_;
    SetUp setUp_;
    pthreadpool_t threads_;
    std::span<std::byte* const> operands_;
    bool hasPackedConstants_;
};

}  // namespace

Result<> setUpOperator(const Operator& shared, const SetUp& setUp, Operands operands,
                       pthreadpool_t threads) {
    const xnn_status status = setUp(shared.handle.get(), operands, threads);
    return status == xnn_status_success ? Result<>() : failed("set up", status);
}

Result<> runOperator(const Operator& shared, pthreadpool_t threads) {
    const xnn_status status = xnn_run_operator(shared.handle.get(), threads);
    return status == xnn_status_success ? Result<>() : failed("run", status);
}

std::unique_ptr<Step> makeOperatorStep(SharedOperator shared, SetUp setUp, pthreadpool_t threads,
                                       bool hasPackedConstants) {
    NNBURST_ASSERT(shared != nullptr && shared->handle != nullptr, "a step without an operator");
    return std::make_unique<OperatorStep>(std::move(shared), std::move(setUp), threads,
                                          hasPackedConstants);
}

Result<SharedOperator> takeOperator(xnn_status status, xnn_operator_t created) {
    if (status == xnn_status_success) {
        NNBURST_ASSERT(created != nullptr, "XNNPACK has created no operator");
        return std::make_shared<Operator>(created);
    }
    if (status == xnn_status_out_of_memory) {
        return tl::unexpected<Error>(failed("create", status).error());
    }
    return nullptr;
}

bool isNormalScale(float scale) noexcept {
    return scale > 0.0F && std::isnormal(scale);
}

bool isRequantizationScale(float scale) noexcept {
    return scale >= 0x1p-32F && scale < 256.0F;
}

}  // namespace nnburst::exec::xnnpack
