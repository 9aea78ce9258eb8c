// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// BOX_WITH_NMS_LIMIT.
//
//     scores   [regions, classes]; class 0 is the background
//     regions  [regions, classes * 4]: left, top, right, bottom of each class; in units of 1/8
//              (TENSOR_QUANT16_ASYMM) with 8-bit scores
//     batches  INT32 [regions]: the image that each is in; those of an image follow each other
//     scoreThreshold, limit (INT32, negative for none), kernel (INT32), overlapThreshold, sigma,
//     suppressedThreshold: scalars
//
//     output scores [n], regions [n, 4], classes INT32 [n], batches INT32 [n]
//
// In each image and class, takes the box with the best score, lowers the scores of those that
// overlap it, and drops those that fall below suppressedThreshold; then the next one. Of all
// classes the best `limit` of an image remain, in the order of classes and scores.

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
namespace box_with_nms_limit {

using enum OperandType;

constexpr std::size_t kRegions = 1;
constexpr std::size_t kBatches = 2;
constexpr std::size_t kScoreThreshold = 3;
constexpr std::size_t kLimit = 4;
constexpr std::size_t kKernel = 5;
constexpr std::size_t kOverlapThreshold = 6;
constexpr std::size_t kSigma = 7;
constexpr std::size_t kSuppressedThreshold = 8;

/// The boxes of all classes, 4 numbers each, must fit into one axis of a tensor.
constexpr std::uint32_t kMaximumClasses = std::numeric_limits<std::uint32_t>::max() / 4;

enum class Kernel : std::int32_t { HARD = 0, LINEAR = 1, GAUSSIAN = 2 };

struct Parameters {
    float scoreThreshold = 0.0F;
    std::size_t limit = SIZE_MAX;
    Kernel kernel = Kernel::HARD;
    float overlapThreshold = 0.0F;
    float sigma = 1.0F;
    float suppressedThreshold = 0.0F;
};

Result<Parameters> readParameters(const OperationView& operation) {
    const OperandType type = operation.inputs[0].type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32;
    Parameters parameters;
    ScalarReads reads;
    NNBURST_TRY(reads.take(readConstantFloat(operation, kScoreThreshold, "score threshold", type),
                           parameters.scoreThreshold));
    std::int32_t limit = -1;
    NNBURST_TRY(reads.take(
        readConstantInt32(operation, kLimit, "limit", std::numeric_limits<std::int32_t>::min()),
        limit));
    parameters.limit = limit < 0 ? SIZE_MAX : static_cast<std::size_t>(limit);
    std::int32_t kernel = 0;
    NNBURST_TRY(reads.take(readConstantInt32(operation, kKernel, "kernel", 0), kernel));
    if (kernel > 2) {
        return invalid("BOX_WITH_NMS_LIMIT input 5 (kernel): {}; must be 0 to 2", kernel);
    }
    parameters.kernel = static_cast<Kernel>(kernel);
    NNBURST_TRY(
        reads.take(readConstantFloat(operation, kOverlapThreshold, "overlap threshold", type),
                   parameters.overlapThreshold));
    NNBURST_TRY(reads.take(readConstantFloat(operation, kSigma, "sigma", type), parameters.sigma));
    NNBURST_TRY(
        reads.take(readConstantFloat(operation, kSuppressedThreshold, "suppressed threshold", type),
                   parameters.suppressedThreshold));
    NNBURST_TRY(reads.result());
    return parameters;
}

void checkShapes(OperationCheck& check) {
    OperandCheck scores = check.input(0, "scores").rank(2).notEmpty(1);
    scores.require(scores[1] != 1, [] { return "1 class; must be more than the background"; })
        .require(scores[1] <= kMaximumClasses, [&] {
            return fmt::format("{} classes; must be at most {}", scores[1], kMaximumClasses);
        });
    check.input(kRegions, "regions")
        .rank(2)
        .size(0, scores[0], "the number of regions")
        .size(1, scores[1] * 4, "4 for each class");
    check.input(kBatches, "batches").rank(1).size(0, scores[0], "the number of regions");
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(9).outputCount(4);
    const OperandCheck scores = check.input(0, "scores")
                                    .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM,
                                           TENSOR_QUANT8_ASYMM_SIGNED});
    OperandCheck regions = check.input(kRegions, "regions");
    OperandCheck outputRegions = check.output(1, "output regions");
    if (isQuantized8Tensor(scores.view().type)) {
        regions.type({TENSOR_QUANT16_ASYMM}).quantization(0.125F, 0);
        outputRegions.type({TENSOR_QUANT16_ASYMM}).quantization(0.125F, 0);
    } else {
        regions.sameTypeAs(scores);
        outputRegions.sameTypeAs(scores);
    }
    check.input(kBatches, "batches").type({TENSOR_INT32});
    check.output(0, "output scores").sameTypeAs(scores).sameQuantizationAs(scores);
    check.output(2, "output classes").type({TENSOR_INT32});
    check.output(3, "output batches").type({TENSOR_INT32});
    checkShapes(check);
    NNBURST_TRY(check.result());
    NNBURST_TRY(readParameters(operation));
    return check.minimumVersion();
}

/// Upper bounds: every region lies in an image of its own, and no box is dropped.
Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    checkShapes(check);
    NNBURST_TRY(check.result());
    const Shape& scores = operation.inputs[0].shape;
    const std::uint64_t most =
        scores[0] * std::min(std::uint64_t{scores[1]} - 1, std::uint64_t{parameters.limit});
    NNBURST_TRY_ASSIGN(outputs[0], makeOutputShape(operation, 0, std::array{most}));
    NNBURST_TRY_ASSIGN(outputs[1],
                       makeOutputShape(operation, 1, std::array{most, std::uint64_t{4}}));
    NNBURST_TRY_ASSIGN(outputs[2], makeOutputShape(operation, 2, std::array{most}));
    NNBURST_TRY_ASSIGN(outputs[3], makeOutputShape(operation, 3, std::array{most}));
    return {};
}

/// Memory for scores, candidates, their order, and batches.
std::size_t scratchBytes(const OperationView& operation) {
    const Shape& scores = operation.inputs[0].shape;
    return scores.elementCount() * (sizeof(float) + 2 * sizeof(std::uint32_t)) +
           scores[0] * sizeof(std::int32_t);
}

/// Detects the boxes of all images. A candidate is region * classes + class.
template <class T, class Coordinate>
class Detector {
  public:
    Detector(const OperationView& operation, const Parameters& parameters,
             std::span<std::byte> scratch) noexcept
        : operation_(operation),
          parameters_(parameters),
          regions_(operation.inputs[kRegions]),
          regionCount_(operation.inputs[0].shape[0]),
          classes_(operation.inputs[0].shape[1]),
          scores_(reinterpret_cast<float*>(scratch.data())),
          candidates_(reinterpret_cast<std::uint32_t*>(scores_ + regionCount_ * classes_)),
          order_(candidates_ + regionCount_ * classes_),
          batches_(reinterpret_cast<std::int32_t*>(order_ + regionCount_ * classes_)) {}

    /// Returns the number of boxes that were written.
    Result<std::uint32_t> run() {
        const RealReader<T> given(operation_.inputs[0]);
        forEachElement(operation_, regionCount_ * classes_,
                       [&](std::size_t i) { scores_[i] = given[i]; });
        if (operation_.isOutOfTime(0)) {
            return written_;
        }
        std::copy_n(operation_.inputs[kBatches].as<const std::int32_t>(), regionCount_, batches_);
        std::size_t first = 0;
        while (first < regionCount_) {
            std::size_t last = first + 1;
            while (last < regionCount_ && batches_[last] == batches_[first]) {
                ++last;
            }
            NNBURST_TRY(checkBoxes(first, last));
            detect(first, last);
            first = last;
            if (operation_.isOutOfTime(0)) {
                break;
            }
        }
        return written_;
    }

  private:
    [[nodiscard]] Box box(std::uint32_t candidate) const noexcept {
        const std::size_t i = std::size_t{candidate} * 4;
        return {regions_[i], regions_[i + 1], regions_[i + 2], regions_[i + 3]};
    }

    /// Checks boxes of one image, the regions from `first` to `last - 1`: those that may be taken,
    /// and the first boxes of the image, as many as it has regions, which AOSP checks. All others
    /// may have any coordinates.
    [[nodiscard]] Result<> checkBoxes(std::size_t first, std::size_t last) const {
        for (std::size_t region = first; region < last; ++region) {
            for (std::size_t c = 0; c < classes_; ++c) {
                const std::size_t i = region * classes_ + c;
                const bool isCandidate = c > 0 && scores_[i] > parameters_.scoreThreshold;
                const bool isChecked = isCandidate || i - first * classes_ < last - first;
                if (isChecked) {
                    NNBURST_TRY(checkBox(
                        operation_, "input 1 (regions)", box(static_cast<std::uint32_t>(i)),
                        [&] { return fmt::format("region {} and class {}", region, c); }));
                }
                if (operation_.isOutOfTime(1)) {
                    return {};
                }
            }
        }
        return {};
    }

    std::size_t suppressClass(std::span<std::uint32_t> candidates) {
        const auto with = [&](auto&& keep) {
            return suppress(
                operation_, candidates, parameters_.limit,
                [&](std::uint32_t candidate) -> float& { return scores_[candidate]; },
                [&](std::uint32_t candidate) { return box(candidate); },
                [&](float& score, float share) {
                    score *= keep(share);
                    return score >= parameters_.suppressedThreshold;  // false if it is NaN
                });
        };
        switch (parameters_.kernel) {
            case Kernel::HARD:
                return with([limit = parameters_.overlapThreshold](float share) {
                    return share < limit ? 1.0F : 0.0F;
                });
            case Kernel::LINEAR:
                return with([limit = parameters_.overlapThreshold](float share) {
                    return share < limit ? 1.0F : 1.0F - share;
                });
            case Kernel::GAUSSIAN:
                break;
        }
        return with(
            [sigma = parameters_.sigma](float share) { return std::exp(-share * share / sigma); });
    }

    /// One image: the regions from `first` to `last - 1`. Ends early when the run is out of time.
    void detect(std::size_t first, std::size_t last) {
        std::size_t taken = 0;
        for (std::size_t c = 1; c < classes_; ++c) {
            std::size_t end = taken;
            forEachElement(operation_, last - first, [&](std::size_t i) {
                const std::size_t candidate = (first + i) * classes_ + c;
                if (scores_[candidate] > parameters_.scoreThreshold) {
                    candidates_[end++] = static_cast<std::uint32_t>(candidate);
                }
            });
            taken += suppressClass({candidates_ + taken, end - taken});
            if (operation_.isOutOfTime(last - first)) {
                return;
            }
        }
        const auto score = [&](std::uint32_t i) { return scores_[candidates_[i]]; };
        const std::size_t count = std::min(taken, parameters_.limit);
        rank(operation_, {order_, taken}, 0, count, score);
        const auto isBefore = [&](std::uint32_t a, std::uint32_t b) {
            const std::size_t classOfA = candidates_[a] % classes_;
            const std::size_t classOfB = candidates_[b] % classes_;
            if (classOfA != classOfB) {
                return classOfA < classOfB;
            }
            return score(a) != score(b) ? score(a) > score(b) : a < b;
        };
        sortFirst(operation_, order_, order_ + count, order_ + count, isBefore);
        write(first, count);
    }

    void write(std::size_t first, std::size_t count) {
        const RealWriter<T> scores(operation_.outputs[0]);
        const RealWriter<Coordinate> regions(operation_.outputs[1]);
        forEachElement(operation_, count, [&](std::size_t i) {
            const std::uint32_t candidate = candidates_[order_[i]];
            const Box found = box(candidate);
            scores.set(written_, scores_[candidate]);
            const std::size_t corner = std::size_t{written_} * 4;
            regions.set(corner, found.left);
            regions.set(corner + 1, found.top);
            regions.set(corner + 2, found.right);
            regions.set(corner + 3, found.bottom);
            operation_.outputs[2].as<std::int32_t>()[written_] =
                static_cast<std::int32_t>(candidate % classes_);
            operation_.outputs[3].as<std::int32_t>()[written_] = batches_[first];
            ++written_;
        });
    }

    const OperationView& operation_;
    const Parameters& parameters_;
    RealReader<Coordinate> regions_;
    std::size_t regionCount_;
    std::size_t classes_;
    float* scores_;
    std::uint32_t* candidates_;  // of the current image, by class, in the order of taking
    std::uint32_t* order_;       // of these candidates
    std::int32_t* batches_;
    std::uint32_t written_ = 0;
};

Result<> run(const OperationView& operation, std::span<std::byte> scratch,
             std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Parameters parameters, readParameters(operation));
    Result<std::uint32_t> result = 0;
    dispatchFloat(operation.inputs[0].type, [&]<class T>() {
        result = Detector<T, T>(operation, parameters, scratch).run();
    });
    dispatchQuantized8(operation.inputs[0].type, [&]<class T>() {
        result = Detector<T, std::uint16_t>(operation, parameters, scratch).run();
    });
    NNBURST_TRY_ASSIGN(const std::uint32_t count, std::move(result));
    outputs[0] = Shape{count};
    outputs[1] = Shape{count, 4};
    outputs[2] = Shape{count};
    outputs[3] = Shape{count};
    return {};
}

}  // namespace box_with_nms_limit
}  // namespace

constinit const OperationDefinition kBoxWithNmsLimit{
    .type = OperationType::BOX_WITH_NMS_LIMIT,
    .since = HalVersion::V1_2,
    .check = box_with_nms_limit::check,
    .inferShapes = box_with_nms_limit::inferShapes,
    .scratchBytes = box_with_nms_limit::scratchBytes,
    .runShrinking = box_with_nms_limit::run,
};

}  // namespace nnburst::exec
