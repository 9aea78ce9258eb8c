// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// AXIS_ALIGNED_BBOX_TRANSFORM.
//
//     regions  [regions, 4]: left, top, right, bottom; in units of 1/8 (TENSOR_QUANT16_ASYMM) with
//              8-bit deltas
//     deltas   [regions, classes * 4]: moves along x and y in fractions of the region's width and
//              height, logarithms of the factors of width and height
//     batches  INT32 [regions]: the image that each is in
//     images   [batches, 2]: height and width
//     output   [regions, classes * 4]: the regions moved and scaled, inside their image

#include <fmt/format.h>

#include "exec/operation/operation_check.h"
#include "exec/reference/boxes.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/real_elements.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {
namespace box_transform {

using enum OperandType;

constexpr std::size_t kDeltas = 1;
constexpr std::size_t kBatches = 2;
constexpr std::size_t kImages = 3;

void checkShapes(OperationCheck& check) {
    const OperandCheck regions = check.input(0, "regions").rank(2);
    check.input(0, "regions").size(1, 4, "left, top, right, bottom");
    OperandCheck deltas = check.input(kDeltas, "deltas").rank(2);
    deltas.size(0, regions[0], "the number of regions")
        .notEmpty(1)
        .require(deltas[1] % 4 == 0, [&] {
            return fmt::format("{} elements a region; must be a multiple of 4", deltas[1]);
        });
    check.input(kBatches, "batches").rank(1).size(0, regions[0], "the number of regions");
    check.input(kImages, "images").rank(2).notEmpty(0).size(1, 2, "height and width");
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(4).outputCount(1);
    const OperandCheck regions =
        check.input(0, "regions").type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT16_ASYMM});
    OperandCheck deltas = check.input(kDeltas, "deltas");
    check.input(kBatches, "batches").type({TENSOR_INT32});
    check.input(kImages, "images").sameTypeAs(regions);
    check.output(0, "output").sameTypeAs(regions);
    if (regions.view().type == TENSOR_QUANT16_ASYMM) {
        deltas.type({TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
        check.input(0, "regions").quantization(0.125F, 0);
        check.input(kImages, "images").quantization(0.125F, 0);
        check.output(0, "output").quantization(0.125F, 0);
    } else {
        deltas.sameTypeAs(regions);
    }
    checkShapes(check);
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    outputs[0] = operation.inputs[kDeltas].shape;
    return {};
}

template <class Coordinate, class Delta>
Result<> transform(const OperationView& operation) {
    const RealReader<Coordinate> regions(operation.inputs[0]);
    const RealReader<Delta> deltas(operation.inputs[kDeltas]);
    const RealReader<Coordinate> images(operation.inputs[kImages]);
    const RealWriter<Coordinate> results(operation.outputs[0]);
    const std::uint32_t imageCount = operation.inputs[kImages].shape[0];
    const Shape& shape = operation.inputs[kDeltas].shape;
    for (std::size_t region = 0; region < shape[0]; ++region) {
        const std::int32_t batch =
            operation.inputs[kBatches].as<const volatile std::int32_t>()[region];
        if (batch < 0 || static_cast<std::uint32_t>(batch) >= imageCount) {
            return invalid(
                "AXIS_ALIGNED_BBOX_TRANSFORM input 2 (batches): {} of region {}; must be "
                "0 to {}",
                batch, region, static_cast<std::int64_t>(imageCount) - 1);
        }
        const auto image = static_cast<std::size_t>(batch) * 2;
        const float height = images[image];
        const float width = images[image + 1];
        const Box before{regions[4 * region], regions[4 * region + 1], regions[4 * region + 2],
                         regions[4 * region + 3]};
        NNBURST_TRY(checkBox(operation, "input 0 (regions)", before,
                             [&] { return fmt::format("region {}", region); }));
        forEachElement(operation, shape[1] / 4, [&](std::size_t box) {
            const std::size_t i = region * shape[1] + box * 4;
            const Box after =
                clipped(transformed(before, deltas[i], deltas[i + 1], deltas[i + 2], deltas[i + 3]),
                        width, height);
            results.set(i, after.left);
            results.set(i + 1, after.top);
            results.set(i + 2, after.right);
            results.set(i + 3, after.bottom);
        });
        if (operation.isOutOfTime(shape[1])) {
            return {};
        }
    }
    return {};
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY(requireOutputShape(operation, 0, operation.inputs[kDeltas].shape));
    Result<> result;
    dispatchFloat(operation.inputs[0].type,
                  [&]<class T>() { result = transform<T, T>(operation); });
    dispatchQuantized8(operation.inputs[kDeltas].type,
                       [&]<class T>() { result = transform<std::uint16_t, T>(operation); });
    return result;
}

}  // namespace box_transform
}  // namespace

constinit const OperationDefinition kAxisAlignedBboxTransform{
    .type = OperationType::AXIS_ALIGNED_BBOX_TRANSFORM,
    .since = HalVersion::V1_2,
    .check = box_transform::check,
    .inferShapes = box_transform::inferShapes,
    .run = box_transform::run,
};

}  // namespace nnburst::exec
