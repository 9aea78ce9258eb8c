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

class PairTableStep final : public Step {
  public:
    PairTableStep(AlignedBuffer table, OperationInstance operation)
        : table_(std::move(table)), operation_(std::move(operation)) {}

    Result<> setUp(std::span<std::byte* const> operands) override {
        const std::size_t output = operation_.inputs.size();
        NNBURST_ASSERT(output < operands.size(), "{} operands", operands.size());
        operation_.inputs[0].data = operands[0];
        operation_.inputs[1].data = operands[1];
        operation_.outputs[0].data = operands[output];
        return {};
    }

    Result<> run(TimeLimit& limit) override {
        OperationView view = operation_.view();
        view.timeLimit = &limit;
        const auto* const table = reinterpret_cast<const std::uint8_t*>(table_.data());
        forEachPair<std::uint8_t, std::uint8_t>(
            view, [table](std::uint8_t a, std::uint8_t b) { return table[a * kValues + b]; });
        return {};
    }

  private:
    const AlignedBuffer table_;  ///< [256][256] outputs, by the bytes of inputs 0 and 1
    OperationInstance operation_;
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

/// Runs the reference kernel on all pairs of bytes.
Result<AlignedBuffer> makeTable(OperationInstance operation) {
    NNBURST_TRY_ASSIGN(AlignedBuffer table,
                       AlignedBuffer::allocate(std::size_t{kValues} * kValues));
    NNBURST_TRY_ASSIGN(const AlignedBuffer values, AlignedBuffer::allocate(kValues));
    for (std::size_t value = 0; value < kValues; ++value) {
        values.data()[value] = static_cast<std::byte>(value);
    }
    operation.inputs[0].shape = Shape{kValues, 1};
    operation.inputs[1].shape = Shape{1, kValues};
    operation.outputs[0].shape = Shape{kValues, kValues};
    std::vector<std::byte*> operands;
    for (const OperandView& input : operation.inputs) {
        operands.push_back(input.data);
    }
    operands[0] = operands[1] = values.data();
    operands.push_back(table.data());
    const std::unique_ptr<Step> step = makeReferenceStep(std::move(operation));
    NNBURST_ASSERT(step->scratchBytes() == 0, "{} bytes of scratch memory", step->scratchBytes());
    TimeLimit limit;
    NNBURST_TRY(step->setUp(operands));
    NNBURST_TRY(step->run(limit));
    return table;
}

}  // namespace

Result<std::unique_ptr<Step>> makePairTableStep(const OperationInstance& operation,
                                                std::uint32_t& tablesLeft) {
    if (tablesLeft == 0 || !isOnPairs(operation.type) ||
        !isQuantized8Tensor(operation.inputs[0].type) ||
        operation.outputs[0].shape.elementCount() < kMinimumPairs) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(AlignedBuffer table, makeTable(operation));
    --tablesLeft;
    return std::make_unique<PairTableStep>(std::move(table), operation);
}

}  // namespace nnburst::exec
