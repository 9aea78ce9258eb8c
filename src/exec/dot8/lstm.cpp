// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// QUANTIZED_LSTM and QUANTIZED_16BIT_LSTM: the products with their weights. The reference kernels
// do all the rest, which is little beside them.

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "exec/dot8/block_products.h"
#include "exec/dot8/families.h"
#include "exec/dot8/packing.h"
#include "exec/operation/activation.h"
#include "exec/operation/operation_instance.h"
#include "exec/reference/reference_step.h"
#include "log/assert.h"

namespace nnburst::exec::dot8 {

namespace {

// Inputs of both operations.
constexpr std::size_t kGates = 4;
constexpr std::size_t kInputWeights = 1;
constexpr std::size_t kRecurrentWeights = 5;
// Inputs of QUANTIZED_LSTM.
constexpr std::size_t kProjection = 16;
constexpr std::size_t kOutputState = 18;
constexpr std::size_t kHiddenZeroPoint = 30;
// Of QUANTIZED_16BIT_LSTM.
constexpr std::size_t kOutputBefore = 14;

class PackedProducts final : public MatrixProducts {
  public:
    PackedProducts(std::vector<SumMatrix> matrices, std::shared_ptr<const PackedFilter> filter)
        : matrices_(std::move(matrices)), filter_(std::move(filter)) {}

    [[nodiscard]] bool multiply(std::size_t weights, const std::uint8_t* elements,
                                std::int32_t* sums, TimeLimit* limit) const noexcept override {
        const auto found =
            std::find_if(matrices_.begin(), matrices_.end(),
                         [weights](const SumMatrix& matrix) { return matrix.input == weights; });
        NNBURST_ASSERT(found != matrices_.end(), "the weights of input {} are not packed", weights);
        return multiply(found->matrix, elements, sums, limit);
    }

  private:
    [[nodiscard]] bool multiply(const FilterMatrix& matrix, const std::uint8_t* elements,
                                std::int32_t* sums, TimeLimit* limit) const noexcept {
        const Microkernels& kernels = *filter_->kernels;
        NNBURST_ASSERT(kernels.blockColumns <= kMaximumBlockColumns, "{} has blocks of {} columns",
                       kernels.name, kernels.blockColumns);
        std::int32_t correction = 0;
        if (filter_->form.activations == Activations::UNSIGNED_CORRECTED) {
            kernels.sumRows(elements, matrix.depth, 1, matrix.depth, filter_->form.correction,
                            &correction);
        }
        // Blocks of sums are larger than those of outputs.
        alignas(kOperandAlignmentBytes) std::array<std::int32_t, kMaximumBlockColumns> block;
        const FilterLayout layout(kernels, matrix.depth, matrix.outputs);
        for (std::size_t index = 0; index < layout.blocks; ++index) {
            const std::size_t column = index * kernels.blockColumns;
            const std::size_t columns = std::min(kernels.blockColumns, matrix.outputs - column);
            kernels.multiply({.rows = elements,
                              .rowStride = matrix.depth,
                              .rowCount = 1,
                              .depth = matrix.depth,
                              .corrections = &correction,
                              .weights = reinterpret_cast<const std::int8_t*>(filter_->weights()) +
                                         matrix.weightsOffset + layout.offset(index),
                              .bias = filter_->bias() + matrix.parametersOffset + column,
                              .scales = filter_->scales() + matrix.parametersOffset + column,
                              .columns = columns,
                              .output = nullptr,
                              .outputStride = 0,
                              .requantization = {},
                              .activations = filter_->form.activations,
                              .sums = block.data()});
            std::copy_n(block.data(), columns, sums + column);
            if (limit != nullptr && limit->isOverAfter(matrix.depth * columns / kProductsPerUnit)) {
                return false;
            }
        }
        return true;
    }

    static constexpr std::size_t kMaximumBlockColumns = 64;
    /// A unit of TimeLimit's work stands for a plain multiplication; about as many of these, whose
    /// weights come from memory, take that time.
    static constexpr std::size_t kProductsPerUnit = 16;

    const std::vector<SumMatrix> matrices_;
    const std::shared_ptr<const PackedFilter> filter_;
};

/// Collects the matrices of an operation, one after the other in a filter.
class MatrixList {
  public:
    MatrixList(const OperationView& operation, const Microkernels& kernels)
        : operation_(operation), kernels_(kernels) {}

    /// Adds input `input`, unless it is left out, to be multiplied with elements around
    /// `zeroPoint`.
    void add(std::size_t input, std::int32_t zeroPoint) {
        if (!operation_.has(input)) {
            return;
        }
        const OperandView& weights = operation_.inputs[input];
        const std::size_t outputs = weights.shape[0];
        const std::size_t depth = weights.shape[1];
        const FilterLayout layout(kernels_, depth, outputs);
        matrices_.push_back({.input = input,
                             .zeroPoint = zeroPoint,
                             .matrix = {.depth = depth,
                                        .outputs = outputs,
                                        .weightsOffset = sizes_.weightBytes,
                                        .parametersOffset = sizes_.columns}});
        sizes_.weightBytes += layout.groupBytes;
        sizes_.columns += layout.columns;
        isCovered_ = isCovered_ && weights.isConstant && depth <= kMaximumDepth;
    }
    void addGates(std::size_t first, std::int32_t zeroPoint) {
        for (std::size_t gate = 0; gate < kGates; ++gate) {
            add(first + gate, zeroPoint);
        }
    }

    /// Null if they are not covered.
    StepResult makeStep(const StepContext& context) {
        const auto hasValue = [&](const SumMatrix& matrix) {
            return operation_.inputs[matrix.input].data != nullptr;
        };
        if (!isCovered_ || !std::all_of(matrices_.begin(), matrices_.end(), hasValue)) {
            return nullptr;
        }
        auto shared = shareFilter(context, sizes_, true, [&] {
            return packMatrices(operation_, kernels_, sizes_, matrices_);
        });
        if (!shared && shared.error().status == ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT) {
            return nullptr;  // too many steps of an unrolled sequence have the same weights
        }
        NNBURST_TRY_ASSIGN(std::shared_ptr<const PackedFilter> filter, std::move(shared));
        return makeReferenceStep(
            {.type = operation_.type,
             .inputs = {operation_.inputs.begin(), operation_.inputs.end()},
             .outputs = {operation_.outputs.begin(), operation_.outputs.end()},
             .isRelaxed = operation_.isRelaxed},
            std::make_unique<PackedProducts>(std::move(matrices_), std::move(filter)));
    }

  private:
    const OperationView& operation_;
    const Microkernels& kernels_;
    std::vector<SumMatrix> matrices_;
    FilterForm sizes_;
    bool isCovered_ = true;
};

}  // namespace

StepResult makeQuantizedLstm(const OperationView& operation, const StepContext& context) {
    // Filters are found by their operation: what becomes a part of them must never change.
    if (!operation.inputs[kHiddenZeroPoint].isConstant) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(const std::int32_t hiddenZeroPoint,
                       readConstantInt32(operation, kHiddenZeroPoint, "hidden zero point", -128));
    MatrixList matrices(operation, *context.kernels);
    matrices.addGates(kInputWeights, operation.inputs[0].zeroPoint);
    matrices.addGates(kRecurrentWeights, operation.inputs[kOutputState].zeroPoint);
    matrices.add(kProjection, hiddenZeroPoint);
    return matrices.makeStep(context);
}

StepResult makeQuantized16bitLstm(const OperationView& operation, const StepContext& context) {
    MatrixList matrices(operation, *context.kernels);
    matrices.addGates(kInputWeights, operation.inputs[0].zeroPoint);
    matrices.addGates(kRecurrentWeights, operation.inputs[kOutputBefore].zeroPoint);
    return matrices.makeStep(context);
}

}  // namespace nnburst::exec::dot8
