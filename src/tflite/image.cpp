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

constexpr std::uint32_t kImageRank = 4;

/// The HAL's operations take images with all four dimensions; TFLite allows some to lack one.
Result<> requireImage(OperatorImport& op) {
    if (const Dimensions& shape = op.shape(0); !shape.empty() && shape.size() != kImageRank) {
        return invalid("input of shape {} is not supported: must have {} dimensions",
                       dimensionsText(shape), kImageRank);
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
        inputs.push_back(op.scalar(kIsNchw));
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

/// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND of [batches, length, depth]: an image of width 1.
Result<> convertSequenceBlocks(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t block, op.integer(1, "block size"));
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> margin, op.integers(2, "margins"));
    const Dimensions shape = op.shape(0);
    if (!isKnown(shape) || block < 1 || margin.size() != 2 || margin[0] < 0 || margin[1] < 0) {
        return invalid(
            "input of shape {}, block of {}, {} margins: the sizes must be known, the "
            "block at least 1, 2 margins at least 0",
            dimensionsText(shape), block, margin.size());
    }
    const bool toBatch = operation == OperationType::SPACE_TO_BATCH_ND;
    const auto factor = static_cast<std::uint32_t>(block);
    const std::uint32_t length = toBatch ? grown(shape[1], margin[0], margin[1]) / factor
                                         : checkedMultiply(shape[1], factor).value_or(0);
    const std::uint32_t batches =
        toBatch ? checkedMultiply(shape[0], factor).value_or(0) : shape[0] / factor;
    const Dimensions result{batches, toBatch ? length : shrunk(length, margin[0], margin[1]),
                            shape[2]};
    op.inferOutputShape(result);
    const std::uint32_t image = op.temporaryLike(op.input(0), {shape[0], shape[1], 1, shape[2]});
    const std::uint32_t blocks = op.temporaryLike(op.output(), {batches, length, 1, shape[2]});
    op.add(OperationType::EXPAND_DIMS, {op.input(0), op.scalar(std::int32_t{2})}, {image});
    const std::int32_t sizes[] = {block, 1};
    NNBURST_TRY_ASSIGN(const std::uint32_t blockSize, op.constant(sizes));
    std::vector<std::uint32_t> inputs{image, blockSize};
    if (toBatch) {
        const std::int32_t paddings[] = {margin[0], margin[1], 0, 0};
        NNBURST_TRY_ASSIGN(
            const std::uint32_t padding,
            op.constant(OperandType::TENSOR_INT32, {2, 2}, std::as_bytes(std::span(paddings))));
        inputs.push_back(padding);
    }
    op.add(operation, std::move(inputs), {blocks});
    const std::int32_t widthAxis[] = {2};
    NNBURST_TRY_ASSIGN(const std::uint32_t width, op.constant(widthAxis));
    const bool isCropped = !toBatch && (margin[0] != 0 || margin[1] != 0);
    const std::uint32_t whole =
        isCropped ? op.temporaryLike(op.output(), {batches, length, shape[2]}) : op.output();
    op.add(OperationType::SQUEEZE, {blocks, width}, {whole});
    if (isCropped) {
        const std::int32_t begins[] = {0, margin[0], 0};
        std::vector<std::int32_t> counts(result.begin(), result.end());
        NNBURST_TRY_ASSIGN(const std::uint32_t begin, op.constant(begins));
        NNBURST_TRY_ASSIGN(const std::uint32_t count, op.constant(counts));
        op.add(OperationType::SLICE, {whole, begin, count}, {op.output()});
    }
    return {};
}

Result<> convertSpaceToBatch(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kPaddingsInput = 2;
    if (op.shape(0).size() == 3) {
        return convertSequenceBlocks(op, operation);
    }
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
    if (op.shape(0).size() == 3) {
        return convertSequenceBlocks(op, operation);
    }
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
    for (int axis = 0; axis < static_cast<int>(kImageRank); ++axis) {
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
