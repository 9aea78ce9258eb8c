// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// DEPTHWISE_CONV_2D, and GROUPED_CONV_2D whose groups have one input and one output; NHWC.
//
//     input  [batches, height, width, channels]
//     filter [1, filterHeight, filterWidth, channels * multiplier],
//            grouped [channels, filterHeight, filterWidth, 1]
//     output [batches, outputHeight, outputWidth, channels * multiplier]
//
// The input rows that some rows of output need are copied to scratch memory, with padding, each
// channel as often as it is used. There the pixels of a row are ordered by their phase, the column
// modulo the stride: under each tap, the pixels for a row of output follow each other. Rows and
// phases under no tap, which large strides leave between windows, are not copied.

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "exec/dot8/coverage.h"
#include "exec/dot8/families.h"
#include "exec/dot8/packing.h"
#include "exec/dot8/rounding.h"
#include "exec/dot8/row_writer.h"
#include "exec/dot8/shared_work.h"
#include "exec/dot8/task_step.h"
#include "exec/dot8/window.h"
#include "exec/operation/parallel_work.h"

namespace nnburst::exec::dot8 {

namespace {

/// Rows that need more scratch memory are left to XNNPACK.
constexpr double kMaximumDepthwiseScratchBytes = 4 << 20;
/// About as much stays in the second-level cache.
constexpr std::size_t kTaskScratchBytes = std::size_t{96} << 10;

constexpr double kDepthwiseMultiplicationsPerNs = 50;
constexpr std::size_t kDepthwiseTasksPerThread = 2;

/// Sizes of a depthwise convolution.
struct DepthwiseSizes {
    SpatialWindow window;
    std::size_t batches;
    std::size_t inputs;  ///< channels
    std::size_t multiplier;
    std::size_t outputs;  ///< channels
    std::size_t taps;
    std::size_t columns;       ///< of a row in scratch memory: those that windows cover
    std::size_t phaseColumns;  ///< of these, the columns of each phase
    std::size_t rowBytes;

    DepthwiseSizes(const OperationView& operation, const Convolution& convolution) noexcept
        : window(convolution.window),
          batches(operation.inputs[0].shape[0]),
          inputs(operation.inputs[0].shape[3]),
          multiplier(convolution.arguments.depthMultiplier),
          outputs(inputs * multiplier),
          taps(std::size_t{window.height.size} * window.width.size),
          columns(std::size_t{window.width.outputSize - 1} * window.width.stride +
                  std::size_t{window.width.size - 1} * window.width.dilation + 1),
          phaseColumns(ceilDivide(columns, window.width.stride)),
          rowBytes(roundUp(window.width.stride * phaseColumns * outputs, kOperandAlignmentBytes)) {}

    /// Whether the kernel takes few taps, and few bytes for a row of output. Only then are
    /// `rowBytes` and the sizes below right: paddings and strides can make them overflow.
    [[nodiscard]] bool areSmall() const noexcept {
        const double row = static_cast<double>(window.width.stride) *
                           static_cast<double>(phaseColumns) * static_cast<double>(outputs);
        return taps <= kMaximumDepthwiseTaps &&
               static_cast<double>(inputRows(1)) * (row + double{kOperandAlignmentBytes}) <=
                   kMaximumDepthwiseScratchBytes;
    }
    /// Rows of input under `rows` rows of output.
    [[nodiscard]] std::size_t inputRows(std::size_t rows) const noexcept {
        return (rows - 1) * window.height.stride +
               std::size_t{window.height.size - 1} * window.height.dilation + 1;
    }
    [[nodiscard]] std::size_t scratchBytes(std::size_t rows) const noexcept {
        return inputRows(rows) * rowBytes + RowWriter::kSlackBytes;
    }
    [[nodiscard]] double work() const noexcept {
        return static_cast<double>(batches) * window.height.outputSize *
               static_cast<double>(rowWork());
    }
    [[nodiscard]] std::size_t rowWork() const noexcept {
        return std::size_t{window.width.outputSize} * outputs * taps;
    }
    /// Rows of output of one task.
    [[nodiscard]] std::size_t taskRows(std::size_t threads) const noexcept {
        const std::size_t total = window.height.outputSize;
        std::size_t rows = 1;
        while (rows < total && scratchBytes(rows + 1) <= kTaskScratchBytes) {
            ++rows;
        }
        const std::size_t wanted =
            threads == 1 ? 1 : ceilDivide(threads * kDepthwiseTasksPerThread, batches);
        return std::min(rows, ceilDivide(total, wanted));
    }
};

/// The phases of an axis that lie under some tap, in ascending order.
std::vector<std::size_t> phasesUnderTaps(const SlidingWindow& axis) {
    std::set<std::size_t> phases;
    for (std::size_t tap = 0; tap < axis.size; ++tap) {
        phases.insert(tap * axis.dilation % axis.stride);
    }
    return {phases.begin(), phases.end()};
}

class DepthwiseStep final : public TaskStep {
  public:
    DepthwiseStep(const DepthwiseSizes& sizes, std::shared_ptr<const PackedFilter> filter,
                  const Requantization& requantization, std::uint8_t padding, pthreadpool_t threads)
        : TaskStep(kLayerOperands, threads),
          sizes_(sizes),
          filter_(std::move(filter)),
          layout_(*filter_->kernels, sizes.taps, sizes.outputs),
          requantization_(requantization),
          padding_(padding),
          rowPhases_(phasesUnderTaps(sizes.window.height)),
          columnPhases_(phasesUnderTaps(sizes.window.width)),
          taskRows_(sizes.taskRows(threadCount(threads))) {
        setThreadScratchBytes(sizes.scratchBytes(taskRows_));
    }

    [[nodiscard]] bool hasPackedConstants() const noexcept override { return true; }

    Result<> run(TimeLimit& limit) override {
        runTasks(
            threads(), sizes_.batches * imageTasks(),
            [](const void* step, std::size_t index, std::size_t thread, Pace& pace) {
                static_cast<const DepthwiseStep*>(step)->runTask(index, thread, pace);
            },
            this, limit);
        return {};
    }

  private:
    [[nodiscard]] std::size_t imageTasks() const noexcept {
        return ceilDivide(sizes_.window.height.outputSize, taskRows_);
    }

    void runTask(std::size_t index, std::size_t thread, Pace& pace) const noexcept {
        const SlidingWindow& height = sizes_.window.height;
        const std::size_t batch = index / imageTasks();
        const std::size_t first = index % imageTasks() * taskRows_;
        const std::size_t count = std::min<std::size_t>(taskRows_, height.outputSize - first);
        std::uint8_t* const scratch = scratchOf(thread);
        copyRows(batch, height.begin(static_cast<std::uint32_t>(first)), sizes_.inputRows(count),
                 scratch);
        for (std::size_t row = 0; row < count; ++row) {
            const std::size_t outputRow = batch * height.outputSize + first + row;
            convolveRow(scratch + row * height.stride * sizes_.rowBytes,
                        output() + outputRow * sizes_.window.width.outputSize * sizes_.outputs);
            if (pace.isOverAfter(sizes_.rowWork())) {
                return;
            }
        }
    }

    /// Copies those of `count` rows of input from `begin` that lie under taps. They may lie in the
    /// padding.
    void copyRows(std::size_t batch, std::int64_t begin, std::size_t count,
                  std::uint8_t* scratch) const noexcept {
        const std::size_t height = sizes_.window.height.inputSize;
        const std::size_t inputRowBytes =
            std::size_t{sizes_.window.width.inputSize} * sizes_.inputs;
        const std::uint8_t* const image = input() + batch * height * inputRowBytes;
        for (std::size_t window = 0; window < count; window += sizes_.window.height.stride) {
            for (const std::size_t phase : rowPhases_) {
                const std::size_t i = window + phase;
                if (i >= count) {
                    return;
                }
                std::uint8_t* const to = scratch + i * sizes_.rowBytes;
                const std::int64_t row = begin + static_cast<std::int64_t>(i);
                if (row < 0 || row >= static_cast<std::int64_t>(height)) {
                    std::memset(to, padding_, sizes_.rowBytes);
                } else {
                    copyRow(image + static_cast<std::size_t>(row) * inputRowBytes, to);
                }
            }
        }
    }

    void copyRow(const std::uint8_t* row, std::uint8_t* scratch) const noexcept {
        const SlidingWindow& width = sizes_.window.width;
        const std::size_t stride = width.stride;
        // Columns before, within, and after the image.
        const std::size_t before = std::min<std::size_t>(width.paddingBefore, sizes_.columns);
        const std::size_t inside = std::min<std::size_t>(width.inputSize, sizes_.columns - before);
        const std::uint8_t* const end = input() + sizes_.batches * sizes_.window.height.inputSize *
                                                      width.inputSize * sizes_.inputs;
        for (const std::size_t phase : columnPhases_) {
            RowWriter writer(scratch + phase * sizes_.phaseColumns * sizes_.outputs, end);
            // The first column of this phase at or after `column`, counted in the phase.
            const auto at = [&](std::size_t column) {
                return column <= phase ? 0 : ceilDivide(column - phase, stride);
            };
            const std::size_t first = at(before);
            const std::size_t last = at(before + inside);
            writer.pad(padding_, first * sizes_.outputs);
            if (first < last) {
                copyPixels(row + (first * stride + phase - before) * sizes_.inputs, last - first,
                           writer);
            }
            writer.pad(padding_, (sizes_.phaseColumns - last) * sizes_.outputs);
        }
    }

    /// `count` pixels, a stride apart.
    void copyPixels(const std::uint8_t* pixel, std::size_t count,
                    RowWriter& writer) const noexcept {
        const std::size_t stride = sizes_.window.width.stride;
        if (stride == 1 && sizes_.multiplier == 1) {
            return writer.copy(pixel, count * sizes_.inputs);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* const from = pixel + i * stride * sizes_.inputs;
            if (sizes_.multiplier == 1) {
                writer.copy(from, sizes_.inputs);
                continue;
            }
            writer.repeat(from, sizes_.inputs, sizes_.multiplier);
        }
    }

    /// Computes a row of output; the input rows under its window begin at `rows`.
    void convolveRow(const std::uint8_t* rows, std::uint8_t* output) const noexcept {
        const SlidingWindow& height = sizes_.window.height;
        const SlidingWindow& width = sizes_.window.width;
        std::array<const std::uint8_t*, kMaximumDepthwiseTaps + 1>
            taps;  // NOLINT(*-member-init): filled below
        std::size_t tap = 0;
        for (std::size_t t = 0; t < height.size; ++t) {
            const std::uint8_t* const row = rows + t * height.dilation * sizes_.rowBytes;
            for (std::size_t u = 0; u < width.size; ++u) {
                const std::size_t column = u * width.dilation;
                taps[tap++] =
                    row + (column % width.stride * sizes_.phaseColumns + column / width.stride) *
                              sizes_.outputs;
            }
        }
        taps[tap] = taps[0];  // of a last pair; its weights are 0
        const std::size_t pixels = layout_.pixels;
        const std::size_t steps = ceilDivide(width.outputSize, pixels);
        for (std::size_t block = 0; block < layout_.blocks; ++block) {
            const std::size_t first = block * layout_.lanes;
            for (std::size_t i = 0; block != 0 && i <= sizes_.taps; ++i) {
                taps[i] += layout_.lanes;
            }
            const std::size_t elements = pixels * std::min(layout_.lanes, sizes_.outputs - first);
            const DepthwiseRow row{
                .taps = taps.data(),
                .tapPairs = layout_.tapPairs,
                .stride = pixels * sizes_.outputs,
                .steps = steps,
                .elements = elements,
                .lastElements = layout_.blocks > 1
                                    ? elements
                                    : (width.outputSize - (steps - 1) * pixels) * sizes_.outputs,
                .weights = reinterpret_cast<const std::int16_t*>(filter_->weights()) +
                           block * layout_.blockWeights(),
                .bias = filter_->bias() + first,
                .scales = filter_->scales() + first,
                .output = output + first,
                .requantization = requantization_,
                .isSigned = filter_->form.activations == Activations::SIGNED};
            filter_->kernels->convolveDepthwise(row);
        }
    }

    const DepthwiseSizes sizes_;
    const std::shared_ptr<const PackedFilter> filter_;
    const DepthwiseLayout layout_;
    const Requantization requantization_;
    const std::uint8_t padding_;
    const std::vector<std::size_t> rowPhases_;
    const std::vector<std::size_t> columnPhases_;
    const std::size_t taskRows_;
};

}  // namespace

StepResult makeDepthwiseConv2d(const OperationView& operation, const StepContext& context) {
    NNBURST_TRY_ASSIGN(const std::optional<Convolution> convolution,
                       readConvolution(operation, SpatialForm::DEPTHWISE_CONVOLUTION));
    return convolution ? makeDepthwiseStep(operation, context, *convolution) : nullptr;
}

StepResult makeDepthwiseStep(const OperationView& operation, const StepContext& context,
                             const Convolution& convolution) {
    const DepthwiseSizes sizes(operation, convolution);
    if (!sizes.areSmall()) {
        return nullptr;
    }
    const DepthwiseLayout layout(*context.kernels, sizes.taps, sizes.outputs);
    NNBURST_TRY_ASSIGN(std::shared_ptr<const PackedFilter> filter,
                       shareFilter(context, layout.form(), hasFilter(operation), [&] {
                           return packDepthwiseFilter(operation, *context.kernels, sizes.taps,
                                                      sizes.outputs);
                       }));
    if (!filter) {
        return nullptr;
    }
    return std::make_unique<DepthwiseStep>(
        sizes, std::move(filter), requantizationOf(operation.outputs[0], convolution.range),
        static_cast<std::uint8_t>(operation.inputs[0].zeroPoint),
        sizes.work() < kMinimumParallelNs * kDepthwiseMultiplicationsPerNs ? nullptr
                                                                           : context.threads);
}

}  // namespace nnburst::exec::dot8
