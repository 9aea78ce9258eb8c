// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converter of the custom operator TFLite_Detection_PostProcess, whose options are a FlexBuffer.

#include <flatbuffers/flexbuffers.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The options of a custom operator, verified, in aligned memory of their own.
class CustomOptions {
  public:
    [[nodiscard]] static Result<CustomOptions> read(const schema::Operator& declaration) {
        constexpr std::size_t kMaximumBytes = 64 * 1024;
        constexpr std::size_t kMaximumDepth = 4;
        const auto* given = declaration.custom_options();
        const std::size_t sizeBytes = sizeOf(given);
        if (declaration.custom_options_format() != 0 || sizeBytes == 0 ||
            sizeBytes > kMaximumBytes) {
            return invalid("options of format {} with {} bytes: must be a FlexBuffer of 1 to {}",
                           declaration.custom_options_format(), sizeBytes, kMaximumBytes);
        }
        CustomOptions options;
        options.bytes_.assign(given->begin(), given->end());
        std::vector<std::uint8_t> reuseTracker;
        flexbuffers::Verifier verifier(options.bytes_.data(), sizeBytes, &reuseTracker, true,
                                       kMaximumDepth);
        if (!verifier.VerifyBuffer() || !options.root().IsMap()) {
            return invalid("options: must be a FlexBuffer with a map");
        }
        return options;
    }

    /// An integer of at least 0; `otherwise` if the key is absent.
    [[nodiscard]] Result<std::int32_t> count(const char* key, std::int32_t otherwise) const {
        const flexbuffers::Reference value = root().AsMap()[key];
        if (value.IsNull()) {
            return otherwise;
        }
        const std::int64_t number = value.IsIntOrUint() ? value.AsInt64() : -1;
        if (number < 0 || !std::in_range<std::int32_t>(number)) {
            return invalid("option {}: must be an integer of at least 0", key);
        }
        return static_cast<std::int32_t>(number);
    }

    [[nodiscard]] Result<float> real(const char* key) const {
        const flexbuffers::Reference value = root().AsMap()[key];
        const double number = value.IsNumeric() ? value.AsDouble() : NAN;
        if (!(std::fabs(number) <= static_cast<double>(std::numeric_limits<float>::max()))) {
            return invalid("option {}: must be a finite number", key);
        }
        return static_cast<float>(number);
    }

    /// A flag; false if the key is absent.
    [[nodiscard]] Result<bool> truth(const char* key) const {
        const flexbuffers::Reference value = root().AsMap()[key];
        if (!value.IsNull() && !value.IsBool() && !value.IsIntOrUint()) {
            return invalid("option {}: must be true or false", key);
        }
        return !value.IsNull() && value.AsInt64() != 0;
    }

  private:
    [[nodiscard]] flexbuffers::Reference root() const {
        return flexbuffers::GetRoot(bytes_.data(), bytes_.size());
    }

    std::vector<std::uint8_t> bytes_;
};

/// Inputs.
constexpr std::size_t kBoxes = 0;
constexpr std::size_t kScores = 1;
constexpr std::size_t kAnchors = 2;
/// Outputs.
constexpr std::size_t kDetectionBoxes = 0;
constexpr std::size_t kDetectionClasses = 1;
constexpr std::size_t kDetectionScores = 2;
constexpr std::size_t kDetections = 3;

/// In the HAL the first class is the background. TFLite's files may do without it.
Result<> requireBackground(OperatorImport& op, std::int32_t classes) {
    const Dimensions& scores = op.shape(kScores);
    if (scores.size() != 3 || scores[2] == 0) {
        return invalid("scores of shape {}: must have 3 dimensions", dimensionsText(scores));
    }
    if (std::int64_t{scores[2]} != std::int64_t{classes} + 1) {
        return invalid(
            "{} classes with scores of shape {}: scores must have one more, the background",
            classes, dimensionsText(scores));
    }
    return {};
}

}  // namespace

/// In the HAL classes and number of detections are integers, and the outputs have another order.
Result<> convertDetectionPostprocess(OperatorImport& op, OperationType operation) {
    constexpr std::int32_t kDetectionsPerClass = 100;  // TFLite's default
    NNBURST_TRY_ASSIGN(const CustomOptions options, CustomOptions::read(op.declaration()));
    NNBURST_TRY_ASSIGN(const std::int32_t classes, options.count("num_classes", 0));
    NNBURST_TRY(requireBackground(op, classes));
    NNBURST_TRY_ASSIGN(const std::int32_t maximum, options.count("max_detections", 0));
    NNBURST_TRY_ASSIGN(const std::int32_t classesPerDetection,
                       options.count("max_classes_per_detection", 0));
    NNBURST_TRY_ASSIGN(const std::int32_t perClass,
                       options.count("detections_per_class", kDetectionsPerClass));
    NNBURST_TRY_ASSIGN(const bool isRegular, options.truth("use_regular_nms"));
    if (maximum < 1 || classesPerDetection < 1 || perClass < 1) {
        return invalid("{} detections, {} classes for each, {} for each class: must be at least 1",
                       maximum, classesPerDetection, perClass);
    }
    std::vector<std::uint32_t> inputs{op.floatInput(kScores), op.floatInput(kBoxes),
                                      op.floatInput(kAnchors)};
    for (const char* key : {"y_scale", "x_scale", "h_scale", "w_scale"}) {
        NNBURST_TRY_ASSIGN(const float scale, options.real(key));
        inputs.push_back(op.scalar(scale));
    }
    NNBURST_TRY_ASSIGN(const float scoreThreshold, options.real("nms_score_threshold"));
    NNBURST_TRY_ASSIGN(const float overlapThreshold, options.real("nms_iou_threshold"));
    constexpr bool kCountsBackground = false;
    inputs.insert(inputs.end(),
                  {op.scalar(isRegular), op.scalar(maximum), op.scalar(classesPerDetection),
                   op.scalar(perClass), op.scalar(scoreThreshold), op.scalar(overlapThreshold),
                   op.scalar(kCountsBackground)});

    const std::uint32_t batches = sizeAt(op.shape(kScores), 0);
    // The number of detections that the HAL's operation returns.
    const std::int64_t most = std::int64_t{maximum} * (isRegular ? 1 : classesPerDetection);
    if (most > std::numeric_limits<std::int32_t>::max()) {
        return invalid("{} detections with {} classes for each: must be less than 2^31", maximum,
                       classesPerDetection);
    }
    const auto detections = static_cast<std::uint32_t>(most);
    op.inferOutputShape({batches, detections, 4}, kDetectionBoxes);
    op.inferOutputShape({batches, detections}, kDetectionClasses);
    op.inferOutputShape({batches, detections}, kDetectionScores);
    op.inferOutputShape({batches}, kDetections);
    const std::uint32_t foundClasses =
        op.temporary(OperandType::TENSOR_INT32, {batches, detections});
    const std::uint32_t found = op.temporary(OperandType::TENSOR_INT32, {batches});
    op.add(operation, std::move(inputs),
           {op.output(kDetectionScores), op.output(kDetectionBoxes), foundClasses, found});
    op.add(OperationType::CAST, {foundClasses}, {op.output(kDetectionClasses)});
    op.add(OperationType::CAST, {found}, {op.output(kDetections)});
    return {};
}

}  // namespace nnburst::tflite
