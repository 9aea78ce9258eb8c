// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
//
//     input          [batches, height, width, channels], or NCHW
//     width, height  INT32: sizes of the output; or FLOAT32 (FLOAT16 with float16): factors by
//                    which sizes are multiplied and rounded downwards
//     layout         BOOL: NCHW; optional for RESIZE_BILINEAR
//     alignCorners   BOOL, optional: the centres of the corner elements coincide
//     halfPixels     BOOL, optional: elements are squares whose centres are at .5
//     output         of the new size

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "exec/operation/operation_check.h"
#include "exec/operation/resize_arguments.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/image.h"
#include "exec/reference/real_elements.h"

namespace nnburst::exec {

namespace {
namespace resize {

using enum OperandType;

Result<Shape> computeOutputShape(const OperationView& operation, const ResizeArguments& arguments) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    const OperandCheck input = check.input(0, "input").rank(4);
    NNBURST_TRY(check.result());
    const std::size_t heightAxis = arguments.isNchw ? 2 : 1;
    const std::size_t widthAxis = heightAxis + 1;
    std::array<std::uint64_t, 4> sizes{};
    std::copy_n(input.view().shape.sizes().begin(), 4, sizes.begin());
    NNBURST_TRY_ASSIGN(sizes[heightAxis],
                       arguments.height.outputSize(operation, input[heightAxis]));
    NNBURST_TRY_ASSIGN(sizes[widthAxis], arguments.width.outputSize(operation, input[widthAxis]));
    check.require(input[heightAxis] != 0 && input[widthAxis] != 0,
                  [] { return "an image without elements; must have at least one"; });
    NNBURST_TRY(check.result());
    return makeOutputShape(operation, 0, sizes);
}

Result<HalVersion> check(const OperationView& operation) {
    const bool isBilinear = operation.type == OperationType::RESIZE_BILINEAR;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(isBilinear ? 3 : 4, 6).outputCount(1);
    const OperandCheck input =
        check.input(0, "input")
            .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED})
            .rank(4);
    check.output(0, "output").sameTypeAs(input).sameQuantizationAs(input).rank(4);
    NNBURST_TRY(check.result());
    check.since(HalVersion::V1_2,
                operation.inputs[1].type != INT32 || input.view().type == TENSOR_QUANT8_ASYMM);
    check.since(HalVersion::V1_3, operation.inputs.size() > 4);
    NNBURST_TRY_ASSIGN(const ResizeArguments arguments, readResizeArguments(operation));
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(computeOutputShape(operation, arguments));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const ResizeArguments arguments, readResizeArguments(operation));
    NNBURST_TRY_ASSIGN(outputs[0], computeOutputShape(operation, arguments));
    return {};
}

/// Positions of an output's elements in the input, along one axis.
class Axis {
  public:
    Axis(std::size_t inputSize, std::size_t outputSize, const ResizeArguments& arguments) noexcept
        : inputSize_(inputSize),
          alignsCorners_(arguments.alignsCorners),
          hasHalfPixels_(arguments.hasHalfPixels),
          scale_(alignsCorners_ && outputSize > 1
                     ? static_cast<float>(inputSize - 1) / static_cast<float>(outputSize - 1)
                     : static_cast<float>(inputSize) / static_cast<float>(outputSize)) {}

    /// Two neighbours and the weight of the second.
    struct Neighbours {
        std::size_t first;
        std::size_t second;
        float weight;
    };
    [[nodiscard]] Neighbours neighbours(std::size_t output) const noexcept {
        const float position = hasHalfPixels_ ? (static_cast<float>(output) + 0.5F) * scale_ - 0.5F
                                              : static_cast<float>(output) * scale_;
        const auto first =
            std::min(static_cast<std::size_t>(std::max(position, 0.0F)), inputSize_ - 1);
        return {first, std::min(first + 1, inputSize_ - 1),
                std::clamp(position - static_cast<float>(first), 0.0F, 1.0F)};
    }

    [[nodiscard]] std::size_t nearest(std::size_t output) const noexcept {
        const float offset = hasHalfPixels_ ? 0.5F : 0.0F;
        const float position = (static_cast<float>(output) + offset) * scale_;
        return std::min(static_cast<std::size_t>(alignsCorners_ ? std::round(position) : position),
                        inputSize_ - 1);
    }

  private:
    std::size_t inputSize_;
    bool alignsCorners_;
    bool hasHalfPixels_;
    float scale_;
};

struct Images {
    Image input;
    Image output;
    Axis height;
    Axis width;

    Images(const OperationView& operation, const ResizeArguments& arguments) noexcept
        : Images(operation, arguments, SpatialArguments{.isNchw = arguments.isNchw}) {}

  private:
    Images(const OperationView& operation, const ResizeArguments& arguments,
           const SpatialArguments& layout) noexcept
        : input(operation.inputs[0].shape, layout),
          output(operation.outputs[0].shape, layout),
          height(input.height, output.height, arguments),
          width(input.width, output.width, arguments) {}
};

template <class T>
void resizeBilinear(const OperationView& operation, const Images& images) {
    const Image& from = images.input;
    const RealReader<T> input(operation.inputs[0]);
    const RealWriter<T> output(operation.outputs[0]);
    for (std::size_t b = 0; b < images.output.batches; ++b) {
        for (std::size_t y = 0; y < images.output.height; ++y) {
            const auto rows = images.height.neighbours(y);
            for (std::size_t x = 0; x < images.output.width; ++x) {
                const auto columns = images.width.neighbours(x);
                const std::size_t topLeft = from.offset(b, rows.first, columns.first, 0);
                const std::size_t topRight = from.offset(b, rows.first, columns.second, 0);
                const std::size_t bottomLeft = from.offset(b, rows.second, columns.first, 0);
                const std::size_t bottomRight = from.offset(b, rows.second, columns.second, 0);
                const std::size_t result = images.output.offset(b, y, x, 0);
                forEachElement(operation, from.channels, [&](std::size_t c) {
                    const std::size_t channel = c * from.channelStride;
                    const float top = input[topLeft + channel] * (1.0F - columns.weight) +
                                      input[topRight + channel] * columns.weight;
                    const float bottom = input[bottomLeft + channel] * (1.0F - columns.weight) +
                                         input[bottomRight + channel] * columns.weight;
                    output.set(result + c * images.output.channelStride,
                               top * (1.0F - rows.weight) + bottom * rows.weight);
                });
                if (operation.isOutOfTime(from.channels)) {
                    return;
                }
            }
        }
    }
}

template <class T>
void resizeNearest(const OperationView& operation, const Images& images) {
    const T* input = operation.inputs[0].as<const T>();
    T* output = operation.outputs[0].as<T>();
    for (std::size_t b = 0; b < images.output.batches; ++b) {
        for (std::size_t y = 0; y < images.output.height; ++y) {
            const std::size_t row = images.height.nearest(y);
            for (std::size_t x = 0; x < images.output.width; ++x) {
                const T* from = input + images.input.offset(b, row, images.width.nearest(x), 0);
                T* to = output + images.output.offset(b, y, x, 0);
                forEachElement(operation, images.input.channels, [&](std::size_t c) {
                    to[c * images.output.channelStride] = from[c * images.input.channelStride];
                });
                if (operation.isOutOfTime(images.output.channels)) {
                    return;
                }
            }
        }
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const ResizeArguments arguments, readResizeArguments(operation));
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation, arguments));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    if (shape.elementCount() == 0) {
        return {};
    }
    const Images images(operation, arguments);
    dispatchReal(operation.inputs[0].type, [&]<class T>() {
        if (operation.type == OperationType::RESIZE_BILINEAR) {
            resizeBilinear<T>(operation, images);
        } else {
            resizeNearest<T>(operation, images);
        }
    });
    return {};
}

constexpr OperationDefinition kFamily{.type = OperationType::RESIZE_BILINEAR,
                                      .since = HalVersion::V1_0,
                                      .check = check,
                                      .inferShapes = inferShapes,
                                      .run = run};

}  // namespace resize
}  // namespace

constinit const OperationDefinition kResizeBilinear = resize::kFamily;
constinit const OperationDefinition kResizeNearestNeighbor =
    resize::kFamily.with(OperationType::RESIZE_NEAREST_NEIGHBOR, HalVersion::V1_2);

}  // namespace nnburst::exec
