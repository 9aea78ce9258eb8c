// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// ROI_ALIGN and ROI_POOLING.
//
//     features       [batches, height, width, depth], or NCHW
//     regions        [regions, 4]: left, top, right, bottom in the image of the features;
//                    in units of 1/8 (TENSOR_QUANT16_ASYMM) with 8-bit features
//     batches        INT32 [regions]: the image that each is in
//     outputHeight, outputWidth   INT32
//     heightRatio, widthRatio     FLOAT32 (FLOAT16 with float16): sizes of the image over those of
//                                 the features
//     samplesY, samplesX          INT32, ROI_ALIGN only: points to sample in each bin; 0 chooses
//                                 as many as the bin is large
//     layout         BOOL: NCHW
//     output         [regions, outputHeight, outputWidth, depth], in the layout of the features
//
//     ROI_ALIGN    the mean of points in each bin, interpolated between features; points beyond the
//                  last row or column have its features
//     ROI_POOLING  the largest feature in each bin

#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/image.h"
#include "exec/reference/real_elements.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {
namespace regions_of_interest {

using enum OperandType;

constexpr std::size_t kRegions = 1;
constexpr std::size_t kBatches = 2;
constexpr std::size_t kOutputHeight = 3;
constexpr std::size_t kOutputWidth = 4;
constexpr std::size_t kHeightRatio = 5;
constexpr std::size_t kWidthRatio = 6;
constexpr std::size_t kSamplesY = 7;
constexpr std::size_t kSamplesX = 8;

bool isAlign(const OperationView& operation) noexcept {
    return operation.type == OperationType::ROI_ALIGN;
}

struct Parameters {
    std::uint32_t outputHeight = 0;
    std::uint32_t outputWidth = 0;
    float heightRatio = 1.0F;
    float widthRatio = 1.0F;
    std::int32_t samplesY = 0;
    std::int32_t samplesX = 0;
    bool isNchw = false;
};

Result<float> readRatio(const OperationView& operation, std::size_t index, const char* name) {
    const OperandType type = operation.inputs[0].type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32;
    NNBURST_TRY_ASSIGN(const float ratio, readConstantFloat(operation, index, name, type));
    if (!(ratio > 0.0F) || !std::isfinite(ratio) || !std::isfinite(1.0F / ratio)) {
        return invalid(
            "{} input {} ({}): {}; must be more than 0 and finite, and have a finite reciprocal",
            toString(operation.type), index, name, ratio);
    }
    return ratio;
}

Result<Parameters> readParameters(const OperationView& operation) {
    Parameters parameters;
    ScalarReads reads;
    NNBURST_TRY(reads.take(readConstantInt32(operation, kOutputHeight, "output height", 1),
                           parameters.outputHeight));
    NNBURST_TRY(reads.take(readConstantInt32(operation, kOutputWidth, "output width", 1),
                           parameters.outputWidth));
    NNBURST_TRY(
        reads.take(readRatio(operation, kHeightRatio, "height ratio"), parameters.heightRatio));
    NNBURST_TRY(
        reads.take(readRatio(operation, kWidthRatio, "width ratio"), parameters.widthRatio));
    if (isAlign(operation)) {
        NNBURST_TRY(reads.take(readConstantInt32(operation, kSamplesY, "samples y", 0),
                               parameters.samplesY));
        NNBURST_TRY(reads.take(readConstantInt32(operation, kSamplesX, "samples x", 0),
                               parameters.samplesX));
    }
    NNBURST_TRY(reads.take(readLayout(operation, operation.inputs.size() - 1), parameters.isNchw));
    NNBURST_TRY(reads.result());
    return parameters;
}

void checkShapes(OperationCheck& check) {
    OperandCheck features = check.input(0, "features").rank(4);
    for (std::size_t axis = 1; axis < 4; ++axis) {
        features.notEmpty(axis);
    }
    const OperandCheck regions = check.input(kRegions, "regions").rank(2);
    check.input(kRegions, "regions").size(1, 4, "left, top, right, bottom");
    check.input(kBatches, "batches").rank(1).size(0, regions[0], "the number of regions");
}

Result<Shape> computeOutputShape(const OperationView& operation, const Parameters& parameters) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    const SpatialArguments layout{.isNchw = parameters.isNchw};
    std::array<std::uint64_t, 4> sizes{};
    sizes[0] = operation.inputs[kRegions].shape[0];
    sizes[layout.heightAxis()] = parameters.outputHeight;
    sizes[layout.widthAxis()] = parameters.outputWidth;
    sizes[layout.channelAxis()] = operation.inputs[0].shape[layout.channelAxis()];
    return makeOutputShape(operation, 0, sizes);
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(isAlign(operation) ? 10 : 8).outputCount(1);
    const OperandCheck features = check.input(0, "features")
                                      .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                             TENSOR_QUANT8_ASYMM_SIGNED});
    OperandCheck regions = check.input(kRegions, "regions");
    if (isQuantized8Tensor(features.view().type)) {
        regions.type({TENSOR_QUANT16_ASYMM}).quantization(0.125F, 0);
    } else {
        regions.sameTypeAs(features);
    }
    check.input(kBatches, "batches").type({TENSOR_INT32});
    OperandCheck output = check.output(0, "output").sameTypeAs(features);
    if (!isAlign(operation)) {
        output.sameQuantizationAs(features);
    }
    checkShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(computeOutputShape(operation, parameters));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    NNBURST_TRY_ASSIGN(outputs[0], computeOutputShape(operation, parameters));
    return {};
}

/// A region, read once from memory that another process may write to.
struct Region {
    float left;
    float top;
    float right;
    float bottom;
    std::uint32_t batch;
};

template <class Coordinate>
Result<Region> readRegion(const OperationView& operation, const Image& features,
                          const Parameters& parameters, std::size_t index) {
    const RealReader<Coordinate> coordinates(operation.inputs[kRegions]);
    const std::int32_t batch = operation.inputs[kBatches].as<const volatile std::int32_t>()[index];
    const Region region{.left = coordinates[4 * index],
                        .top = coordinates[4 * index + 1],
                        .right = coordinates[4 * index + 2],
                        .bottom = coordinates[4 * index + 3],
                        .batch = static_cast<std::uint32_t>(batch)};
    const float width = static_cast<float>(features.width) * parameters.widthRatio;
    const float height = static_cast<float>(features.height) * parameters.heightRatio;
    // The ratios are rounded, so the image may be larger than these products by this factor.
    const bool isHalf = operation.inputs[0].type == TENSOR_FLOAT16;
    const float rounding = 1.0F + (isHalf ? 0x1p-10F : 0x1p-22F);
    if (batch < 0 || region.batch >= features.batches) {
        return invalid("{} input 2 (batches): {} of region {}; must be 0 to {}",
                       toString(operation.type), batch, index,
                       static_cast<std::int64_t>(features.batches) - 1);
    }
    // Written so that NaN fails. The image may be so large that its sizes are infinite here.
    if (!(std::isfinite(region.right) && std::isfinite(region.bottom) && region.left >= 0.0F &&
          region.left <= region.right && region.right <= width * rounding && region.top >= 0.0F &&
          region.top <= region.bottom && region.bottom <= height * rounding)) {
        return invalid(
            "{} input 1 (regions): {}, {}, {}, {} of region {}; must be left, top, right, bottom "
            "inside an image of width {} and height {}",
            toString(operation.type), region.left, region.top, region.right, region.bottom, index,
            width, height);
    }
    return region;
}

/// A position in the image as one in the features. Multiplies by the reciprocal of the ratio, which
/// is rounded, as AOSP does: the quotient may round to another feature.
float inFeatures(float position, float ratio) noexcept {
    return position * (1.0F / ratio);
}

/// One point along one axis: the two features beside it, the weight of the second one, and how many
/// samples of its bin lie there.
struct Point {
    std::size_t first;
    std::size_t second;
    float weight;
    std::size_t samples;
};

/// Where bins and their points lie along one axis of a region. The axis has `size` features.
class Bins {
  public:
    Bins(float start, float end, std::uint32_t count, std::int32_t samples,
         std::size_t size) noexcept
        : start_(start),
          step_(std::max(end - start, 1.0F) / static_cast<float>(count)),
          size_(size) {
        samples_ = samples > 0 ? static_cast<std::size_t>(samples)
                               : static_cast<std::size_t>(std::ceil(step_));
        sampleStep_ = step_ / static_cast<float>(samples_);
    }

    /// Of each bin.
    [[nodiscard]] std::size_t samples() const noexcept { return samples_; }

    /// The point of a sample. Samples at the last feature or beyond it have its value: the point of
    /// the first of them stands for all later ones, too.
    [[nodiscard]] Point point(std::size_t bin, std::size_t sample) const noexcept {
        const float position = start_ + step_ * static_cast<float>(bin) +
                               sampleStep_ * (static_cast<float>(sample) + 0.5F);
        const auto first = static_cast<std::size_t>(position);
        if (first + 1 >= size_) {
            return {size_ - 1, size_ - 1, 0.0F, samples_ - sample};
        }
        return {first, first + 1, position - static_cast<float>(first), 1};
    }

  private:
    float start_;
    float step_;
    std::size_t size_;
    std::size_t samples_;
    float sampleStep_;
};

template <class T, class Coordinate>
Result<> align(const OperationView& operation, const Parameters& parameters) {
    constexpr std::size_t kBlock = 64;  // channels whose sums are accumulated together
    const SpatialArguments layout{.isNchw = parameters.isNchw};
    const Image input(operation.inputs[0].shape, layout);
    const Image output(operation.outputs[0].shape, layout);
    const RealReader<T> features(operation.inputs[0]);
    const RealWriter<T> results(operation.outputs[0]);
    std::array<float, kBlock> sums;
    for (std::size_t r = 0; r < output.batches; ++r) {
        NNBURST_TRY_ASSIGN(const Region region,
                           readRegion<Coordinate>(operation, input, parameters, r));
        const Bins rows(inFeatures(region.top, parameters.heightRatio),
                        inFeatures(region.bottom, parameters.heightRatio), parameters.outputHeight,
                        parameters.samplesY, input.height);
        const Bins columns(inFeatures(region.left, parameters.widthRatio),
                           inFeatures(region.right, parameters.widthRatio), parameters.outputWidth,
                           parameters.samplesX, input.width);
        const auto alignBin = [&](std::size_t y, std::size_t x, std::size_t firstChannel) {
            const std::size_t channels = std::min(kBlock, input.channels - firstChannel);
            sums.fill(0.0F);
            for (std::size_t i = 0; i < rows.samples();) {
                const Point row = rows.point(y, i);
                i += row.samples;
                for (std::size_t j = 0; j < columns.samples();) {
                    const Point column = columns.point(x, j);
                    j += column.samples;
                    if (operation.isOutOfTime(channels)) {
                        return;
                    }
                    const auto samples = static_cast<float>(row.samples * column.samples);
                    const auto at = [&](std::size_t atRow, std::size_t atColumn) {
                        return input.offset(region.batch, atRow, atColumn, firstChannel);
                    };
                    const std::size_t topLeft = at(row.first, column.first);
                    const std::size_t topRight = at(row.first, column.second);
                    const std::size_t bottomLeft = at(row.second, column.first);
                    const std::size_t bottomRight = at(row.second, column.second);
                    for (std::size_t c = 0; c < channels; ++c) {
                        const std::size_t channel = c * input.channelStride;
                        const float top = features[topLeft + channel] * (1.0F - column.weight) +
                                          features[topRight + channel] * column.weight;
                        const float bottom =
                            features[bottomLeft + channel] * (1.0F - column.weight) +
                            features[bottomRight + channel] * column.weight;
                        sums[c] += samples * (top * (1.0F - row.weight) + bottom * row.weight);
                    }
                }
            }
            const auto points = static_cast<float>(rows.samples() * columns.samples());
            for (std::size_t c = 0; c < channels; ++c) {
                results.set(output.offset(r, y, x, firstChannel + c), sums[c] / points);
            }
        };
        for (std::size_t y = 0; y < output.height; ++y) {
            for (std::size_t x = 0; x < output.width; ++x) {
                for (std::size_t c = 0; c < input.channels; c += kBlock) {
                    alignBin(y, x, c);
                    if (operation.isOutOfTime(kBlock)) {
                        return {};
                    }
                }
            }
        }
    }
    return {};
}

/// The features of one bin along one axis: from `first` to `last - 1`.
struct Range {
    std::size_t first;
    std::size_t last;
};

/// `start` and `end` are positions in the image.
Range makeRange(float start, float end, float ratio, std::size_t bin, std::size_t bins,
                std::size_t size) noexcept {
    const float first = std::round(inFeatures(start, ratio));
    const float last = std::round(inFeatures(end, ratio));
    const float step = std::max(last - first + 1.0F, 1.0F) / static_cast<float>(bins);
    const auto limited = [&](float position) {
        return static_cast<std::size_t>(std::clamp(position, 0.0F, static_cast<float>(size)));
    };
    return {limited(std::floor(step * static_cast<float>(bin) + first)),
            limited(std::ceil(step * static_cast<float>(bin + 1) + first))};
}

template <class T, class Coordinate>
Result<> pool(const OperationView& operation, const Parameters& parameters) {
    const SpatialArguments layout{.isNchw = parameters.isNchw};
    const Image input(operation.inputs[0].shape, layout);
    const Image output(operation.outputs[0].shape, layout);
    const RealReader<T> features(operation.inputs[0]);
    const RealWriter<T> results(operation.outputs[0]);
    PartCounter parts(operation);
    for (std::size_t r = 0; r < output.batches; ++r) {
        NNBURST_TRY_ASSIGN(const Region region,
                           readRegion<Coordinate>(operation, input, parameters, r));
        for (std::size_t y = 0; y < output.height; ++y) {
            const Range rows = makeRange(region.top, region.bottom, parameters.heightRatio, y,
                                         output.height, input.height);
            for (std::size_t x = 0; x < output.width; ++x) {
                const Range columns = makeRange(region.left, region.right, parameters.widthRatio, x,
                                                output.width, input.width);
                const bool isEmpty = rows.first >= rows.last || columns.first >= columns.last;
                for (std::size_t c = 0; c < input.channels; ++c) {
                    float largest = isEmpty ? 0.0F : -std::numeric_limits<float>::infinity();
                    for (std::size_t i = rows.first; i < rows.last && !isEmpty; ++i) {
                        for (std::size_t j = columns.first; j < columns.last; ++j) {
                            largest =
                                std::max(largest, features[input.offset(region.batch, i, j, c)]);
                            if (parts.isOutOfTime(0)) {
                                return {};
                            }
                        }
                    }
                    results.set(output.offset(r, y, x, c), largest);
                    if (parts.isOutOfTime(0)) {
                        return {};
                    }
                }
            }
        }
    }
    return {};
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation, parameters));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    Result<> result;
    const auto runOn = [&]<class T, class Coordinate>() {
        result = isAlign(operation) ? align<T, Coordinate>(operation, parameters)
                                    : pool<T, Coordinate>(operation, parameters);
    };
    dispatchFloat(operation.inputs[0].type, [&]<class T>() { runOn.template operator()<T, T>(); });
    dispatchQuantized8(operation.inputs[0].type,
                       [&]<class T>() { runOn.template operator()<T, std::uint16_t>(); });
    return result;
}

constexpr OperationDefinition kFamily{.type = OperationType::ROI_ALIGN,
                                      .since = HalVersion::V1_2,
                                      .check = check,
                                      .inferShapes = inferShapes,
                                      .run = run};

}  // namespace regions_of_interest
}  // namespace

constinit const OperationDefinition kRoiAlign = regions_of_interest::kFamily;
constinit const OperationDefinition kRoiPooling =
    regions_of_interest::kFamily.with(OperationType::ROI_POOLING, HalVersion::V1_2);

}  // namespace nnburst::exec
