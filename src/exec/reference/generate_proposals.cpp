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

/// One run. `scratch` has the bytes of scratchBytes.
template <class T, class Anchor, class Coordinate>
class ProposalRun {
  public:
    ProposalRun(const OperationView& operation, const Parameters& parameters,
                std::span<std::byte> scratch) noexcept
        : operation_(operation),
          parameters_(parameters),
          scoreImage_(operation.inputs[0].shape, SpatialArguments{.isNchw = parameters.isNchw}),
          deltaImage_(operation.inputs[kDeltas].shape,
                      SpatialArguments{.isNchw = parameters.isNchw}),
          count_(boxCount(operation)),
          boxes_(reinterpret_cast<Box*>(scratch.data())),
          scores_(reinterpret_cast<float*>(boxes_ + count_)),
          candidates_(reinterpret_cast<std::uint32_t*>(scores_ + count_)) {}

    /// Writes the outputs, and gives the number of boxes.
    Result<std::uint32_t> propose() {
        NNBURST_TRY(checkAnchors());
        for (std::size_t b = 0; count_ != 0 && b < scoreImage_.batches && decode(b); ++b) {
            write(b, suppressOverlaps(select()));
        }
        return written_;
    }

  private:
    [[nodiscard]] Box anchor(std::size_t a) const {
        return {anchors_[4 * a], anchors_[4 * a + 1], anchors_[4 * a + 2], anchors_[4 * a + 3]};
    }

    Result<> checkAnchors() const {
        for (std::size_t a = 0; a < scoreImage_.channels; ++a) {
            NNBURST_TRY(checkBox(operation_, "input 2 (anchors)", anchor(a),
                                 [&] { return fmt::format("anchor {}", a); }));
            if (operation_.isOutOfTime(1)) {
                break;
            }
        }
        return {};
    }

    /// Computes the boxes and scores of image `b`, which becomes the current one. False if the run
    /// is out of time.
    bool decode(std::size_t b) {
        constexpr std::size_t kBoxWork = 8;  // two exponentials
        imageHeight_ = images_[2 * b];
        imageWidth_ = images_[2 * b + 1];
        std::size_t next = 0;
        for (std::size_t y = 0; y < scoreImage_.height; ++y) {
            const float moveY = static_cast<float>(y) * parameters_.heightRatio;
            for (std::size_t x = 0; x < scoreImage_.width; ++x) {
                const float moveX = static_cast<float>(x) * parameters_.widthRatio;
                for (std::size_t a = 0; a < scoreImage_.channels; ++a, ++next) {
                    const Box at = anchor(a);
                    const Box moved{at.left + moveX, at.top + moveY, at.right + moveX,
                                    at.bottom + moveY};
                    const auto delta = [&](std::size_t i) {
                        return deltas_[deltaImage_.offset(b, y, x, 4 * a + i)];
                    };
                    boxes_[next] =
                        clipped(transformed(moved, delta(0), delta(1), delta(2), delta(3)),
                                imageWidth_, imageHeight_);
                    const float score = scoreInput_[scoreImage_.offset(b, y, x, a)];
                    // NaN has no place in an order: it counts as the lowest score.
                    scores_[next] = score == score ? score : std::numeric_limits<float>::lowest();
                    if (operation_.isOutOfTime(kBoxWork)) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    /// The best boxes that are large enough and whose centres lie in the image. They are sorted by
    /// score only if `before` limits how many boxes are kept.
    std::span<std::uint32_t> select() {
        const bool isLimited = parameters_.before < count_;
        const std::size_t selected = isLimited ? parameters_.before : count_;
        rank(operation_, {candidates_, count_}, 0, isLimited ? selected : 0,
             [&](std::uint32_t candidate) { return scores_[candidate]; });
        const auto isLarge = [&](const Box& box) {
            const float width = box.right - box.left;
            const float height = box.bottom - box.top;
            return width > parameters_.minimumSize && height > parameters_.minimumSize &&
                   box.left + width / 2.0F < imageWidth_ && box.top + height / 2.0F < imageHeight_;
        };
        std::size_t large = 0;
        forEachElement(operation_, selected, [&](std::size_t i) {
            if (isLarge(boxes_[candidates_[i]])) {
                candidates_[large++] = candidates_[i];
            }
        });
        return {candidates_, large};
    }

    std::span<const std::uint32_t> suppressOverlaps(std::span<std::uint32_t> selected) {
        const std::size_t taken = suppress(
            operation_, selected, parameters_.after,
            [&](std::uint32_t candidate) -> float& { return scores_[candidate]; },
            [&](std::uint32_t candidate) { return boxes_[candidate]; },
            dropAbove(parameters_.overlapThreshold));
        return selected.first(taken);
    }

    void write(std::size_t b, std::span<const std::uint32_t> taken) {
        for (const std::uint32_t candidate : taken) {
            const Box& box = boxes_[candidate];
            outputScores_.set(written_, scores_[candidate]);
            const std::size_t corner = std::size_t{written_} * 4;
            outputRegions_.set(corner, box.left);
            outputRegions_.set(corner + 1, box.top);
            outputRegions_.set(corner + 2, box.right);
            outputRegions_.set(corner + 3, box.bottom);
            operation_.outputs[2].as<std::int32_t>()[written_] = static_cast<std::int32_t>(b);
            ++written_;
            if (operation_.isOutOfTime(1)) {
                return;
            }
        }
    }

    const OperationView& operation_;
    const Parameters& parameters_;
    const Image scoreImage_;
    const Image deltaImage_;
    const RealReader<T> scoreInput_{operation_.inputs[0]};
    const RealReader<T> deltas_{operation_.inputs[kDeltas]};
    const RealReader<Anchor> anchors_{operation_.inputs[kAnchors]};
    const RealReader<Coordinate> images_{operation_.inputs[kImages]};
    const RealWriter<T> outputScores_{operation_.outputs[0]};
    const RealWriter<Coordinate> outputRegions_{operation_.outputs[1]};
    // Of the current image.
    const std::size_t count_;
    float imageHeight_ = 0.0F;
    float imageWidth_ = 0.0F;
    Box* const boxes_;
    float* const scores_;
    std::uint32_t* const candidates_;
    std::uint32_t written_ = 0;
};

Result<> run(const OperationView& operation, std::span<std::byte> scratch,
             std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    Result<std::uint32_t> result = 0;
    dispatchFloat(operation.inputs[0].type, [&]<class T>() {
        result = ProposalRun<T, T, T>(operation, parameters, scratch).propose();
    });
    dispatchQuantized8(operation.inputs[0].type, [&]<class T>() {
        result =
            ProposalRun<T, std::int16_t, std::uint16_t>(operation, parameters, scratch).propose();
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
