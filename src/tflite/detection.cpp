// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converter of the custom operator TFLite_Detection_PostProcess, whose options are a FlexBuffer.

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/custom_options.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

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

/// The outputs are the indices, for V5 their scores, and their number. V4 has no soft suppression.
Result<> convertNonMaxSuppression(OperatorImport& op, OperationType operation) {
    constexpr std::size_t kMaximum = 2;
    constexpr std::size_t kSigma = 5;
    NNBURST_TRY_ASSIGN(const std::int32_t maximum, op.integer(kMaximum, "largest number"));
    if (maximum < 1) {
        return invalid("{} boxes: must be at least 1", maximum);
    }
    std::vector<std::uint32_t> inputs{op.floatInput(0), op.floatInput(1), op.scalar(maximum)};
    for (std::size_t input = kMaximum + 1; input <= kSigma; ++input) {
        float value = 0.0F;
        if (input < op.inputCount()) {
            const auto bytes = op.constantBytes(input);
            if (op.type(input) != OperandType::TENSOR_FLOAT32 || bytes.size() != sizeof value) {
                return invalid("input {}: must be a constant of FLOAT32 with one element", input);
            }
            std::memcpy(&value, bytes.data(), sizeof value);
        }
        inputs.push_back(op.scalar(value));
    }
    const Dimensions shape{static_cast<std::uint32_t>(maximum)};
    const bool hasScores = op.outputCount() > 2;
    const std::size_t number = op.outputCount() - 1;
    op.inferOutputShape(shape);
    if (hasScores) {
        op.inferOutputShape(shape, 1);
    }
    op.inferScalarOutput(number);
    const std::uint32_t scores =
        hasScores ? op.output(1) : op.temporary(OperandType::TENSOR_FLOAT32, shape);
    op.add(operation, std::move(inputs), {op.output(), scores, op.output(number)});
    return {};
}

}  // namespace nnburst::tflite
