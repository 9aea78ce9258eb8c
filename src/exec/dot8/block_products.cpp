// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/block_products.h"

#include <algorithm>
#include <array>

#include "exec/dot8/packing.h"
#include "exec/dot8/rounding.h"
#include "log/assert.h"

namespace nnburst::exec::dot8 {

namespace {

/// About as many bytes of rows stay in the second-level cache beside the weights.
constexpr std::size_t kTaskRowBytes = std::size_t{64} << 10;

/// What one thread multiplies in a nanosecond, about.
constexpr double kMultiplicationsPerNs = 250;
/// Tasks of this length even out threads that start late or run slowly.
constexpr double kTaskNs = 20000;
constexpr double kMaximumTasksPerThread = 4;

/// As `kernels.multiply`, for the columns from `column` on, with the scales of the reference
/// kernels.
void multiplyAsReference(BlockProduct product, const ReferenceScales& scales, std::size_t column,
                         const Microkernels& kernels) noexcept {
    constexpr std::size_t kRows = 24;  // a multiple of the rows of most tiles
    constexpr std::size_t kMaximumColumns = 64;
    NNBURST_ASSERT(kernels.blockColumns <= kMaximumColumns, "{} has blocks of {} columns",
                   kernels.name, kernels.blockColumns);
    alignas(kOperandAlignmentBytes) std::array<std::int32_t, kRows * kMaximumColumns> sums;
    const std::size_t stride = roundUp(product.columns, kernels.vectorColumns);
    product.sums = sums.data();
    for (std::size_t left = product.rowCount; left != 0; left -= product.rowCount) {
        product.rowCount = std::min(kRows, left);
        kernels.multiply(product);
        for (std::size_t row = 0; row < product.rowCount; ++row) {
            kernels.requantizeSums(scales.row(sums.data() + row * stride, column, product.columns,
                                              product.output + row * product.outputStride));
        }
        product.rows += product.rowCount * product.rowStride;
        product.corrections += product.rowCount;
        product.output += product.rowCount * product.outputStride;
    }
}

}  // namespace

double productNs(double multiplications) noexcept {
    return multiplications / kMultiplicationsPerNs;
}

ProductDivision::ProductDivision(std::size_t rowCount, std::size_t depth, std::size_t outputs,
                                 const Microkernels& kernels, std::size_t threads,
                                 double ns) noexcept {
    const std::size_t tile = kernels.tileRows;
    const std::size_t most =
        std::clamp(kTaskRowBytes / depth, tile, kMaximumTaskRows) / tile * tile;
    taskRows = most;
    if (threads == 1) {
        return;
    }
    const std::size_t wanted =
        threads * static_cast<std::size_t>(std::clamp(ns / static_cast<double>(threads) / kTaskNs,
                                                      1.0, kMaximumTasksPerThread));
    const std::size_t blocks = ceilDivide(outputs, kernels.blockColumns);
    // Few rows: dividing them would let each thread read all weights.
    if (rowCount > most || blocks < 2 * threads) {
        taskRows = std::min(most, roundUp(ceilDivide(rowCount, wanted), tile));
    }
    const std::size_t rowTasks = ceilDivide(rowCount, taskRows);
    if (rowTasks < wanted) {
        splits = std::min(blocks, ceilDivide(wanted, rowTasks));
    }
}

bool multiplyBlocks(const FilterMatrix& matrix, const ActivationRows& rows,
                    const OutputRows& output, const Requantization& requantization,
                    std::size_t split, std::size_t splits, Pace& pace) noexcept {
    const PackedFilter& filter = *matrix.filter;
    const Microkernels& kernels = *filter.kernels;
    std::array<std::int32_t, kMaximumTaskRows> corrections;  // NOLINT(*-member-init): filled below
    if (filter.form.activations == Activations::UNSIGNED_CORRECTED) {
        kernels.sumRows(rows.data, rows.stride, rows.count, matrix.depth, filter.form.correction,
                        corrections.data());
    }
    const FilterLayout layout(kernels, matrix.depth, matrix.outputs);
    const std::size_t first = layout.blocks * split / splits;
    const std::size_t last = layout.blocks * (split + 1) / splits;
    for (std::size_t block = first; block < last; ++block) {
        const std::size_t column = block * kernels.blockColumns;
        const std::size_t parameter = matrix.parametersOffset + column;
        const BlockProduct product{
            .rows = rows.data,
            .rowStride = rows.stride,
            .rowCount = rows.count,
            .depth = rows.multipliedDepth,
            .corrections = corrections.data(),
            .weights = reinterpret_cast<const std::int8_t*>(filter.weights()) +
                       matrix.weightsOffset + layout.offset(block),
            .bias = filter.bias() + parameter,
            .scales = filter.scales() + parameter,
            .columns = std::min(kernels.blockColumns, matrix.outputs - column),
            .output = output.data + column,
            .outputStride = output.stride,
            .requantization = requantization,
            .activations = filter.form.activations,
            .sums = nullptr};
        if (matrix.referenceScales != nullptr) {
            multiplyAsReference(product, *matrix.referenceScales, column, kernels);
        } else {
            kernels.multiply(product);
        }
        if (pace.isOverAfter(rows.count * matrix.depth * product.columns)) {
            return false;
        }
    }
    return true;
}

}  // namespace nnburst::exec::dot8
