// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// TRANSPOSE_CONV_2D, NHWC.
//
//     input  [batches, height, width, inputs]
//     filter [outputs, filterHeight, filterWidth, inputs]
//     output [batches, outputHeight, outputWidth, outputs]

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "exec/dot8/coverage.h"
#include "exec/dot8/families.h"
#include "exec/dot8/packing.h"
#include "exec/dot8/reference_scales.h"
#include "exec/dot8/rounding.h"
#include "exec/dot8/row_writer.h"
#include "exec/dot8/task_step.h"
#include "exec/dot8/transpose_phase.h"
#include "exec/operation/parallel_work.h"
#include "exec/operation/spatial.h"

namespace nnburst::exec::dot8 {

namespace {

/// With larger strides, phases have few taps, and there are many.
constexpr std::size_t kMaximumPhases = 64;

using Axis = TransposeConvolution::Axis;

/// A phase along one axis, and its windows.
struct AxisPhase {
    TransposePhaseAxis taps;
    SlidingWindow window;
    std::uint32_t skippedInputs;  ///< before the first window

    AxisPhase(const Axis& axis, std::uint32_t first) {
        const auto from = static_cast<std::uint64_t>(first + axis.paddingBefore);
        const std::uint64_t firstTap = from % axis.stride;
        taps = {.firstOutput = first,
                .firstTap = firstTap,
                .stride = axis.stride,
                .taps = ceilDivide(axis.filterSize - firstTap, axis.stride)};
        // Of the first window. Its first input may lie before the image.
        const std::uint64_t lastInput = from / axis.stride;
        const std::uint64_t before = taps.taps - 1;
        skippedInputs = static_cast<std::uint32_t>(std::max(lastInput, before) - before);
        window = {
            .inputSize = axis.inputSize,
            .size = static_cast<std::uint32_t>(taps.taps),
            .paddingBefore = static_cast<std::uint32_t>(std::max(lastInput, before) - lastInput),
            .outputSize =
                static_cast<std::uint32_t>(ceilDivide(axis.outputSize - first, axis.stride))};
    }
};

/// All phases along an axis; none if XNNPACK leaves the operation to the reference kernel (an
/// output lies under no tap, or there are fewer than the stride), or if there are too many.
std::vector<AxisPhase> phasesOf(const Axis& axis) {
    std::vector<AxisPhase> phases;
    if (axis.filterSize < axis.stride || axis.paddingBefore < 0 || axis.paddingAfter < 0 ||
        axis.outputSize < axis.stride || axis.stride > kMaximumPhases) {
        return phases;
    }
    for (std::uint32_t first = 0; first < axis.stride; ++first) {
        phases.emplace_back(axis, first);
    }
    return phases;
}

/// A transposed convolution, in phases.
struct TransposeProduct {
    std::vector<TransposePhase> phases;
    FilterForm sizes;  ///< of its filter
    std::size_t outputHeight = 0;
    std::size_t outputWidth = 0;
    std::size_t outputs = 0;
    std::size_t maximumDepth = 0;
    double multiplications = 0;

    TransposeProduct(const OperationView& operation, const TransposeConvolution& convolution,
                     const Microkernels& kernels)
        : outputHeight(convolution.height.outputSize),
          outputWidth(convolution.width.outputSize),
          outputs(operation.inputs[1].shape[0]) {
        const Shape& input = operation.inputs[0].shape;
        const std::vector<AxisPhase> rows = phasesOf(convolution.height);
        const std::vector<AxisPhase> columns = phasesOf(convolution.width);
        if (rows.size() * columns.size() > kMaximumPhases) {
            return;
        }
        for (const AxisPhase& row : rows) {
            for (const AxisPhase& column : columns) {
                const WindowRows windows{
                    .window = {.height = row.window, .width = column.window},
                    .batches = input[0],
                    .channels = input[3],
                    .groupChannels = input[3],
                    .padding = static_cast<std::uint8_t>(operation.inputs[0].zeroPoint),
                    .skippedRows = row.skippedInputs,
                    .skippedColumns = column.skippedInputs};
                const FilterLayout layout(kernels, windows.depth(), outputs);
                phases.push_back({.height = row.taps,
                                  .width = column.taps,
                                  .windows = windows,
                                  .matrix = {.depth = windows.depth(),
                                             .outputs = outputs,
                                             .weightsOffset = sizes.weightBytes,
                                             .parametersOffset = sizes.columns}});
                sizes.weightBytes += layout.groupBytes;
                sizes.columns += layout.columns;
                maximumDepth = std::max(maximumDepth, windows.depth());
                multiplications += static_cast<double>(windows.rowCount()) *
                                   static_cast<double>(windows.depth()) *
                                   static_cast<double>(outputs);
            }
        }
    }
};

class TransposeStep final : public TaskStep {
  public:
    TransposeStep(TransposeProduct product, std::shared_ptr<const PackedFilter> filter,
                  const Requantization& requantization,
                  std::optional<ReferenceScales> referenceScales, pthreadpool_t threads, double ns)
        : TaskStep(kLayerOperands, threads),
          product_(std::move(product)),
          filter_(std::move(filter)),
          requantization_(requantization),
          referenceScales_(std::move(referenceScales)),
          division_(largestRowCount(), product_.maximumDepth, product_.outputs, *filter_->kernels,
                    threadCount(threads), ns / static_cast<double>(product_.phases.size())) {
        setThreadScratchBytes(roundUp(
            std::min(division_.taskRows, largestRowCount()) * roundUp(product_.maximumDepth, 4) +
                RowWriter::kSlackBytes,
            kOperandAlignmentBytes));
        for (TransposePhase& phase : product_.phases) {
            phase.matrix.filter = filter_.get();
            phase.matrix.referenceScales = referenceScales_ ? &*referenceScales_ : nullptr;
            taskCount_ += tasks(phase);
        }
    }

    [[nodiscard]] bool hasPackedConstants() const noexcept override { return true; }

    Result<> run(TimeLimit& limit) override {
        runTasks(
            threads(), taskCount_,
            [](const void* step, std::size_t index, std::size_t thread, Pace& pace) {
                static_cast<const TransposeStep*>(step)->runTask(index, thread, pace);
            },
            this, limit);
        return {};
    }

  private:
    [[nodiscard]] std::size_t largestRowCount() const noexcept {
        return product_.phases.front().windows.rowCount();  // later phases have no more outputs
    }
    [[nodiscard]] std::size_t tasks(const TransposePhase& phase) const noexcept {
        return ceilDivide(phase.windows.rowCount(), division_.taskRows) * division_.splits;
    }

    void runTask(std::size_t index, std::size_t thread, Pace& pace) const noexcept {
        auto phase = product_.phases.begin();
        for (; index >= tasks(*phase); ++phase) {
            index -= tasks(*phase);
        }
        const std::size_t first = index / division_.splits * division_.taskRows;
        const std::size_t count = std::min(division_.taskRows, phase->windows.rowCount() - first);
        ActivationRows rows{.data = scratchOf(thread),
                            .stride = roundUp(phase->matrix.depth, 4),
                            .count = 0,
                            .multipliedDepth = roundUp(phase->matrix.depth, 4)};
        phase->windows.gather(input(), 0, first, count, scratchOf(thread), rows.stride);
        // The outputs of one row of the image are a fixed distance apart.
        const std::size_t width = phase->windows.window.width.outputSize;
        for (std::size_t row = first; row < first + count; row += rows.count) {
            rows.count = std::min(first + count - row, width - row % width);
            if (!multiplyBlocks(phase->matrix, rows, outputOf(*phase, row), requantization_,
                                index % division_.splits, division_.splits, pace)) {
                return;
            }
            rows.data += rows.count * rows.stride;
        }
    }

    /// Where row `row` of the phase's windows goes, and those that follow it in the image's row.
    [[nodiscard]] OutputRows outputOf(const TransposePhase& phase, std::size_t row) const noexcept {
        const SpatialWindow& window = phase.windows.window;
        const std::size_t column = row % window.width.outputSize;
        const std::size_t line = row / window.width.outputSize % window.height.outputSize;
        const std::size_t batch = row / window.width.outputSize / window.height.outputSize;
        const std::size_t y =
            batch * product_.outputHeight + phase.height.firstOutput + line * phase.height.stride;
        const std::size_t x = phase.width.firstOutput + column * phase.width.stride;
        return {.data = output() + (y * product_.outputWidth + x) * product_.outputs,
                .stride = phase.width.stride * product_.outputs};
    }

    TransposeProduct product_;
    const std::shared_ptr<const PackedFilter> filter_;
    const Requantization requantization_;
    const std::optional<ReferenceScales> referenceScales_;
    const ProductDivision division_;
    std::size_t taskCount_ = 0;
};

}  // namespace

StepResult makeTransposeConv2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const TransposeConvolution convolution,
                       resolveTransposeConvolution(operation));
    const QuantizedRange range =
        activationRange(convolution.arguments.activation, operation.outputs[0]);
    if (convolution.arguments.isNchw || !isCovered(operation, range) ||
        tapCount(convolution) > kMaximumTaps) {
        return nullptr;
    }
    TransposeProduct product(operation, convolution, *context.kernels);
    if (product.phases.empty() || product.maximumDepth > kMaximumDepth) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(std::shared_ptr<const PackedFilter> filter,
                       shareFilter(context, product.sizes, hasFilter(operation), [&] {
                           return packTransposeFilter(operation, *context.kernels, product.sizes,
                                                      product.phases);
                       }));
    if (!filter) {
        return nullptr;
    }
    // XNNPACK has no filters with one scale for each channel here: other processors run them on the
    // reference kernel, whose results these are.
    std::optional<ReferenceScales> referenceScales;
    if (operation.inputs[1].channelQuant != nullptr) {
        referenceScales.emplace(operation, range);
    }
    const double ns = productNs(product.multiplications);
    return std::make_unique<TransposeStep>(
        std::move(product), std::move(filter), requantizationOf(operation.outputs[0], range),
        std::move(referenceScales), ns < kMinimumParallelNs ? nullptr : context.threads, ns);
}

}  // namespace nnburst::exec::dot8
