// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// DETECTION_POSTPROCESSING.
//
//     scores   [batches, anchors, classes]; class 0 is the background
//     deltas   [batches, anchors, 4 or more]: y, x, height, width, over the scales below
//     anchors  [anchors, 4]: y and x of the centre, height, width
//     scaleY, scaleX, scaleHeight, scaleWidth
//     isRegular (BOOL), limit, classesPerDetection, detectionsPerClass (INT32), scoreThreshold,
//     overlapThreshold, hasBackground (BOOL: classes are counted with it)
//
//     output scores [batches, n], boxes [batches, n, 4] (top, left, bottom, right), classes INT32
//     [batches, n], detections INT32 [batches]: how many there are; the rest is 0
//
// Regular: suppresses overlapping boxes in each class; n is limit. Else once for all classes, by
// the best score of each box, and gives the best classes of the at most `limit` boxes that remain;
// n is limit * classesPerDetection, as in AOSP and TFLite (the HAL speaks of limit alone).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/operation/scalar_reads.h"
#include "exec/operation/shape_arguments.h"
#include "exec/reference/boxes.h"
#include "exec/reference/definitions.h"
#include "exec/reference/elements.h"
#include "exec/reference/real_elements.h"
#include "model/invalid.h"

namespace nnburst::exec {

namespace {
namespace detection_postprocessing {

using enum OperandType;

constexpr std::size_t kDeltas = 1;
constexpr std::size_t kAnchors = 2;
constexpr std::size_t kScaleY = 3;
constexpr std::size_t kScaleX = 4;
constexpr std::size_t kScaleHeight = 5;
constexpr std::size_t kScaleWidth = 6;
constexpr std::size_t kIsRegular = 7;
constexpr std::size_t kLimit = 8;
constexpr std::size_t kClassesPerDetection = 9;
constexpr std::size_t kDetectionsPerClass = 10;
constexpr std::size_t kScoreThreshold = 11;
constexpr std::size_t kOverlapThreshold = 12;
constexpr std::size_t kHasBackground = 13;

struct Parameters {
    float scaleY = 1.0F;
    float scaleX = 1.0F;
    float scaleHeight = 1.0F;
    float scaleWidth = 1.0F;
    bool isRegular = false;
    std::uint32_t limit = 0;
    std::uint32_t classesPerDetection = 0;
    std::uint32_t detectionsPerClass = 0;
    float scoreThreshold = 0.0F;
    float overlapThreshold = 0.0F;
    bool hasBackground = false;

    /// Limit on the detections of one image.
    [[nodiscard]] std::uint64_t detections() const noexcept {
        return std::uint64_t{limit} * (isRegular ? 1 : classesPerDetection);
    }
};

Result<Parameters> readParameters(const OperationView& operation) {
    const OperandType type = operation.inputs[0].type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32;
    Parameters parameters;
    ScalarReads reads;
    const auto readPositive = [&](std::size_t index, const char* name, bool mayBeZero,
                                  float& value) -> Result<> {
        NNBURST_TRY(reads.take(readConstantFloat(operation, index, name, type), value));
        if (!(value > 0.0F || (mayBeZero && value == 0.0F))) {
            return invalid("DETECTION_POSTPROCESSING input {} ({}): value {}; must be {} 0", index,
                           name, value, mayBeZero ? "at least" : "more than");
        }
        return {};
    };
    const auto readScale = [&](std::size_t index, const char* name, float& value) {
        return readPositive(index, name, false, value);
    };
    const auto readThreshold = [&](std::size_t index, const char* name, float& value) {
        return readPositive(index, name, true, value);
    };
    const auto readCount = [&](std::size_t index, const char* name, std::uint32_t& value) {
        return reads.take(readConstantInt32(operation, index, name, 1), value);
    };
    NNBURST_TRY(readScale(kScaleY, "scale y", parameters.scaleY));
    NNBURST_TRY(readScale(kScaleX, "scale x", parameters.scaleX));
    NNBURST_TRY(readScale(kScaleHeight, "scale height", parameters.scaleHeight));
    NNBURST_TRY(readScale(kScaleWidth, "scale width", parameters.scaleWidth));
    const Result<bool> isRegular = readFlag(operation, kIsRegular, "regular");
    NNBURST_TRY(reads.take(isRegular, parameters.isRegular));
    NNBURST_TRY(readCount(kLimit, "limit", parameters.limit));
    // Each kind of suppression ignores the limit of the other one, which may have any value.
    if (parameters.isRegular) {
        NNBURST_TRY(
            readCount(kDetectionsPerClass, "detections per class", parameters.detectionsPerClass));
    } else if (isRegular) {
        NNBURST_TRY(readCount(kClassesPerDetection, "classes per detection",
                              parameters.classesPerDetection));
    }
    NNBURST_TRY(readThreshold(kScoreThreshold, "score threshold", parameters.scoreThreshold));
    NNBURST_TRY(readThreshold(kOverlapThreshold, "overlap threshold", parameters.overlapThreshold));
    NNBURST_TRY(
        reads.take(readFlag(operation, kHasBackground, "background"), parameters.hasBackground));
    NNBURST_TRY(reads.result());
    return parameters;
}

void checkShapes(OperationCheck& check) {
    const OperandCheck scores = check.input(0, "scores").rank(3);
    check.require(scores[2] == 0 || scores[2] >= 2,
                  [] { return "1 class; must be 2 or more, as class 0 is the background"; });
    OperandCheck deltas = check.input(kDeltas, "deltas").rank(3);
    deltas.size(0, scores[0], "the batches")
        .size(1, scores[1], "the number of anchors")
        .require(deltas[2] == 0 || deltas[2] >= 4, [&] {
            return fmt::format("{} elements an anchor; must be 4 or more", deltas[2]);
        });
    check.input(kAnchors, "anchors")
        .rank(2)
        .size(0, scores[1], "the number of anchors")
        .size(1, 4, "centre, height, width");
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(14).outputCount(4);
    const OperandCheck scores = check.input(0, "scores").type({TENSOR_FLOAT32, TENSOR_FLOAT16});
    check.input(kDeltas, "deltas").sameTypeAs(scores);
    check.input(kAnchors, "anchors").sameTypeAs(scores);
    check.input(kClassesPerDetection, "classes per detection").type({INT32});
    check.input(kDetectionsPerClass, "detections per class").type({INT32});
    check.output(0, "output scores").sameTypeAs(scores);
    check.output(1, "boxes").sameTypeAs(scores);
    check.output(2, "classes").type({TENSOR_INT32});
    check.output(3, "detections").type({TENSOR_INT32});
    checkShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readParameters(operation));
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    const Shape& scores = operation.inputs[0].shape;
    check.require(scores[2] >= 2 && operation.inputs[kDeltas].shape[2] >= 4,
                  [] { return "no classes or no deltas; must have at least one of each"; });
    NNBURST_TRY(check.result());
    const std::array sizes{std::uint64_t{scores[0]}, parameters.detections(), std::uint64_t{4}};
    NNBURST_TRY_ASSIGN(outputs[0], makeOutputShape(operation, 0, std::span(sizes).first(2)));
    NNBURST_TRY_ASSIGN(outputs[1], makeOutputShape(operation, 1, sizes));
    NNBURST_TRY_ASSIGN(outputs[2], makeOutputShape(operation, 2, std::span(sizes).first(2)));
    outputs[3] = Shape{scores[0]};
    return {};
}

/// Memory for one image: boxes with their best scores, and for each box and class a score, a
/// candidate and its position in the order of candidates.
std::size_t scratchBytes(const OperationView& operation) {
    const Shape& scores = operation.inputs[0].shape;
    const std::size_t anchors = scores[1];
    return anchors * (sizeof(Box) + sizeof(float)) +
           anchors * scores[2] * (sizeof(float) + 2 * sizeof(std::uint32_t));
}

/// Detects the boxes of one image at a time.
template <class T>
class Detector {
  public:
    Detector(const OperationView& operation, const Parameters& parameters,
             std::span<std::byte> scratch) noexcept
        : operation_(operation),
          parameters_(parameters),
          anchors_(operation.inputs[0].shape[1]),
          classes_(operation.inputs[0].shape[2]),
          boxes_(reinterpret_cast<Box*>(scratch.data())),
          best_(reinterpret_cast<float*>(boxes_ + anchors_)),
          scores_(best_ + anchors_),
          candidates_(reinterpret_cast<std::uint32_t*>(scores_ + anchors_ * classes_)),
          order_(candidates_ + anchors_ * classes_) {}

    /// Ends early when the run is out of time.
    void run(std::size_t batch) {
        read(batch);
        batch_ = batch;
        written_ = 0;
        if (operation_.isOutOfTime(anchors_ * classes_)) {
            return;
        }
        if (parameters_.isRegular) {
            detectByClass();
        } else {
            detectAtOnce();
        }
        operation_.outputs[3].as<std::int32_t>()[batch] = static_cast<std::int32_t>(written_);
        forEachElement(operation_, parameters_.detections() - written_,
                       [&](std::size_t /*i*/) { write(0.0F, {}, 0); });
    }

  private:
    void read(std::size_t batch) {
        const RealReader<T> deltas(operation_.inputs[kDeltas]);
        const RealReader<T> anchors(operation_.inputs[kAnchors]);
        const RealReader<T> scores(operation_.inputs[0]);
        const std::size_t deltaLength = operation_.inputs[kDeltas].shape[2];
        forEachElement(operation_, anchors_, [&](std::size_t a) {
            const std::size_t delta = (batch * anchors_ + a) * deltaLength;
            const float height = anchors[4 * a + 2];
            const float width = anchors[4 * a + 3];
            const float y = anchors[4 * a] + height * deltas[delta] / parameters_.scaleY;
            const float x = anchors[4 * a + 1] + width * deltas[delta + 1] / parameters_.scaleX;
            const float halfHeight =
                height * std::exp(deltas[delta + 2] / parameters_.scaleHeight) / 2.0F;
            const float halfWidth =
                width * std::exp(deltas[delta + 3] / parameters_.scaleWidth) / 2.0F;
            boxes_[a] = {x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight};
        });
        forEachElement(operation_, anchors_ * classes_, [&](std::size_t i) {
            const float score = scores[batch * anchors_ * classes_ + i];
            // NaN has no place in an order: it counts as the lowest score.
            scores_[i] = score == score ? score : std::numeric_limits<float>::lowest();
        });
    }

    /// Suppresses boxes class by class. A candidate is anchor * classes + class.
    void detectByClass() {
        std::size_t taken = 0;
        for (std::size_t c = 1; c < classes_; ++c) {
            std::size_t end = taken;
            forEachElement(operation_, anchors_, [&](std::size_t a) {
                const std::size_t candidate = a * classes_ + c;
                if (scores_[candidate] > parameters_.scoreThreshold) {
                    candidates_[end++] = static_cast<std::uint32_t>(candidate);
                }
            });
            taken += suppress(
                operation_, {candidates_ + taken, end - taken}, parameters_.detectionsPerClass,
                [&](std::uint32_t candidate) -> float& { return scores_[candidate]; },
                [&](std::uint32_t candidate) { return boxes_[candidate / classes_]; },
                dropAbove(parameters_.overlapThreshold));
            if (operation_.isOutOfTime(anchors_)) {
                return;
            }
        }
        const std::size_t count = std::min<std::size_t>(taken, parameters_.limit);
        rank(operation_, {order_, taken}, 0, count,
             [&](std::uint32_t i) { return scores_[candidates_[i]]; });
        forEachElement(operation_, count, [&](std::size_t i) {
            const std::uint32_t candidate = candidates_[order_[i]];
            write(scores_[candidate], boxes_[candidate / classes_], candidate % classes_);
        });
    }

    /// Suppresses boxes once for all classes. A candidate is an anchor.
    void detectAtOnce() {
        std::size_t count = 0;
        for (std::size_t a = 0; a < anchors_; ++a) {
            const float* const scores = scores_ + a * classes_;
            float best = scores[1];
            forEachElement(operation_, classes_ - 1,
                           [&](std::size_t c) { best = std::max(best, scores[c + 1]); });
            best_[a] = best;
            if (best > parameters_.scoreThreshold) {
                candidates_[count++] = static_cast<std::uint32_t>(a);
            }
            if (operation_.isOutOfTime(classes_)) {
                return;
            }
        }
        count = suppress(
            operation_, {candidates_, count}, parameters_.limit,
            [&](std::uint32_t candidate) -> float& { return best_[candidate]; },
            [&](std::uint32_t candidate) { return boxes_[candidate]; },
            dropAbove(parameters_.overlapThreshold));
        const std::size_t classesEach =
            std::min<std::size_t>(classes_ - 1, parameters_.classesPerDetection);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t anchor = candidates_[i];
            const float* const scores = scores_ + anchor * classes_;
            rank(operation_, {order_, classes_ - 1}, 1, classesEach,
                 [&](std::uint32_t c) { return scores[c]; });
            forEachElement(operation_, classesEach, [&](std::size_t k) {
                write(scores[order_[k]], boxes_[anchor], order_[k]);
            });
            if (operation_.isOutOfTime(classes_)) {
                return;
            }
        }
    }

    /// Writes one detection of class `c`, or filling with class 0 after the last detection.
    void write(float score, const Box& box, std::size_t c) {
        const RealWriter<T> scores(operation_.outputs[0]);
        const RealWriter<T> boxes(operation_.outputs[1]);
        const std::size_t detection = batch_ * parameters_.detections() + written_++;
        scores.set(detection, score);
        boxes.set(4 * detection, box.top);
        boxes.set(4 * detection + 1, box.left);
        boxes.set(4 * detection + 2, box.bottom);
        boxes.set(4 * detection + 3, box.right);
        const std::size_t background = c == 0 || parameters_.hasBackground ? 0 : 1;
        operation_.outputs[2].as<std::int32_t>()[detection] =
            static_cast<std::int32_t>(c - background);
    }

    const OperationView& operation_;
    const Parameters& parameters_;
    std::size_t anchors_;
    std::size_t classes_;
    Box* boxes_;
    float* best_;
    float* scores_;
    std::uint32_t* candidates_;
    std::uint32_t* order_;
    std::size_t batch_ = 0;
    std::size_t written_ = 0;
};

Result<> run(const OperationView& operation, std::span<std::byte> scratch) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    std::array<Shape, 4> shapes;
    NNBURST_TRY(inferShapes(operation, shapes));
    for (std::size_t output = 0; output < shapes.size(); ++output) {
        NNBURST_TRY(requireOutputShape(operation, output, shapes[output]));
    }
    dispatchFloat(operation.inputs[0].type, [&]<class T>() {
        Detector<T> detector(operation, parameters, scratch);
        for (std::size_t batch = 0; batch < operation.inputs[0].shape[0]; ++batch) {
            detector.run(batch);
            if (operation.isOutOfTime(parameters.detections())) {
                return;
            }
        }
    });
    return {};
}

}  // namespace detection_postprocessing
}  // namespace

constinit const OperationDefinition kDetectionPostprocessing{
    .type = OperationType::DETECTION_POSTPROCESSING,
    .since = HalVersion::V1_2,
    .check = detection_postprocessing::check,
    .inferShapes = detection_postprocessing::inferShapes,
    .scratchBytes = detection_postprocessing::scratchBytes,
    .run = detection_postprocessing::run,
};

}  // namespace nnburst::exec
