// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Packs weights for micro-kernels (BlockProduct).

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "exec/dot8/backend.h"
#include "exec/dot8/block_products.h"
#include "exec/dot8/packed_weights.h"
#include "exec/dot8/rounding.h"
#include "exec/dot8/transpose_phase.h"
#include "exec/operation/operation.h"

namespace nnburst::exec::dot8 {

/// Whether the operation has the values of its weights and its bias, to be packed.
[[nodiscard]] inline bool hasFilter(const OperationView& operation) noexcept {
    return operation.inputs[1].data != nullptr && operation.inputs[2].data != nullptr;
}

/// The packed filter of the operation of `context`, of these sizes: the one that its graph has,
/// else what `pack()` returns, a Result<std::shared_ptr<const PackedFilter>>, if there is something
/// to pack (`hasValues`). Null if there is neither. Charges it before it takes memory.
template <class Pack>
[[nodiscard]] Result<std::shared_ptr<const PackedFilter>> shareFilter(const StepContext& context,
                                                                      const FilterForm& sizes,
                                                                      bool hasValues, Pack pack) {
    PackedWeights& weights = *context.weights;
    std::shared_ptr<const PackedFilter> filter = weights.find(context.operation, sizes);
    if (filter != nullptr || !hasValues) {
        return filter;
    }
    const std::uint64_t bytes = sizes.totalBytes();
    NNBURST_TRY_ASSIGN(Charge ofModel, weights.chargeModel(context.operation, bytes));
    NNBURST_TRY_ASSIGN(Charge ofClient, chargeTo(context.account, Resource::MEMORY, bytes));
    NNBURST_TRY_ASSIGN(filter, pack());
    return weights.insert(
        context.operation,
        chargedFor(chargedFor(std::move(filter), std::move(ofModel)), std::move(ofClient)));
}

/// Where the parts of a packed filter lie.
struct FilterLayout {
    std::size_t blocks;      ///< of each group
    std::size_t columns;     ///< of each group, rounded up: entries of bias and scales
    std::size_t groupBytes;  ///< weights of each group

    FilterLayout(const Microkernels& kernels, std::size_t depth, std::size_t outputs) noexcept
        : blocks(ceilDivide(outputs, kernels.blockColumns)),
          columns(roundUp(outputs, kernels.vectorColumns)),
          groupBytes(columnBytes(depth) * columns),
          blockBytes_(columnBytes(depth) * kernels.blockColumns) {}

    /// Of the weights of a block in its group: all before it are full.
    [[nodiscard]] std::size_t offset(std::size_t block) const noexcept {
        return block * blockBytes_;
    }

    /// The sizes of a filter with this number of groups.
    [[nodiscard]] FilterForm form(std::size_t groups) const noexcept {
        return {.weightBytes = groups * groupBytes, .columns = groups * columns};
    }

  private:
    static std::size_t columnBytes(std::size_t depth) noexcept { return roundUp(depth, 4); }

    std::size_t blockBytes_;
};

/// Packs input 1 [groups * groupOutputs, depth] and input 2, the bias, of an operation that is
/// covered. RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
[[nodiscard]] Result<std::shared_ptr<const PackedFilter>> packFilter(const OperationView& operation,
                                                                     const Microkernels& kernels,
                                                                     std::size_t depth,
                                                                     std::size_t groups,
                                                                     std::size_t groupOutputs);

/// Weights of an operation that are multiplied for their sums alone: input `input` of the
/// operation.
struct SumMatrix {
    std::size_t input = 0;
    std::int32_t zeroPoint = 0;  ///< of what they are multiplied with, which has input 0's type
    FilterMatrix matrix;
};

/// Packs the weights of `matrices`, which are all signed ones without a zero point, or all unsigned
/// ones with the same one. RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
[[nodiscard]] Result<std::shared_ptr<const PackedFilter>> packMatrices(
    const OperationView& operation, const Microkernels& kernels, const FilterForm& sizes,
    std::span<const SumMatrix> matrices);

/// Packs input 1 [outputs, filterHeight, filterWidth, inputs] and input 2, the bias, of a
/// TRANSPOSE_CONV_2D that is covered: a matrix for each of its phases.
[[nodiscard]] Result<std::shared_ptr<const PackedFilter>> packTransposeFilter(
    const OperationView& operation, const Microkernels& kernels, const FilterForm& sizes,
    std::span<const TransposePhase> phases);

/// Where parts of a packed depthwise filter lie: blocks of depthwiseLanes elements.
struct DepthwiseLayout {
    std::size_t pixels;  ///< output pixels of a step: several if their channels fit into one block
    std::size_t blocks;
    std::size_t tapPairs;
    std::size_t lanes;

    DepthwiseLayout(const Microkernels& kernels, std::size_t taps, std::size_t outputs) noexcept
        : pixels(outputs <= kernels.depthwiseLanes ? kernels.depthwiseLanes / outputs : 1),
          blocks(ceilDivide(outputs, kernels.depthwiseLanes)),
          tapPairs(ceilDivide(taps, 2)),
          lanes(kernels.depthwiseLanes) {}

    /// 16-bit weights of a block.
    [[nodiscard]] std::size_t blockWeights() const noexcept { return tapPairs * lanes * 2; }

    /// The sizes of a filter.
    [[nodiscard]] FilterForm form() const noexcept {
        return {.weightBytes = blocks * blockWeights() * sizeof(std::int16_t),
                .columns = blocks * lanes};
    }

    /// Where element `i` of a block lies: words are unpacked within each 128 bits, first the lower
    /// halves of all, then the upper ones.
    [[nodiscard]] std::size_t position(std::size_t i) const noexcept {
        return i % 8 / 4 * (lanes / 2) + i / 8 * 4 + i % 4;
    }
};

/// Packs input 1, [1, taps, outputs] of a DEPTHWISE_CONV_2D or [outputs, taps, 1] of a
/// GROUPED_CONV_2D that is covered, and input 2, the bias.
[[nodiscard]] Result<std::shared_ptr<const PackedFilter>> packDepthwiseFilter(
    const OperationView& operation, const Microkernels& kernels, std::size_t taps,
    std::size_t outputs);

}  // namespace nnburst::exec::dot8
