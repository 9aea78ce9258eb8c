// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// DEPTH_TO_SPACE, SPACE_TO_DEPTH, BATCH_TO_SPACE_ND and SPACE_TO_BATCH_ND: blocks of pixels that
// become channels or batches of one pixel, or the other way round. With blocks of p rows and q
// columns, of which a pixel is (i, j):
//
//     compact image                                 wide image
//     [b, y, x, (i * q + j) * channels + c]         [b, y * p + i, x * q + j, c]      p = q
//     [(i * q + j) * batches + b, y, x, c]          [b, y * p + i, x * q + j, c]
//
// Images are NHWC or NCHW. SPACE_TO_BATCH_ND pads the wide image first.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/operations.h"
#include "exec/reference/strided_copy.h"
#include "memory/checked_math.h"
#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {
namespace space_blocks {

using enum OperandType;

constexpr std::size_t kBlock = 1;
constexpr std::size_t kLayout = 2;

struct ImageAxes {
    explicit ImageAxes(bool isNchw) noexcept
        : height(isNchw ? 2 : 1), width(isNchw ? 3 : 2), channels(isNchw ? 1 : 3) {}

    std::size_t height;
    std::size_t width;
    std::size_t channels;
};

/// The arguments of all four operations, and what they make of the input.
struct Blocks {
    bool isNchw = false;
    std::uint32_t height = 1;
    std::uint32_t width = 1;
    std::uint32_t paddingTop = 0;
    std::uint32_t paddingLeft = 0;
    Shape outputShape;
};

/// Sizes of an output, before it is checked that a shape can have them.
using Sizes = std::array<std::uint64_t, 4>;

Sizes sizesOf(const Shape& shape) noexcept {
    return {shape[0], shape[1], shape[2], shape[3]};
}

/// size * factor; a size that no shape can have if that overflows.
std::uint64_t multiply(std::uint64_t size, std::uint64_t factor) noexcept {
    return checkedMultiply(size, factor).value_or(UINT64_MAX);
}

/// size / divisor; an error if there is a remainder.
void divide(OperandCheck& input, std::uint64_t& size, std::uint64_t divisor, std::size_t axis) {
    input.require(size % divisor == 0, [&] {
        return fmt::format("size {} of axis {}; must be a multiple of {}, given by the block", size,
                           axis, divisor);
    });
    size /= divisor;
}

Result<std::uint32_t> readBlockSize(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t size,
                       readConstantInt32(operation, kBlock, "block size", 1));
    return static_cast<std::uint32_t>(size);
}

/// DEPTH_TO_SPACE and SPACE_TO_DEPTH.
Result<Blocks> resolveDepth(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    OperandCheck input = check.input(0, "input").rank(4);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const std::uint32_t block, readBlockSize(operation));
    NNBURST_TRY_ASSIGN(const bool isNchw, readOptionalLayout(operation, kLayout));
    Blocks blocks{.isNchw = isNchw, .height = block, .width = block, .outputShape = {}};
    const ImageAxes axes(isNchw);
    Sizes sizes = sizesOf(input.view().shape);
    const std::uint64_t pixels = std::uint64_t{block} * block;
    if (operation.type == OperationType::DEPTH_TO_SPACE) {
        divide(input, sizes[axes.channels], pixels, axes.channels);
        sizes[axes.height] *= block;
        sizes[axes.width] *= block;
    } else {
        divide(input, sizes[axes.height], block, axes.height);
        divide(input, sizes[axes.width], block, axes.width);
        sizes[axes.channels] = multiply(sizes[axes.channels], pixels);
    }
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(blocks.outputShape, makeOutputShape(operation, 0, sizes));
    return blocks;
}

constexpr std::initializer_list<OperandType> kTypes{
    TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED};

Result<HalVersion> checkDepth(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(kLayout, kLayout + 1).outputCount(1);
    const OperandCheck input = check.input(0, "input").type(kTypes).rank(4);
    check.optionalInput(kLayout, "layout").type({BOOL});
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(4);
    NNBURST_TRY(check.result());
    check.since(HalVersion::V1_2, operation.inputs.size() > kLayout);
    NNBURST_TRY(readBlockSize(operation));
    NNBURST_TRY(readOptionalLayout(operation, kLayout));
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveDepth(operation));
    }
    return check.minimumVersion();
}

void checkBlockShape(OperationCheck& check) {
    check.input(0, "input").rank(4);
    check.input(kBlock, "block sizes").rank(1).size(0, 2, "height and width");
}

/// Reads the block sizes and the layout, which is input `layout`.
Result<Blocks> readBlockSizes(const OperationView& operation, std::size_t layout) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkBlockShape(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const auto sizes, readValues(operation, kBlock, "block sizes"));
    const std::int32_t height = sizes[0];
    const std::int32_t width = sizes[1];
    if (height < 1 || width < 1) {
        return invalid("{} input 1 (block sizes): {} and {}; must be at least 1",
                       toString(operation.type), height, width);
    }
    NNBURST_TRY_ASSIGN(const bool isNchw, readOptionalLayout(operation, layout));
    return Blocks{.isNchw = isNchw,
                  .height = static_cast<std::uint32_t>(height),
                  .width = static_cast<std::uint32_t>(width),
                  .outputShape = {}};
}

Result<Blocks> resolveBatchToSpace(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(Blocks blocks, readBlockSizes(operation, kLayout));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    OperandCheck input = check.input(0, "input");
    const ImageAxes axes(blocks.isNchw);
    Sizes sizes = sizesOf(input.view().shape);
    divide(input, sizes[0], std::uint64_t{blocks.height} * blocks.width, 0);
    sizes[axes.height] *= blocks.height;
    sizes[axes.width] *= blocks.width;
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(blocks.outputShape, makeOutputShape(operation, 0, sizes));
    return blocks;
}

Result<HalVersion> checkBatchToSpace(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(kLayout, kLayout + 1).outputCount(1);
    const OperandCheck input = check.input(0, "input").type(kTypes);
    check.input(kBlock, "block sizes").type({TENSOR_INT32});
    checkBlockShape(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(4);
    NNBURST_TRY(check.result());
    check.since(HalVersion::V1_2, operation.inputs.size() > kLayout);
    NNBURST_TRY(readOptionalLayout(operation, kLayout));
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveBatchToSpace(operation));
    }
    return check.minimumVersion();
}

constexpr std::size_t kPaddings = 2;
constexpr std::size_t kPaddedLayout = 3;

void checkPaddingsShape(OperationCheck& check) {
    check.input(kPaddings, "paddings")
        .rank(2)
        .size(0, 2, "height and width")
        .size(1, 2, "before and after");
}

Result<Blocks> resolveSpaceToBatch(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(Blocks blocks, readBlockSizes(operation, kPaddedLayout));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    OperandCheck input = check.input(0, "input");
    checkPaddingsShape(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const auto values, readValues(operation, kPaddings, "paddings"));
    std::array<std::uint32_t, 4> paddings{};
    for (std::size_t i = 0; i < paddings.size(); ++i) {
        const std::int32_t value = values[i];
        if (value < 0) {
            return invalid("SPACE_TO_BATCH_ND input 2 (paddings): {}; must be at least 0", value);
        }
        paddings[i] = static_cast<std::uint32_t>(value);
    }
    blocks.paddingTop = paddings[0];
    blocks.paddingLeft = paddings[2];
    const ImageAxes axes(blocks.isNchw);
    Sizes sizes = sizesOf(input.view().shape);
    sizes[axes.height] += std::uint64_t{paddings[0]} + paddings[1];
    sizes[axes.width] += std::uint64_t{paddings[2]} + paddings[3];
    divide(input, sizes[axes.height], blocks.height, axes.height);
    divide(input, sizes[axes.width], blocks.width, axes.width);
    NNBURST_TRY(check.result());
    sizes[0] = multiply(sizes[0], std::uint64_t{blocks.height} * blocks.width);
    NNBURST_TRY_ASSIGN(blocks.outputShape, makeOutputShape(operation, 0, sizes));
    return blocks;
}

Result<HalVersion> checkSpaceToBatch(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(kPaddedLayout, kPaddedLayout + 1).outputCount(1);
    const OperandCheck input = check.input(0, "input").type(kTypes);
    check.input(kBlock, "block sizes").type({TENSOR_INT32});
    check.input(kPaddings, "paddings").type({TENSOR_INT32});
    checkBlockShape(check);
    checkPaddingsShape(check);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(4);
    NNBURST_TRY(check.result());
    // Before HAL 1.2, 8-bit padding had the quantised value 0.
    check.since(HalVersion::V1_2,
                operation.inputs.size() > kPaddedLayout || input.view().zeroPoint != 0);
    NNBURST_TRY(readOptionalLayout(operation, kPaddedLayout));
    if (hasKnownArguments(operation)) {
        NNBURST_TRY(resolveSpaceToBatch(operation));
    }
    return check.minimumVersion();
}

using Resolve = Result<Blocks> (*)(const OperationView& operation);

template <Resolve resolve>
Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Blocks blocks, resolve(operation));
    outputs[0] = blocks.outputShape;
    return {};
}

/// Copies all pixels between a compact and a wide image without padding: to the wide one if
/// `isToWide`, else to the compact one. The pixels of a block lie along `blockAxis` of the compact
/// image.
void copyBlocks(const OperationView& operation, const Blocks& blocks, bool isToWide,
                std::size_t blockAxis) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    if (output.shape.elementCount() == 0) {
        return;
    }
    const ImageAxes axes(blocks.isNchw);
    const Shape& compact = isToWide ? input.shape : output.shape;
    const Shape& wide = isToWide ? output.shape : input.shape;
    const Strides compactStrides = denseStrides(compact);
    const Strides wideStrides = denseStrides(wide);
    const std::ptrdiff_t columnStride = compactStrides[blockAxis] * wide[blockAxis];
    StridedCopy copy;
    const auto add = [&](std::size_t size, std::ptrdiff_t compactStride,
                         std::ptrdiff_t wideStride) {
        if (isToWide) {
            copy.axis(size, compactStride, wideStride);
        } else {
            copy.axis(size, wideStride, compactStride);
        }
    };
    const auto addWhole = [&](std::size_t axis) {
        add(wide[axis], compactStrides[axis], wideStrides[axis]);
    };
    const auto addBlocked = [&](std::size_t axis, std::uint32_t block, std::ptrdiff_t stride) {
        add(compact[axis], compactStrides[axis], wideStrides[axis] * block);
        add(block, stride, wideStrides[axis]);
    };
    addWhole(0);
    if (blocks.isNchw) {
        addWhole(axes.channels);
    }
    addBlocked(axes.height, blocks.height, columnStride * blocks.width);
    addBlocked(axes.width, blocks.width, columnStride);
    if (!blocks.isNchw) {
        addWhole(axes.channels);
    }
    copy.run(operation, input.data, output.data, elementBytes(input.type));
}

Result<> runDepth(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Blocks blocks, resolveDepth(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, blocks.outputShape));
    copyBlocks(operation, blocks, operation.type == OperationType::DEPTH_TO_SPACE,
               ImageAxes(blocks.isNchw).channels);
    return {};
}

Result<> runBatchToSpace(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Blocks blocks, resolveBatchToSpace(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, blocks.outputShape));
    copyBlocks(operation, blocks, true, 0);
    return {};
}

/// Which pixels of a compact image, along one axis, come from a wide image rather than its padding.
struct Covered {
    /// Covers the pixels with index `inBlock` of all blocks.
    Covered(std::uint32_t compactSize, std::uint32_t wideSize, std::uint32_t block,
            std::uint32_t inBlock, std::uint32_t padding) noexcept {
        const auto blocksUpTo = [&](std::int64_t position) {
            const std::int64_t distance = position + padding - inBlock;
            return std::clamp<std::int64_t>(distance <= 0 ? 0 : (distance - 1) / block + 1, 0,
                                            compactSize);
        };
        first = static_cast<std::size_t>(blocksUpTo(0));
        count = static_cast<std::size_t>(blocksUpTo(wideSize)) - first;
        wideFirst = first * block + inBlock - padding;
    }

    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t wideFirst = 0;  ///< the pixel that `first` comes from; unused if count is 0
};

Result<> runSpaceToBatch(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Blocks blocks, resolveSpaceToBatch(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, blocks.outputShape));
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    const std::size_t bytes = elementBytes(input.type);
    if (input.shape.elementCount() == output.shape.elementCount()) {
        copyBlocks(operation, blocks, false, 0);
        return {};
    }
    fillElements(operation, output.data, output.shape.elementCount(), zeroElement(input).data(),
                 bytes);
    if (input.shape.elementCount() == 0) {
        return {};
    }
    const ImageAxes axes(blocks.isNchw);
    const Strides from = denseStrides(input.shape);
    const Strides to = denseStrides(output.shape);
    // Elements of the output for each pixel of a block: at most as many are copied.
    const std::size_t pixelWork =
        output.shape.elementCount() / (std::size_t{blocks.height} * blocks.width);
    for (std::uint32_t i = 0; i < blocks.height; ++i) {
        const Covered rows(output.shape[axes.height], input.shape[axes.height], blocks.height, i,
                           blocks.paddingTop);
        for (std::uint32_t j = 0; j < blocks.width; ++j) {
            if (operation.isOutOfTime(pixelWork)) {
                return {};
            }
            const Covered columns(output.shape[axes.width], input.shape[axes.width], blocks.width,
                                  j, blocks.paddingLeft);
            if (rows.count == 0 || columns.count == 0) {
                continue;
            }
            const auto at = [&](std::size_t batch, std::size_t y, std::size_t x,
                                const Strides& strides) {
                return (batch * static_cast<std::size_t>(strides[0]) +
                        y * static_cast<std::size_t>(strides[axes.height]) +
                        x * static_cast<std::size_t>(strides[axes.width])) *
                       bytes;
            };
            StridedCopy copy;
            copy.axis(input.shape[0], from[0], to[0]);
            if (blocks.isNchw) {
                copy.axis(input.shape[axes.channels], from[axes.channels], to[axes.channels]);
            }
            copy.axis(rows.count, from[axes.height] * blocks.height, to[axes.height]);
            copy.axis(columns.count, from[axes.width] * blocks.width, to[axes.width]);
            if (!blocks.isNchw) {
                copy.axis(input.shape[axes.channels], from[axes.channels], to[axes.channels]);
            }
            const std::size_t batch = (std::size_t{i} * blocks.width + j) * input.shape[0];
            copy.run(operation, input.data + at(0, rows.wideFirst, columns.wideFirst, from),
                     output.data + at(batch, rows.first, columns.first, to), bytes);
        }
    }
    return {};
}

}  // namespace space_blocks
}  // namespace

constinit const OperationDefinition kDepthToSpace{
    .type = OperationType::DEPTH_TO_SPACE,
    .since = HalVersion::V1_0,
    .check = space_blocks::checkDepth,
    .inferShapes = space_blocks::inferShapes<space_blocks::resolveDepth>,
    .run = space_blocks::runDepth,
};

constinit const OperationDefinition kSpaceToDepth{
    .type = OperationType::SPACE_TO_DEPTH,
    .since = HalVersion::V1_0,
    .check = space_blocks::checkDepth,
    .inferShapes = space_blocks::inferShapes<space_blocks::resolveDepth>,
    .run = space_blocks::runDepth,
};

constinit const OperationDefinition kBatchToSpaceNd{
    .type = OperationType::BATCH_TO_SPACE_ND,
    .since = HalVersion::V1_1,
    .valueInputs = inputs(space_blocks::kBlock),
    .check = space_blocks::checkBatchToSpace,
    .inferShapes = space_blocks::inferShapes<space_blocks::resolveBatchToSpace>,
    .run = space_blocks::runBatchToSpace,
};

constinit const OperationDefinition kSpaceToBatchNd{
    .type = OperationType::SPACE_TO_BATCH_ND,
    .since = HalVersion::V1_1,
    .valueInputs = inputs(space_blocks::kBlock, space_blocks::kPaddings),
    .check = space_blocks::checkSpaceToBatch,
    .inferShapes = space_blocks::inferShapes<space_blocks::resolveSpaceToBatch>,
    .run = space_blocks::runSpaceToBatch,
};

}  // namespace nnburst::exec
