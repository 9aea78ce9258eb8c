// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// AVERAGE_POOL_2D, NHWC, and MEAN over axes that follow each other.
//
//     input  [batches, height, width, channels]
//     output [batches, outputHeight, outputWidth, channels]
//
// For MEAN: height 1, and one window over the whole width, which is all reduced axes.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "exec/dot8/families.h"
#include "exec/dot8/rounding.h"
#include "exec/dot8/shared_work.h"
#include "exec/dot8/task_step.h"
#include "exec/operation/activation.h"
#include "exec/operation/parallel_work.h"
#include "exec/operation/reduced_axes.h"
#include "exec/operation/spatial.h"

namespace nnburst::exec::dot8 {

namespace {

constexpr double kElementsPerNs = 20;
/// Channels of a window between two checks of the time limit: some million elements with the most
/// taps.
constexpr std::size_t kChannelsAtOnce = 2048;
/// Elements of small windows that are worked on without asking whether the run is out of time.
constexpr std::size_t kElementsPerQuestion = 1 << 16;

/// The windows over images whose means are taken.
struct Means {
    SpatialWindow window;
    std::size_t batches = 0;
    std::size_t channels = 0;
    QuantizedRange range{};
    bool isSigned = false;

    [[nodiscard]] std::size_t rowWork() const noexcept {
        return std::size_t{window.width.outputSize} * window.height.size * window.width.size *
               channels;
    }
    [[nodiscard]] std::size_t rows() const noexcept { return batches * window.height.outputSize; }
};

/// The inputs under a window that lie in the image: `first` and the next ones.
struct InnerRange {
    std::size_t first;
    std::size_t count;

    InnerRange(const SlidingWindow& axis, std::uint32_t output) noexcept {
        const std::int64_t begin = axis.begin(output);
        const std::int64_t from = std::max<std::int64_t>(begin, 0);
        const std::int64_t to = std::min<std::int64_t>(begin + axis.size, axis.inputSize);
        first = static_cast<std::size_t>(from);
        count = static_cast<std::size_t>(to - from);
    }
};

class MeanStep final : public TaskStep {
  public:
    MeanStep(const Means& means, const Microkernels& kernels, pthreadpool_t threads)
        : TaskStep(kMeanOperands, threads), means_(means), kernels_(kernels) {}

    Result<> run(TimeLimit& limit) override {
        runTasks(
            threads(), means_.rows(),
            [](const void* step, std::size_t index, std::size_t /*thread*/, Pace& pace) {
                static_cast<const MeanStep*>(step)->runRow(index, pace);
            },
            this, limit);
        return {};
    }

  private:
    /// Row `index` of the outputs of all images.
    void runRow(std::size_t index, Pace& pace) const noexcept {
        const SlidingWindow& height = means_.window.height;
        const SlidingWindow& width = means_.window.width;
        const std::size_t batch = index / height.outputSize;
        const InnerRange rows(height, static_cast<std::uint32_t>(index % height.outputSize));
        const std::size_t rowStride = width.inputSize * means_.channels;
        const std::uint8_t* const first =
            input() + (batch * height.inputSize + rows.first) * rowStride;
        std::size_t elements = 0;  // since the last question
        for (std::uint32_t x = 0; x < width.outputSize; ++x) {
            const InnerRange columns(width, x);
            const std::size_t taps = rows.count * columns.count;
            PixelMean mean{
                .pixels = first + columns.first * means_.channels,
                .rowStride = rowStride,
                .pixelStride = means_.channels,
                .rows = rows.count,
                .columns = columns.count,
                .channels = 0,
                .multiplier = static_cast<std::uint32_t>(ceilDivide(std::size_t{1} << 31, taps)),
                .minimum = means_.range.minimum,
                .maximum = means_.range.maximum,
                .output = output() + (index * width.outputSize + x) * means_.channels,
                .isSigned = means_.isSigned};
            for (std::size_t left = means_.channels; left != 0; left -= mean.channels) {
                mean.channels = std::min(left, kChannelsAtOnce);
                kernels_.meanOfPixels(mean);
                elements += taps * mean.channels;
                if (elements >= kElementsPerQuestion &&
                    pace.isOverAfter(std::exchange(elements, 0))) {
                    return;
                }
                mean.pixels += mean.channels;
                mean.output += mean.channels;
            }
        }
        (void)pace.isOverAfter(elements);
    }

    const Means means_;
    const Microkernels& kernels_;
};

bool isQuantized(const OperandView& operand) noexcept {
    return operand.type == OperandType::TENSOR_QUANT8_ASYMM ||
           operand.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
}

StepResult makeMeanStep(Means means, const OperationView& operation, const StepContext& context) {
    const std::uint64_t taps = std::uint64_t{means.window.height.size} * means.window.width.size;
    if (taps > PixelMean::kMaximumTaps) {
        return nullptr;
    }
    means.isSigned = operation.inputs[0].type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    const double ns =
        static_cast<double>(means.rowWork()) * static_cast<double>(means.rows()) / kElementsPerNs;
    return std::make_unique<MeanStep>(means, *context.kernels,
                                      ns < kMinimumParallelNs ? nullptr : context.threads);
}

}  // namespace

StepResult makeAveragePool2d(const OperationView& operation, const StepContext& context) {
    const OperandView& input = operation.inputs[0];
    if (!isQuantized(input)) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(const SpatialArguments arguments,
                       readSpatialArguments(operation, SpatialForm::POOLING));
    if (arguments.isNchw) {
        return nullptr;
    }
    Means means{.batches = input.shape[0],
                .channels = input.shape[3],
                .range = activationRange(arguments.activation, operation.outputs[0])};
    NNBURST_TRY_ASSIGN(means.window, slideWindow(operation, arguments));
    return makeMeanStep(means, operation, context);
}

StepResult makeMean(const OperationView& operation, const StepContext& context) {
    const OperandView& input = operation.inputs[0];
    if (!isQuantized(input)) {
        return nullptr;
    }
    NNBURST_TRY_ASSIGN(const std::optional<ReducedAxes> axes, readReducedAxes(operation));
    if (!axes || axes->reduced > PixelMean::kMaximumTaps) {
        return nullptr;
    }
    const auto width = static_cast<std::uint32_t>(axes->reduced);
    const Means means{.window = {.height = {.inputSize = 1, .size = 1, .outputSize = 1},
                                 .width = {.inputSize = width, .size = width, .outputSize = 1}},
                      .batches = axes->outer,
                      .channels = axes->inner,
                      .range = quantizedLimits(input.type)};
    return makeMeanStep(means, operation, context);
}

}  // namespace nnburst::exec::dot8
