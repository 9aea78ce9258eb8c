// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/operator_step.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "exec/xnnpack/tile_watch.h"

namespace nnburst::exec::xnnpack {

namespace {

/// While a shorter operator runs, the limit is checked only between operations.
constexpr double kWatchedFromNs = 100e3;
constexpr double kTileCheckIntervalNs = 50e3;

Result<> failed(const char* what, xnn_status status) {
    return failure(status == xnn_status_out_of_memory ? ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT
                                                      : ErrorStatus::GENERAL_FAILURE,
                   fmt::format("cannot {} an XNNPACK operator: its status is {}", what,
                               static_cast<int>(status)));
}

class OperatorStep final : public Step {
  public:
    OperatorStep(SharedOperator shared, SetUp setUp, const Effort& effort) noexcept
        : use_(std::move(shared), std::move(setUp), effort) {}

    [[nodiscard]] Result<bool> reshape() { return use_.reshape(); }

    [[nodiscard]] std::size_t scratchBytes() const noexcept override {
        return use_.workspaceBytes();
    }

    [[nodiscard]] std::size_t keptBytes() const noexcept override { return use_.keptBytes(); }

    [[nodiscard]] bool hasPackedConstants() const noexcept override { return use_.sharesWeights(); }

    [[nodiscard]] bool isMultithreaded() const noexcept override { return use_.isMultithreaded(); }

    Result<> setUp(std::span<std::byte* const> operands) override {
        operands_ = operands;
        return use_.setUp(operands, operands.back());
    }

    Result<> run(TimeLimit& limit) override {
        if (!use_.isSetUp()) {
            NNBURST_ASSERT(!operands_.empty(), "the operator runs before it was set up");
            NNBURST_TRY(use_.setUp(operands_, operands_.back()));
        }
        return use_.run(limit);
    }

  private:
    OperatorUse use_;
    std::span<std::byte* const> operands_;
};

}  // namespace

OperatorUse::OperatorUse(SharedOperator shared, SetUp setUp, const Effort& effort) noexcept
    : operator_(std::move(shared)), setUp_(std::move(setUp)), effort_(effort) {
    NNBURST_ASSERT(operator_ != nullptr && operator_->handle != nullptr,
                   "a step without an operator");
    ownBytes_ =
        sizeof(Operator) + ::malloc_usable_size(operator_->handle.get()) + operator_->constantBytes;
}

xnn_status OperatorUse::callReshape() {
    operator_->user = nullptr;
    operator_->reshapedBy = nullptr;
    AllocationCount allocated;
    const xnn_status status =
        setUp_.reshape(operator_->handle.get(), workspaceBytes_, effort_.threads);
    if (allocated.bytes() != 0) {  // otherwise the table, whoever made it, is still used
        tableBytes_ = allocated.bytes();
    }
    if (status == xnn_status_success) {
        operator_->reshapedBy = this;
    }
    return status;
}

Result<bool> OperatorUse::reshape() {
    if (!setUp_.reshape) {
        return true;
    }
    const xnn_status status = callReshape();
    if (status == xnn_status_out_of_memory) {
        return tl::unexpected<Error>(failed("reshape", status).error());
    }
    return status == xnn_status_success;
}

Result<> OperatorUse::setUp(Operands operands, std::byte* workspace) {
    if (setUp_.reshape && operator_->reshapedBy != this) {
        const std::size_t expectedBytes = workspaceBytes_;
        const xnn_status status = callReshape();
        if (status != xnn_status_success) {
            return failed("reshape", status);
        }
        NNBURST_ASSERT(workspaceBytes_ == expectedBytes, "a workspace of {} bytes, and then of {}",
                       expectedBytes, workspaceBytes_);
    }
    operator_->user = nullptr;
    AllocationCount allocated;
    const xnn_status status =
        setUp_.setUp(operator_->handle.get(), operands, workspaceBytes_ == 0 ? nullptr : workspace,
                     effort_.threads);
    tableBytes_ += allocated.bytes();
    if (status != xnn_status_success) {
        return failed("set up", status);
    }
    operator_->user = this;
    return {};
}

Result<> OperatorUse::run(TimeLimit& limit) const {
    std::optional<ScopedTileWatch> watch;
    if (effort_.threads == nullptr && effort_.ns >= kWatchedFromNs) {
        watch.emplace(limit, effort_.ns / kTileCheckIntervalNs);
    }
    const xnn_status status = xnn_run_operator(operator_->handle.get(), effort_.threads);
    return status == xnn_status_success ? Result<>() : failed("run", status);
}

StepResult makeOperatorStep(SharedOperator shared, SetUp setUp, const Effort& effort) {
    auto step = std::make_unique<OperatorStep>(std::move(shared), std::move(setUp), effort);
    NNBURST_TRY_ASSIGN(const bool isReshaped, step->reshape());
    if (!isReshaped) {
        return nullptr;
    }
    return step;
}

StepResult makeOperatorStep(CreatedOperator made, const Effort& effort) {
    NNBURST_TRY_ASSIGN(SharedOperator shared, takeOperator(made.status, made.created));
    if (!shared) {
        return nullptr;
    }
    shared->constantBytes = made.constantBytes;
    return makeOperatorStep(std::move(shared), std::move(made.setUp), effort);
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

bool areSumsCovered(const OperationView& operation, float scale, std::size_t products) noexcept {
    const OperandView& output = operation.outputs[0];
    if (kHasRightLargeSums || output.type != OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
        output.zeroPoint >= 0) {
        return true;
    }
    constexpr double kLargestProduct = 255.0 * 128.0;
    double largestSum = kLargestProduct * static_cast<double>(products);
    const OperandView& bias = operation.inputs[2];
    if (bias.data == nullptr) {
        return true;  // it is packed, so it was looked at
    }
    const std::span values(bias.as<const std::int32_t>(), bias.shape.elementCount());
    if (!values.empty()) {
        largestSum -= std::min(0.0, static_cast<double>(std::ranges::min(values)));
    }
    constexpr double kLargestZeroPoint = 128.0;
    return largestSum * static_cast<double>(scale) < 0x1p31 - kLargestZeroPoint;
}

bool isRequantizationScale(float scale) noexcept {
    return scale >= 0x1p-32F && scale < 256.0F;
}

}  // namespace nnburst::exec::xnnpack
