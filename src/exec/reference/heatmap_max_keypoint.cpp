// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// HEATMAP_MAX_KEYPOINT.
//
//     heatmaps   [boxes, size, size, keypoints], or [boxes, keypoints, size, size]
//     boxes      [boxes, 4]: left, top, right, bottom; in units of 1/8 (TENSOR_QUANT16_ASYMM) with
//                8-bit heatmaps
//     layout     BOOL: the second form of the heatmaps
//     scores     [boxes, keypoints]
//     locations  [boxes, keypoints, 2]: x and y, of the type of the boxes
//
// The score of a keypoint is the largest element of its heatmap; its location is that element's
// place in the box. Both are refined: around its largest element the heatmap is approximated by a
// paraboloid.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "exec/operation/float16.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/boxes.h"
#include "exec/reference/definitions.h"
#include "exec/reference/image.h"
#include "exec/reference/real_elements.h"

namespace nnburst::exec {

namespace {
namespace heatmap_max_keypoint {

using enum OperandType;

constexpr std::size_t kBoxes = 1;
constexpr std::size_t kLayout = 2;

void checkRanks(OperationCheck& check) {
    check.input(0, "heatmaps").rank(4);
    check.input(kBoxes, "boxes").rank(2);
}

void checkShapes(OperationCheck& check, bool isNchw) {
    checkRanks(check);
    const SpatialArguments layout{.isNchw = isNchw};
    OperandCheck heatmaps = check.input(0, "heatmaps").notEmpty(layout.channelAxis());
    const std::uint32_t size = heatmaps[layout.heightAxis()];
    heatmaps.size(layout.widthAxis(), size, "the height").require(size == 0 || size >= 2, [] {
        return "size 1; must be at least 2";
    });
    check.input(kBoxes, "boxes")
        .size(0, heatmaps[0], "the number of heatmaps")
        .size(1, 4, "left, top, right, bottom");
}

struct Shapes {
    Shape scores;
    Shape locations;
};

Result<Shapes> computeOutputShapes(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const bool isNchw, readLayout(operation, kLayout));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check, isNchw);
    const Shape& heatmaps = operation.inputs[0].shape;
    check.require(heatmaps[isNchw ? 2 : 1] != 0,
                  [] { return "heatmaps of size 0; must be at least 2"; });
    NNBURST_TRY(check.result());
    const std::uint32_t keypoints = heatmaps[isNchw ? 1 : 3];
    return Shapes{Shape{heatmaps[0], keypoints}, Shape{heatmaps[0], keypoints, 2}};
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(2);
    const OperandCheck heatmaps = check.input(0, "heatmaps")
                                      .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                             TENSOR_QUANT8_ASYMM_SIGNED});
    OperandCheck boxes = check.input(kBoxes, "boxes");
    check.output(0, "scores").sameTypeAs(heatmaps);
    OperandCheck locations = check.output(1, "locations");
    if (isQuantized8Tensor(heatmaps.view().type)) {
        boxes.type({TENSOR_QUANT16_ASYMM}).quantization(0.125F, 0);
        locations.type({TENSOR_QUANT16_ASYMM}).quantization(0.125F, 0);
    } else {
        boxes.sameTypeAs(heatmaps);
        locations.sameTypeAs(heatmaps);
    }
    checkRanks(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const bool isNchw, readLayout(operation, kLayout));
    checkShapes(check, isNchw);
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shapes shapes, computeOutputShapes(operation));
    outputs[0] = shapes.scores;
    outputs[1] = shapes.locations;
    return {};
}

/// An element of a heatmap and its eight neighbours: rows, then columns.
using Neighbourhood = std::array<std::array<float, 3>, 3>;

struct Peak {
    float x = 0.0F;  ///< from the middle, in elements
    float y = 0.0F;
    float value = 0.0F;
};

/// The top of the paraboloid through a neighbourhood: with gradient g and Hessian H in the middle,
/// f(d) = f + g'd + d'Hd/2, whose gradient is 0 at d = -g/H. The middle if the determinant of H is
/// below `tolerance`, absolute and relative.
Peak findPeak(const Neighbourhood& f, float tolerance) noexcept {
    constexpr float kFarthest = 1.5F;
    const float middle = f[1][1];
    const float gradientX = (f[1][2] - f[1][0]) / 2.0F;
    const float gradientY = (f[2][1] - f[0][1]) / 2.0F;
    const float xx = f[1][0] - 2.0F * middle + f[1][2];
    const float yy = f[0][1] - 2.0F * middle + f[2][1];
    const float xy = (f[2][2] - f[2][0] - f[0][2] + f[0][0]) / 4.0F;
    const float determinant = xx * yy - xy * xy;
    Peak peak{.value = middle};
    // Written so that NaN takes this branch, too.
    if (!(std::fabs(determinant) >= tolerance + tolerance * (xx * yy))) {
        return peak;
    }
    peak.x = (xy * gradientY - yy * gradientX) / determinant;
    peak.y = (xy * gradientX - xx * gradientY) / determinant;
    const float farthest = std::max(std::fabs(peak.x), std::fabs(peak.y));
    if (farthest > kFarthest) {
        peak.x *= kFarthest / farthest;
        peak.y *= kFarthest / farthest;
    }
    peak.value =
        middle + gradientX * peak.x + gradientY * peak.y +
        ((xx * peak.x + xy * peak.y) * peak.x + (xy * peak.x + yy * peak.y) * peak.y) / 2.0F;
    return peak;
}

template <class T, class Coordinate>
Result<> findKeypoints(const OperationView& operation, bool isNchw) {
    constexpr float kTolerance = std::is_same_v<T, Float16> ? 1e-3F : 1e-5F;
    const Image image(operation.inputs[0].shape, SpatialArguments{.isNchw = isNchw});
    const RealReader<T> heatmaps(operation.inputs[0]);
    const RealReader<Coordinate> boxes(operation.inputs[kBoxes]);
    const RealWriter<T> scores(operation.outputs[0]);
    const RealWriter<Coordinate> locations(operation.outputs[1]);
    const std::size_t size = image.height;
    for (std::size_t box = 0; box < image.batches; ++box) {
        const float left = boxes[4 * box];
        const float top = boxes[4 * box + 1];
        const float right = boxes[4 * box + 2];
        const float bottom = boxes[4 * box + 3];
        NNBURST_TRY(checkBox(operation, "input 1 (boxes)", {left, top, right, bottom},
                             [&] { return fmt::format("box {}", box); }));
        for (std::size_t keypoint = 0; keypoint < image.channels; ++keypoint) {
            const auto at = [&](std::size_t y, std::size_t x) {
                return heatmaps[image.offset(box, y, x, keypoint)];
            };
            std::size_t bestY = 0;
            std::size_t bestX = 0;
            float best = -std::numeric_limits<float>::infinity();
            for (std::size_t y = 0; y < size; ++y) {
                for (std::size_t x = 0; x < size; ++x) {
                    if (const float value = at(y, x); value > best) {
                        best = value;
                        bestY = y;
                        bestX = x;
                    }
                }
                if (operation.isOutOfTime(size)) {
                    return {};
                }
            }
            // Beyond the edge the heatmap is mirrored.
            const auto neighbour = [&](std::size_t middle, std::size_t offset) {
                if (middle + offset < 1) {
                    return std::size_t{1};
                }
                return middle + offset - 1 < size ? middle + offset - 1 : size - 2;
            };
            Neighbourhood neighbourhood;
            for (std::size_t y = 0; y < 3; ++y) {
                for (std::size_t x = 0; x < 3; ++x) {
                    neighbourhood[y][x] = at(neighbour(bestY, y), neighbour(bestX, x));
                }
            }
            const Peak peak = findPeak(neighbourhood, kTolerance);
            const auto relative = [&](std::size_t index, float offset) {
                return (static_cast<float>(index) + offset + 0.5F) / static_cast<float>(size);
            };
            const std::size_t result = box * image.channels + keypoint;
            scores.set(result, peak.value);
            locations.set(2 * result, relative(bestX, peak.x) * (right - left) + left);
            locations.set(2 * result + 1, relative(bestY, peak.y) * (bottom - top) + top);
        }
    }
    return {};
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const bool isNchw, readLayout(operation, kLayout));
    NNBURST_TRY_ASSIGN(const Shapes shapes, computeOutputShapes(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shapes.scores));
    NNBURST_TRY(requireOutputShape(operation, 1, shapes.locations));
    Result<> result;
    dispatchFloat(operation.inputs[0].type,
                  [&]<class T>() { result = findKeypoints<T, T>(operation, isNchw); });
    dispatchQuantized8(operation.inputs[0].type, [&]<class T>() {
        result = findKeypoints<T, std::uint16_t>(operation, isNchw);
    });
    return result;
}

}  // namespace heatmap_max_keypoint
}  // namespace

constinit const OperationDefinition kHeatmapMaxKeypoint{
    .type = OperationType::HEATMAP_MAX_KEYPOINT,
    .since = HalVersion::V1_2,
    .check = heatmap_max_keypoint::check,
    .inferShapes = heatmap_max_keypoint::inferShapes,
    .run = heatmap_max_keypoint::run,
};

}  // namespace nnburst::exec
