// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converter of the custom operator TFLite_Detection_PostProcess, whose options are a FlexBuffer.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
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

/// The scores in floating point, as the HAL takes them: with the background as the first class.
/// TFLite's files may do without it. Then zeros take its place, which the HAL's operation ignores.
Result<std::uint32_t> scoresWithBackground(OperatorImport& op, std::int32_t classes) {
    Dimensions shape = op.shape(kScores);
    if (shape.size() != 3 || shape[2] == 0) {
        return invalid("scores of shape {}: must have 3 dimensions", dimensionsText(shape));
    }
    const std::int64_t others = std::int64_t{shape[2]} - classes;
    if (others != 0 && others != 1) {
        return invalid(
            "{} classes with scores of shape {}: scores must have as many, or one more, the "
            "background",
            classes, dimensionsText(shape));
    }
    const std::uint32_t scores = op.floatInput(kScores);
    if (others == 1) {
        return scores;
    }
    constexpr std::array<std::int32_t, 6> kPadding{0, 0, 0, 0, 1, 0};  // one before the classes
    NNBURST_TRY_ASSIGN(
        const std::uint32_t padding,
        op.constant(OperandType::TENSOR_INT32, {3, 2}, std::as_bytes(std::span(kPadding))));
    ++shape[2];
    const std::uint32_t padded = op.temporary(OperandType::TENSOR_FLOAT32, std::move(shape));
    op.add(OperationType::PAD, {scores, padding}, {padded});
    return padded;
}

}  // namespace

/// In the HAL classes and number of detections are integers, and the outputs have another order.
Result<> convertDetectionPostprocess(OperatorImport& op, OperationType operation) {
    constexpr std::int32_t kDetectionsPerClass = 100;  // TFLite's default
    NNBURST_TRY_ASSIGN(const CustomOptions options, CustomOptions::read(op));
    NNBURST_TRY_ASSIGN(const std::int32_t classes, options.count("num_classes", 0));
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
    NNBURST_TRY_ASSIGN(const std::uint32_t scores, scoresWithBackground(op, classes));
    std::vector<std::uint32_t> inputs{scores, op.floatInput(kBoxes), op.floatInput(kAnchors)};
    for (const char* key : {"y_scale", "x_scale", "h_scale", "w_scale"}) {
        NNBURST_TRY_ASSIGN(const float scale, options.real(key));
        inputs.push_back(op.scalar(scale));
    }
    // TFLite detects scores of at least the threshold, the HAL those above it.
    NNBURST_TRY_ASSIGN(const float least, options.realFromZero("nms_score_threshold"));
    const float scoreThreshold = std::nextafter(least, 0.0F);
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
    const std::int32_t classesOfBox = std::max(1, std::min(classes, classesPerDetection));
    if (isRegular || classesOfBox == 1) {
        op.add(OperationType::CAST, {found}, {op.output(kDetections)});
        return {};
    }
    // TFLite returns the number of boxes. The HAL's operation counts each class of a box.
    const std::uint32_t number = op.temporary(OperandType::TENSOR_FLOAT32, {batches});
    NNBURST_TRY_ASSIGN(const std::uint32_t divisor, op.repeated(OperandType::TENSOR_FLOAT32, {1},
                                                                static_cast<float>(classesOfBox)));
    NNBURST_TRY_ASSIGN(const std::uint32_t activation,
                       op.activation(schema::ActivationFunctionType::NONE));
    op.add(OperationType::CAST, {found}, {number});
    op.add(OperationType::DIV, {number, divisor, activation}, {op.output(kDetections)});
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
