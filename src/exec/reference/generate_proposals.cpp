// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// GENERATE_PROPOSALS.
//
//     scores   [batches, height, width, anchors], or NCHW
//     deltas   [batches, height, width, anchors * 4], or NCHW: see AXIS_ALIGNED_BBOX_TRANSFORM
//     anchors  [anchors, 4]: left, top, right, bottom around a point; in units of 1/8
//              (TENSOR_QUANT16_SYMM) with 8-bit scores
//     images   [batches, 2]: height and width
//     heightRatio, widthRatio   from one point to the next, in the image
//     before, after             INT32: how many of the best boxes of each image to keep before and
//                               after suppression; 0 or less for all
//     overlapThreshold, minimumSize, layout (BOOL: NCHW): scalars
//
//     output scores [n], regions [n, 4], batches INT32 [n]

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/boxes.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/image.h"
#include "exec/reference/real_elements.h"

namespace nnburst::exec {

namespace {
namespace generate_proposals {

using enum OperandType;

constexpr std::size_t kDeltas = 1;
constexpr std::size_t kAnchors = 2;
constexpr std::size_t kImages = 3;
constexpr std::size_t kHeightRatio = 4;
constexpr std::size_t kWidthRatio = 5;
constexpr std::size_t kBefore = 6;
constexpr std::size_t kAfter = 7;
constexpr std::size_t kOverlapThreshold = 8;
constexpr std::size_t kMinimumSize = 9;
constexpr std::size_t kLayout = 10;

/// The deltas of all anchors, 4 numbers each, must fit into one axis of a tensor.
constexpr std::uint32_t kMaximumAnchors = std::numeric_limits<std::uint32_t>::max() / 4;

struct Parameters {
    float heightRatio = 1.0F;
    float widthRatio = 1.0F;
    std::size_t before = SIZE_MAX;
    std::size_t after = SIZE_MAX;
    float overlapThreshold = 0.0F;
    float minimumSize = 0.0F;
    bool isNchw = false;
};

/// Reads a number of boxes; 0 or less is no limit.
Result<std::size_t> readLimit(const OperationView& operation, std::size_t index, const char* name) {
    NNBURST_TRY_ASSIGN(
        const std::int32_t limit,
        readConstantInt32(operation, index, name, std::numeric_limits<std::int32_t>::min()));
    return limit > 0 ? static_cast<std::size_t>(limit) : SIZE_MAX;
}

Result<Parameters> readParameters(const OperationView& operation) {
    const OperandType type = operation.inputs[0].type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32;
    Parameters parameters;
    ScalarReads reads;
    const auto readFloat = [&](std::size_t index, const char* name, float& value) {
        return reads.take(readConstantFloat(operation, index, name, type), value);
    };
    NNBURST_TRY(readFloat(kHeightRatio, "height ratio", parameters.heightRatio));
    NNBURST_TRY(readFloat(kWidthRatio, "width ratio", parameters.widthRatio));
    NNBURST_TRY(reads.take(readLimit(operation, kBefore, "before"), parameters.before));
    NNBURST_TRY(reads.take(readLimit(operation, kAfter, "after"), parameters.after));
    NNBURST_TRY(readFloat(kOverlapThreshold, "overlap threshold", parameters.overlapThreshold));
    NNBURST_TRY(readFloat(kMinimumSize, "minimum size", parameters.minimumSize));
    NNBURST_TRY(reads.take(readLayout(operation, kLayout), parameters.isNchw));
    NNBURST_TRY(reads.result());
    return parameters;
}

void checkRanks(OperationCheck& check) {
    check.input(0, "scores").rank(4);
    check.input(kDeltas, "deltas").rank(4);
    check.input(kAnchors, "anchors").rank(2);
    check.input(kImages, "images").rank(2);
}

void checkShapes(OperationCheck& check, bool isNchw) {
    checkRanks(check);
    const SpatialArguments layout{.isNchw = isNchw};
    const OperandCheck scores = check.input(0, "scores");
    const std::uint32_t anchors = scores[layout.channelAxis()];
    check.input(0, "scores").require(anchors <= kMaximumAnchors, [&] {
        return fmt::format("{} anchors; must be at most {}", anchors, kMaximumAnchors);
    });
    check.input(kDeltas, "deltas")
        .size(0, scores[0], "the batches")
        .size(layout.heightAxis(), scores[layout.heightAxis()], "the height of the scores")
        .size(layout.widthAxis(), scores[layout.widthAxis()], "the width of the scores")
        .size(layout.channelAxis(), anchors * 4, "4 for each anchor");
    check.input(kAnchors, "anchors")
        .size(0, anchors, "the channels of the scores")
        .size(1, 4, "left, top, right, bottom");
    check.input(kImages, "images").size(0, scores[0], "the batches").size(1, 2, "height and width");
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(11).outputCount(3);
    const OperandCheck scores = check.input(0, "scores")
                                    .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                           TENSOR_QUANT8_ASYMM_SIGNED});
    check.input(kDeltas, "deltas").sameTypeAs(scores);
    OperandCheck anchors = check.input(kAnchors, "anchors");
    OperandCheck images = check.input(kImages, "images");
    OperandCheck regions = check.output(1, "regions");
    if (isQuantized8Tensor(scores.view().type)) {
        anchors.type({TENSOR_QUANT16_SYMM}).quantization(0.125F, 0);
        images.type({TENSOR_QUANT16_ASYMM}).quantization(0.125F, 0);
        regions.type({TENSOR_QUANT16_ASYMM}).quantization(0.125F, 0);
    } else {
        anchors.sameTypeAs(scores);
        images.sameTypeAs(scores);
        regions.sameTypeAs(scores);
    }
    check.output(0, "output scores").sameTypeAs(scores).sameQuantizationAs(scores);
    check.output(2, "batches").type({TENSOR_INT32});
    checkRanks(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    checkShapes(check, parameters.isNchw);
    return check.minimumVersion();
}

/// Boxes of one image.
std::size_t boxCount(const OperationView& operation) noexcept {
    const Shape& scores = operation.inputs[0].shape;
    return std::size_t{scores[1]} * scores[2] * scores[3];
}

/// Upper bounds: no box overlaps another.
Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check, parameters.isNchw);
    NNBURST_TRY(check.result());
    const std::uint64_t most =
        operation.inputs[0].shape[0] *
        std::uint64_t{std::min({boxCount(operation), parameters.before, parameters.after})};
    NNBURST_TRY_ASSIGN(outputs[0], makeOutputShape(operation, 0, std::array{most}));
    NNBURST_TRY_ASSIGN(outputs[1],
                       makeOutputShape(operation, 1, std::array{most, std::uint64_t{4}}));
    NNBURST_TRY_ASSIGN(outputs[2], makeOutputShape(operation, 2, std::array{most}));
    return {};
}

/// Memory for the boxes, scores and candidates of one image.
std::size_t scratchBytes(const OperationView& operation) {
    return boxCount(operation) * (sizeof(Box) + sizeof(float) + sizeof(std::uint32_t));
}

template <class T, class Anchor, class Coordinate>
Result<std::uint32_t> propose(const OperationView& operation, const Parameters& parameters,
                              std::span<std::byte> scratch) {
    constexpr std::size_t kBoxWork = 8;  // two exponentials
    const SpatialArguments layout{.isNchw = parameters.isNchw};
    const Image scoreImage(operation.inputs[0].shape, layout);
    const Image deltaImage(operation.inputs[kDeltas].shape, layout);
    const RealReader<T> scoreInput(operation.inputs[0]);
    const RealReader<T> deltas(operation.inputs[kDeltas]);
    const RealReader<Anchor> anchors(operation.inputs[kAnchors]);
    const RealReader<Coordinate> images(operation.inputs[kImages]);
    const RealWriter<T> outputScores(operation.outputs[0]);
    const RealWriter<Coordinate> outputRegions(operation.outputs[1]);
    auto* outputBatches = operation.outputs[2].as<std::int32_t>();
    std::uint32_t written = 0;
    for (std::size_t a = 0; a < scoreImage.channels; ++a) {
        const Box anchor{anchors[4 * a], anchors[4 * a + 1], anchors[4 * a + 2],
                         anchors[4 * a + 3]};
        NNBURST_TRY(checkBox(operation, "input 2 (anchors)", anchor,
                             [&] { return fmt::format("anchor {}", a); }));
        if (operation.isOutOfTime(1)) {
            return written;
        }
    }
    const std::size_t count = boxCount(operation);
    if (count == 0) {
        return written;
    }
    auto* boxes = reinterpret_cast<Box*>(scratch.data());
    auto* scores = reinterpret_cast<float*>(boxes + count);
    auto* candidates = reinterpret_cast<std::uint32_t*>(scores + count);

    for (std::size_t b = 0; b < scoreImage.batches; ++b) {
        const float imageHeight = images[2 * b];
        const float imageWidth = images[2 * b + 1];
        std::size_t next = 0;
        for (std::size_t y = 0; y < scoreImage.height; ++y) {
            const float moveY = static_cast<float>(y) * parameters.heightRatio;
            for (std::size_t x = 0; x < scoreImage.width; ++x) {
                const float moveX = static_cast<float>(x) * parameters.widthRatio;
                for (std::size_t a = 0; a < scoreImage.channels; ++a, ++next) {
                    const Box anchor{anchors[4 * a] + moveX, anchors[4 * a + 1] + moveY,
                                     anchors[4 * a + 2] + moveX, anchors[4 * a + 3] + moveY};
                    const auto delta = [&](std::size_t i) {
                        return deltas[deltaImage.offset(b, y, x, 4 * a + i)];
                    };
                    boxes[next] =
                        clipped(transformed(anchor, delta(0), delta(1), delta(2), delta(3)),
                                imageWidth, imageHeight);
                    const float score = scoreInput[scoreImage.offset(b, y, x, a)];
                    // NaN has no place in an order: it counts as the lowest score.
                    scores[next] = score == score ? score : std::numeric_limits<float>::lowest();
                    if (operation.isOutOfTime(kBoxWork)) {
                        return written;
                    }
                }
            }
        }
        // Sorted by score only if `before` limits how many boxes are kept.
        const bool isLimited = parameters.before < count;
        const std::size_t selected = isLimited ? parameters.before : count;
        rank(operation, {candidates, count}, 0, isLimited ? selected : 0,
             [&](std::uint32_t candidate) { return scores[candidate]; });
        const auto isLarge = [&](std::uint32_t candidate) {
            const Box& box = boxes[candidate];
            const float width = box.right - box.left;
            const float height = box.bottom - box.top;
            return width > parameters.minimumSize && height > parameters.minimumSize &&
                   box.left + width / 2.0F < imageWidth && box.top + height / 2.0F < imageHeight;
        };
        std::size_t large = 0;
        forEachElement(operation, selected, [&](std::size_t i) {
            if (isLarge(candidates[i])) {
                candidates[large++] = candidates[i];
            }
        });
        const std::size_t taken = suppress(
            operation, std::span(candidates, large), parameters.after,
            [&](std::uint32_t candidate) -> float& { return scores[candidate]; },
            [&](std::uint32_t candidate) { return boxes[candidate]; },
            dropAbove(parameters.overlapThreshold));
        for (std::size_t i = 0; i < taken; ++i, ++written) {
            const Box& box = boxes[candidates[i]];
            outputScores.set(written, scores[candidates[i]]);
            const std::size_t corner = std::size_t{written} * 4;
            outputRegions.set(corner, box.left);
            outputRegions.set(corner + 1, box.top);
            outputRegions.set(corner + 2, box.right);
            outputRegions.set(corner + 3, box.bottom);
            outputBatches[written] = static_cast<std::int32_t>(b);
            if (operation.isOutOfTime(1)) {
                return written;
            }
        }
    }
    return written;
}

Result<> run(const OperationView& operation, std::span<std::byte> scratch,
             std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    Result<std::uint32_t> result = 0;
    dispatchFloat(operation.inputs[0].type,
                  [&]<class T>() { result = propose<T, T, T>(operation, parameters, scratch); });
    dispatchQuantized8(operation.inputs[0].type, [&]<class T>() {
        result = propose<T, std::int16_t, std::uint16_t>(operation, parameters, scratch);
    });
    NNBURST_TRY_ASSIGN(const std::uint32_t count, std::move(result));
    outputs[0] = Shape{count};
    outputs[1] = Shape{count, 4};
    outputs[2] = Shape{count};
    return {};
}

}  // namespace generate_proposals
}  // namespace

constinit const OperationDefinition kGenerateProposals{
    .type = OperationType::GENERATE_PROPOSALS,
    .since = HalVersion::V1_2,
    .check = generate_proposals::check,
    .inferShapes = generate_proposals::inferShapes,
    .scratchBytes = generate_proposals::scratchBytes,
    .runShrinking = generate_proposals::run,
};

}  // namespace nnburst::exec
