// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/table_step.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "exec/operation/activation.h"
#include "exec/operation/time_limit.h"
#include "exec/reference/reference_step.h"
#include "log/assert.h"
#include "memory/aligned_buffer.h"

namespace nnburst::exec {

namespace {

constexpr std::uint32_t kTableEntries = 256;
/// Bytes between two checks of the time limit.
constexpr std::size_t kPartBytes = std::size_t{64} << 10;
/// A unit of TimeLimit's work is one plain multiplication; about as many bytes take as long.
constexpr std::size_t kBytesPerUnit = 16;

/// With shorter rows the reference kernel is as fast: each row loads the table anew.
constexpr std::size_t kMinimumMeanRowBytes = 32;

/// Rows of one input, and where they go in the output.
struct TableRows {
    std::size_t operand = 0;
    std::size_t rowBytes = 0;
    std::size_t outputOffset = 0;
    const std::uint8_t* table = nullptr;
};

class TableStep final : public Step {
  public:
    TableStep(AlignedBuffer tables, std::vector<TableRows> inputs, std::size_t rowCount,
              std::size_t output, const dot8::Microkernels& kernels)
        : tables_(std::move(tables)),
          inputs_(std::move(inputs)),
          rowCount_(rowCount),
          output_(output),
          kernels_(kernels),
          data_(inputs_.size()) {
        for (const TableRows& input : inputs_) {
            outputRowBytes_ += input.rowBytes;
        }
    }

    [[nodiscard]] std::size_t keptBytes() const noexcept override { return tables_.sizeBytes(); }

    Result<> setUp(std::span<std::byte* const> operands) override {
        NNBURST_ASSERT(output_ < operands.size(), "{} operands", operands.size());
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            data_[i] = reinterpret_cast<const std::uint8_t*>(operands[inputs_[i].operand]);
        }
        outputData_ = reinterpret_cast<std::uint8_t*>(operands[output_]);
        return {};
    }

    Result<> run(TimeLimit& limit) override {
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            const TableRows& input = inputs_[i];
            for (std::size_t row = 0; row < rowCount_; ++row) {
                const std::uint8_t* const from = data_[i] + row * input.rowBytes;
                std::uint8_t* const to = outputData_ + row * outputRowBytes_ + input.outputOffset;
                for (std::size_t done = 0; done < input.rowBytes; done += kPartBytes) {
                    const std::size_t count = std::min(kPartBytes, input.rowBytes - done);
                    kernels_.lookUp(input.table, from + done, count, to + done);
                    if (limit.isOverAfter(count / kBytesPerUnit + 1)) {
                        return {};
                    }
                }
            }
        }
        return {};
    }

  private:
    const AlignedBuffer tables_;
    const std::vector<TableRows> inputs_;
    const std::size_t rowCount_;
    const std::size_t output_;  ///< index among the operands
    const dot8::Microkernels& kernels_;
    std::size_t outputRowBytes_ = 0;
    std::vector<const std::uint8_t*> data_;  ///< of the inputs
    std::uint8_t* outputData_ = nullptr;
};

bool isActivation(OperationType type) noexcept {
    switch (type) {
        case OperationType::HARD_SWISH:
        case OperationType::LOGISTIC:
        case OperationType::RELU:
        case OperationType::RELU1:
        case OperationType::RELU6:
        case OperationType::TANH:
            return true;
        default:
            return false;
    }
}

bool isQuantized(const OperandView& operand) noexcept {
    return operand.type == OperandType::TENSOR_QUANT8_ASYMM ||
           operand.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

/// Runs the reference kernel on all values that an element of the first `inputs` inputs can have: a
/// table for each, one after the other.
Result<AlignedBuffer> makeTables(OperationInstance operation, std::size_t inputs) {
    NNBURST_TRY_ASSIGN(AlignedBuffer tables, AlignedBuffer::allocate(inputs * kTableEntries));
    NNBURST_TRY_ASSIGN(const AlignedBuffer values, AlignedBuffer::allocate(kTableEntries));
    for (std::size_t value = 0; value < kTableEntries; ++value) {
        values.data()[value] = static_cast<std::byte>(value);
    }
    for (std::size_t input = 0; input < inputs; ++input) {
        operation.inputs[input].shape = Shape{kTableEntries};
        operation.inputs[input].data = values.data();
    }
    operation.outputs[0].shape = Shape{static_cast<std::uint32_t>(inputs) * kTableEntries};
    std::vector<std::byte*> operands;
    for (const OperandView& input : operation.inputs) {
        operands.push_back(input.data);
    }
    operands.push_back(tables.data());
    const std::unique_ptr<Step> step = makeReferenceStep(std::move(operation));
    NNBURST_ASSERT(step->scratchBytes() == 0, "{} bytes of scratch memory", step->scratchBytes());
    TimeLimit limit;
    NNBURST_TRY(step->setUp(operands));
    NNBURST_TRY(step->run(limit));
    return tables;
}

Result<std::unique_ptr<Step>> makeActivation(const OperationInstance& operation,
                                             const dot8::Microkernels& kernels) {
    NNBURST_TRY_ASSIGN(AlignedBuffer tables, makeTables(operation, 1));
    const auto* const table = reinterpret_cast<const std::uint8_t*>(tables.data());
    return std::make_unique<TableStep>(
        std::move(tables),
        std::vector<TableRows>{
            {.rowBytes = operation.inputs[0].shape.elementCount(), .table = table}},
        1, operation.inputs.size(), kernels);
}

Result<std::unique_ptr<Step>> makeConcatenation(const OperationInstance& operation,
                                                const dot8::Microkernels& kernels) {
    const std::size_t count = operation.inputs.size() - 1;
    const OperandView& output = operation.outputs[0];
    const bool isCopied =
        std::all_of(operation.inputs.begin(), operation.inputs.end() - 1, [&](const auto& input) {
            return input.scale == output.scale && input.zeroPoint == output.zeroPoint;
        });
    if (isCopied) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(const std::int32_t axis,
                       readConstantInt32(operation.view(), count, "axis", 0));
    std::size_t rowCount = 1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(axis); ++i) {
        rowCount *= output.shape[i];
    }
    if (output.shape.elementCount() < rowCount * count * kMinimumMeanRowBytes) {
        return nullptr;
    }
    OperationInstance flat = operation;
    const std::int32_t firstAxis = 0;
    flat.inputs.back().data = reinterpret_cast<std::byte*>(const_cast<std::int32_t*>(&firstAxis));
    NNBURST_TRY_ASSIGN(AlignedBuffer tables, makeTables(std::move(flat), count));
    std::vector<TableRows> inputs;
    std::size_t offset = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t rowBytes = operation.inputs[i].shape.elementCount() / rowCount;
        inputs.push_back(
            {.operand = i,
             .rowBytes = rowBytes,
             .outputOffset = offset,
             .table = reinterpret_cast<const std::uint8_t*>(tables.data()) + i * kTableEntries});
        offset += rowBytes;
    }
    return std::make_unique<TableStep>(std::move(tables), std::move(inputs), rowCount,
                                       operation.inputs.size(), kernels);
}

}  // namespace

Result<std::unique_ptr<Step>> makeTableStep(const OperationInstance& operation,
                                            const dot8::Microkernels& kernels) {
    if (!isQuantized(operation.inputs[0]) || !isQuantized(operation.outputs[0])) {
        return nullptr;
    }
    if (isActivation(operation.type)) {
        return makeActivation(operation, kernels);
    }
    return operation.type == OperationType::CONCATENATION ? makeConcatenation(operation, kernels)
                                                          : nullptr;
}

}  // namespace nnburst::exec
