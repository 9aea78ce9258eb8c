// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that resize images [batches, height, width, channels] or move their
/// pixels.

#include "memory/checked_math.h"
#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

constexpr bool kNchw = false;
constexpr std::uint32_t kRank = 4;

/// The HAL's operations take images with all four dimensions; TFLite allows some to lack one.
Result<> requireImage(OperatorImport& op) {
    if (const Dimensions& shape = op.shape(0); !shape.empty() && shape.size() != kRank) {
        return invalid("input of shape {} is not supported: must have {} dimensions",
                       dimensionsText(shape), kRank);
    }
    return {};
}

struct Resampling {
    bool alignCorners;
    bool halfPixelCenters;
};

Result<Resampling> resamplingOf(const OperatorImport& op, OperationType operation) {
    const auto read = [](const auto& options) -> Result<Resampling> {
        NNBURST_TRY(options);
        return Resampling{.alignCorners = (*options)->align_corners(),
                          .halfPixelCenters = (*options)->half_pixel_centers()};
    };
    return operation == OperationType::RESIZE_BILINEAR
               ? read(op.options<schema::ResizeBilinearOptions>())
               : read(op.options<schema::ResizeNearestNeighborOptions>());
}

/// The block sizes of height and width, if they are known.
Result<std::optional<std::vector<std::int32_t>>> blockSizes(OperatorImport& op) {
    const auto sizes = op.knownIntegers(1);
    if (sizes && (sizes->size() != 2 || (*sizes)[0] < 1 || (*sizes)[1] < 1)) {
        return invalid("block sizes: must be 2, of at least 1");
    }
    return sizes;
}

/// Amounts to pad or crop: above, below, left, right.
Result<std::vector<std::int32_t>> margins(const OperatorImport& op, const char* what) {
    constexpr std::size_t kMargins = 2;
    NNBURST_TRY_ASSIGN(std::vector<std::int32_t> values, op.integers(kMargins, what));
    if (values.size() != 4) {
        return invalid("{} {}: must be 4", values.size(), what);
    }
    for (const std::int32_t value : values) {
        if (value < 0) {
            return invalid("{} {}: must be at least 0", what, value);
        }
    }
    return values;
}

/// (size + added) if that is known and fits.
std::uint32_t grown(std::uint32_t size, std::int32_t before, std::int32_t after) {
    const std::uint64_t sum = std::uint64_t{size} + static_cast<std::uint32_t>(before) +
                              static_cast<std::uint32_t>(after);
    return size == 0 || sum > UINT32_MAX ? 0 : static_cast<std::uint32_t>(sum);
}

/// (size - cropped) if that is known and at least 1.
std::uint32_t shrunk(std::uint32_t size, std::int32_t before, std::int32_t after) {
    const std::int64_t difference = std::int64_t{size} - before - after;
    return difference < 1 ? 0 : static_cast<std::uint32_t>(difference);
}

}  // namespace

Result<> convertResize(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const Resampling resampling, resamplingOf(op, operation));
    NNBURST_TRY(requireImage(op));
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> size, op.integers(1, "size"));
    if (size.size() != 2 || size[0] < 1 || size[1] < 1) {
        return invalid("input 1 (size): must be height and width of at least 1");
    }
    const Dimensions image = op.shape(0);
    op.inferOutputShape({sizeAt(image, 0), static_cast<std::uint32_t>(size[0]),
                         static_cast<std::uint32_t>(size[1]), sizeAt(image, 3)});
    std::vector<std::uint32_t> inputs{op.input(0), op.scalar(size[1]), op.scalar(size[0])};
    const bool isSpecial = resampling.alignCorners || resampling.halfPixelCenters;
    if (operation != OperationType::RESIZE_BILINEAR || isSpecial) {
        inputs.push_back(op.scalar(kNchw));
    }
    if (isSpecial) {
        inputs.push_back(op.scalar(resampling.alignCorners));
        inputs.push_back(op.scalar(resampling.halfPixelCenters));
    }
    op.add(operation, std::move(inputs), {op.output()});
    return {};
}

Result<> convertDepthToSpace(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::DepthToSpaceOptions>());
    NNBURST_TRY(requireImage(op));
    if (options->block_size() < 1) {
        return invalid("block size {}: must be at least 1", options->block_size());
    }
    const auto block = static_cast<std::uint32_t>(options->block_size());
    const Dimensions image = op.shape(0);
    const std::uint64_t area = std::uint64_t{block} * block;
    op.inferOutputShape({sizeAt(image, 0), checkedMultiply(sizeAt(image, 1), block).value_or(0),
                         checkedMultiply(sizeAt(image, 2), block).value_or(0),
                         static_cast<std::uint32_t>(sizeAt(image, 3) / area)});
    op.add(operation, {op.input(0), op.scalar(options->block_size())}, {op.output()});
    return {};
}

Result<> convertSpaceToDepth(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::SpaceToDepthOptions>());
    NNBURST_TRY(requireImage(op));
    if (options->block_size() < 1) {
        return invalid("block size {}: must be at least 1", options->block_size());
    }
    const auto block = static_cast<std::uint32_t>(options->block_size());
    const Dimensions image = op.shape(0);
    const std::uint32_t depth = checkedMultiply(sizeAt(image, 3), block).value_or(0);
    op.inferOutputShape({sizeAt(image, 0), sizeAt(image, 1) / block, sizeAt(image, 2) / block,
                         checkedMultiply(depth, block).value_or(0)});
    op.add(operation, {op.input(0), op.scalar(options->block_size())}, {op.output()});
    return {};
}

Result<> convertSpaceToBatch(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kPaddingsInput = 2;
    NNBURST_TRY(requireImage(op));
    NNBURST_TRY_ASSIGN(const auto block, blockSizes(op));
    if (block && op.knownIntegers(kPaddingsInput)) {
        NNBURST_TRY_ASSIGN(const auto paddings, margins(op, "paddings"));
        const Dimensions image = op.shape(0);
        const auto height = static_cast<std::uint32_t>((*block)[0]);
        const auto width = static_cast<std::uint32_t>((*block)[1]);
        const std::uint32_t batches = checkedMultiply(sizeAt(image, 0), height).value_or(0);
        op.inferOutputShape({checkedMultiply(batches, width).value_or(0),
                             grown(sizeAt(image, 1), paddings[0], paddings[1]) / height,
                             grown(sizeAt(image, 2), paddings[2], paddings[3]) / width,
                             sizeAt(image, 3)});
    }
    op.add(operation, {op.input(0), op.input(1), op.input(kPaddingsInput)}, {op.output()});
    return {};
}

/// The HAL's operation does not crop: a slice after it does.
Result<> convertBatchToSpace(OperatorImport& op, OperationType operation) {
    NNBURST_TRY(requireImage(op));
    NNBURST_TRY_ASSIGN(const auto block, blockSizes(op));
    NNBURST_TRY_ASSIGN(const auto crops, margins(op, "crops"));
    const Dimensions image = op.shape(0);
    Dimensions whole;
    if (block) {
        const auto height = static_cast<std::uint32_t>((*block)[0]);
        const auto width = static_cast<std::uint32_t>((*block)[1]);
        const std::uint64_t pixels = std::uint64_t{height} * width;
        whole = {static_cast<std::uint32_t>(sizeAt(image, 0) / pixels),
                 checkedMultiply(sizeAt(image, 1), height).value_or(0),
                 checkedMultiply(sizeAt(image, 2), width).value_or(0), sizeAt(image, 3)};
        op.inferOutputShape({whole[0], shrunk(whole[1], crops[0], crops[1]),
                             shrunk(whole[2], crops[2], crops[3]), whole[3]});
    }
    if (crops == std::vector<std::int32_t>(4, 0)) {
        op.add(operation, {op.input(0), op.input(1)}, {op.output()});
        return {};
    }
    const std::uint32_t uncropped = op.temporaryLike(op.output(), whole);
    op.add(operation, {op.input(0), op.input(1)}, {uncropped});
    const std::int32_t begins[] = {0, crops[0], crops[2], 0};
    const std::int32_t ends[] = {0, -crops[1], -crops[3], 0};
    const std::int32_t strides[] = {1, 1, 1, 1};
    std::int32_t endMask = 0;  // bit i: up to the end of axis i
    for (int axis = 0; axis < static_cast<int>(kRank); ++axis) {
        endMask |= ends[axis] == 0 ? 1 << axis : 0;
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t begin, op.constant(begins));
    NNBURST_TRY_ASSIGN(const std::uint32_t end, op.constant(ends));
    NNBURST_TRY_ASSIGN(const std::uint32_t stride, op.constant(strides));
    op.add(OperationType::STRIDED_SLICE,
           {uncropped, begin, end, stride, op.scalar(std::int32_t{0}), op.scalar(endMask),
            op.scalar(std::int32_t{0})},
           {op.output()});
    return {};
}

}  // namespace nnburst::tflite
