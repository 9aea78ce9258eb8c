// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/pair_table_step.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "exec/operation/time_limit.h"
#include "exec/reference/broadcast.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/reference_step.h"
#include "log/assert.h"
#include "memory/aligned_buffer.h"

namespace nnburst::exec {

namespace {

constexpr std::uint32_t kValues = 256;
constexpr std::size_t kTableBytes = std::size_t{kValues} * kValues;
constexpr std::size_t kMemoryBytes = kTableBytes + kValues;

/// `operation` on all pairs of bytes. Its inputs 0 and 1 are `values`.
OperationInstance onAllPairs(OperationInstance operation, std::byte* values) {
    operation.inputs[0].shape = Shape{kValues, 1};
    operation.inputs[1].shape = Shape{1, kValues};
    operation.inputs[0].data = operation.inputs[1].data = values;
    operation.outputs[0].shape = Shape{kValues, kValues};
    return operation;
}

class PairTableStep final : public Step {
  public:
    /// `memory` is kMemoryBytes long.
    PairTableStep(AlignedBuffer memory, OperationInstance operation)
        : memory_(std::move(memory)),
          operation_(std::move(operation)),
          filling_(makeReferenceStep(onAllPairs(operation_, memory_.data() + kTableBytes))) {
        NNBURST_ASSERT(filling_->scratchBytes() == 0, "{} bytes of scratch memory",
                       filling_->scratchBytes());
    }

    [[nodiscard]] std::size_t keptBytes() const noexcept override { return kMemoryBytes; }
    [[nodiscard]] bool fillsTable() const noexcept override { return !isFilled_; }

    Result<> setUp(std::span<std::byte* const> operands) override {
        const std::size_t output = operation_.inputs.size();
        NNBURST_ASSERT(output < operands.size(), "{} operands", operands.size());
        operation_.inputs[0].data = operands[0];
        operation_.inputs[1].data = operands[1];
        operation_.outputs[0].data = operands[output];
        if (isFilled_) {
            return {};
        }
        operandsOfFilling_.assign(operands.begin(), operands.end());
        operandsOfFilling_[0] = operandsOfFilling_[1] = memory_.data() + kTableBytes;
        operandsOfFilling_[output] = memory_.data();
        return filling_->setUp(operandsOfFilling_);
    }

    Result<> run(TimeLimit& limit) override {
        if (!isFilled_) {
            NNBURST_TRY(fill(limit));
        }
        if (limit.isOver()) {
            return {};
        }
        OperationView view = operation_.view();
        view.timeLimit = &limit;
        const auto* const table = reinterpret_cast<const std::uint8_t*>(memory_.data());
        forEachPair<std::uint8_t, std::uint8_t>(
            view, [table](std::uint8_t a, std::uint8_t b) { return table[a * kValues + b]; });
        return {};
    }

  private:
    /// Runs the reference kernel on all pairs of bytes.
    Result<> fill(TimeLimit& limit) {
        for (std::size_t value = 0; value < kValues; ++value) {
            memory_.data()[kTableBytes + value] = static_cast<std::byte>(value);
        }
        NNBURST_TRY(filling_->run(limit));
        isFilled_ = !limit.isOver();
        return {};
    }

    /// [256][256] outputs, by the bytes of inputs 0 and 1; then the 256 bytes.
    const AlignedBuffer memory_;
    OperationInstance operation_;
    const std::unique_ptr<Step> filling_;
    std::vector<std::byte*> operandsOfFilling_;
    bool isFilled_ = false;
};

bool isOnPairs(OperationType type) noexcept {
    switch (type) {
        case OperationType::ADD:
        case OperationType::EQUAL:
        case OperationType::GREATER:
        case OperationType::GREATER_EQUAL:
        case OperationType::LESS:
        case OperationType::LESS_EQUAL:
        case OperationType::MAXIMUM:
        case OperationType::MINIMUM:
        case OperationType::MUL:
        case OperationType::NOT_EQUAL:
        case OperationType::PRELU:
        case OperationType::SUB:
            return true;
        default:
            return false;
    }
}

}  // namespace

Result<std::unique_ptr<Step>> makePairTableStep(const OperationInstance& operation) {
    if (!isOnPairs(operation.type) || !isQuantized8Tensor(operation.inputs[0].type) ||
        operation.outputs[0].shape.elementCount() < kMinimumPairs) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(AlignedBuffer memory, AlignedBuffer::allocate(kMemoryBytes));
    return std::make_unique<PairTableStep>(std::move(memory), operation);
}

}  // namespace nnburst::exec
