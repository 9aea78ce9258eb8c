// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// MediaPipe's operations on landmarks: points [..., 3] or [..., 2] in an image, and the 4x4
/// matrices that map the pixels of an upright cut-out around some of them to the image.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/operand_info.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

struct Point {
    float x = 0.0F;
    float y = 0.0F;

    [[nodiscard]] Point rotated(float radians) const noexcept {
        return {x * std::cos(radians) - y * std::sin(radians),
                x * std::sin(radians) + y * std::cos(radians)};
    }
};

/// Landmark `index` of input 0, which has three coordinates each. Indices were checked before; what
/// has become another number since is limited to those that there are.
Point landmark(const RunContext& run, std::int32_t index) noexcept {
    const auto count = static_cast<std::int64_t>(countOf(run.inputs[0]) / 3);
    const auto limited = std::clamp<std::int64_t>(index, 0, count - 1);
    const float* at = run.input<float>(0) + static_cast<std::size_t>(limited) * 3;
    return {at[0], at[1]};
}

/// The smallest upright rectangle around the landmarks that input 1 lists, after a rotation.
struct Bounds {
    Point smallest{std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};
    Point largest{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::lowest()};

    /// Extends an empty rectangle to them. True if it ended early, as the run is over.
    [[nodiscard]] bool findIn(const RunContext& run, float radians) {
        return forEachElement(run, countOf(run.inputs[1]), [&](std::size_t i) {
            const Point point =
                landmark(run, readOnce(run.input<std::int32_t>(1) + i)).rotated(radians);
            smallest = {std::min(smallest.x, point.x), std::min(smallest.y, point.y)};
            largest = {std::max(largest.x, point.x), std::max(largest.y, point.y)};
        });
    }

    [[nodiscard]] Point size() const noexcept {
        return {largest.x - smallest.x, largest.y - smallest.y};
    }
    [[nodiscard]] Point middle() const noexcept {
        return {(largest.x + smallest.x) / 2.0F, (largest.y + smallest.y) / 2.0F};
    }
};

Result<> checkLandmarks(Operands inputs, Operands outputs, std::size_t integers,
                        std::size_t reals) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2 + integers + reals, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (landmarks inside)", {TENSOR_INT32}));
    for (std::size_t i = 2; i < inputs.size(); ++i) {
        NNBURST_TRY(checkType(inputs[i], "parameter", {i < 2 + integers ? INT32 : FLOAT32}));
    }
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

/// The matrix's shape. Input 1, a constant, and the scalars in front of `others` name landmarks.
Result<Dimensions> matrixShape(Operands inputs, std::size_t others) {
    const std::size_t landmarks = countOf(inputs[0]) / 3;
    NNBURST_TRY_ASSIGN(const auto inside, constantIntegers(inputs[1], "landmarks inside"));
    const auto isLandmark = [&](std::int32_t index) {
        return index >= 0 && static_cast<std::size_t>(index) < landmarks;
    };
    bool areLandmarks = !inside.empty() && countOf(inputs[0]) % 3 == 0 &&
                        std::all_of(inside.begin(), inside.end(), isLandmark);
    for (std::size_t i = 2; i < others; ++i) {
        areLandmarks = areLandmarks && isLandmark(scalarOf<std::int32_t>(inputs[i]));
    }
    if (!areLandmarks) {
        return invalid(
            "landmarks of shape {}; must be those that the other inputs name, with 3 "
            "coordinates",
            dimensionsText(inputs[0].dimensions));
    }
    return Dimensions{1, 4, 4};
}

// ---- LANDMARKS_TO_TRANSFORM_MATRIX: landmarks, those inside, INT32 the left and the right
// landmark, whose line shall have the target rotation, INT32 height and width of the cut-out,
// FLOAT32 target rotation, FLOAT32 factors of the width and the height.

constexpr std::size_t kIntegers = 4;
constexpr std::size_t kReals = 3;

Result<> checkToMatrix(Operands inputs, Operands outputs) {
    return checkLandmarks(inputs, outputs, kIntegers, kReals);
}

Result<Dimensions> shapeOfToMatrix(Operands inputs, std::size_t /*output*/) {
    if (scalarOf<std::int32_t>(inputs[4]) < 1 || scalarOf<std::int32_t>(inputs[5]) < 1) {
        return invalid("cut-out of {}x{}; must be at least 1", scalarOf<std::int32_t>(inputs[4]),
                       scalarOf<std::int32_t>(inputs[5]));
    }
    return matrixShape(inputs, 4);
}

/// Shift to the middle x rotation back x scale x shift by half of the cut-out.
Result<> runToMatrix(const RunContext& run) {
    const Point left = landmark(run, scalarOf<std::int32_t>(run.inputs[2]));
    const Point right = landmark(run, scalarOf<std::int32_t>(run.inputs[3]));
    const auto height = static_cast<float>(scalarOf<std::int32_t>(run.inputs[4]));
    const auto width = static_cast<float>(scalarOf<std::int32_t>(run.inputs[5]));
    const float radians =
        scalarOf<float>(run.inputs[6]) - std::atan2(right.y - left.y, right.x - left.x);
    Bounds bounds;
    if (bounds.findIn(run, radians)) {
        return {};
    }
    const Point middle = bounds.middle().rotated(-radians);
    const float scaleX = scalarOf<float>(run.inputs[7]) * bounds.size().x / width;
    const float scaleY = scalarOf<float>(run.inputs[8]) * bounds.size().y / height;
    const float cosine = std::cos(-radians);
    const float sine = std::sin(-radians);
    const float xx = cosine * scaleX;
    const float xy = -sine * scaleY;
    const float yx = sine * scaleX;
    const float yy = cosine * scaleY;
    const std::array<float, 16> matrix{
        xx,   xy,   0.0F, middle.x - xx * (width / 2.0F) - xy * (height / 2.0F),  //
        yx,   yy,   0.0F, middle.y - yx * (width / 2.0F) - yy * (height / 2.0F),  //
        0.0F, 0.0F, 1.0F, 0.0F,                                                   //
        0.0F, 0.0F, 0.0F, 1.0F};
    std::memcpy(run.outputs[0].data, matrix.data(), sizeof matrix);
    return {};
}

// ---- LANDMARKS_TO_TRANSFORM_MATRIX_V1: landmarks, those inside, INT32 the left and the right
// landmark, INT32 height and width of the image, height and width of the cut-out, INT32 range of
// the landmarks' coordinates, FLOAT32 factor of the rectangle.

constexpr std::size_t kIntegersV1 = 7;
constexpr std::size_t kRealsV1 = 1;

Result<> checkToMatrixV1(Operands inputs, Operands outputs) {
    return checkLandmarks(inputs, outputs, kIntegersV1, kRealsV1);
}

Result<Dimensions> shapeOfToMatrixV1(Operands inputs, std::size_t /*output*/) {
    for (std::size_t i = 4; i < 9; ++i) {
        if (scalarOf<std::int32_t>(inputs[i]) < 1) {
            return invalid("size or range {}; must be at least 1",
                           scalarOf<std::int32_t>(inputs[i]));
        }
    }
    return matrixShape(inputs, 4);
}

/// Coordinates from -1 to 1 stand between those of the image and those of the cut-out.
Result<> runToMatrixV1(const RunContext& run) {
    const Point left = landmark(run, scalarOf<std::int32_t>(run.inputs[2]));
    const Point right = landmark(run, scalarOf<std::int32_t>(run.inputs[3]));
    const auto number = [&](std::size_t input) {
        return static_cast<float>(scalarOf<std::int32_t>(run.inputs[input]));
    };
    const float halfHeight = (number(4) - 1.0F) / 2.0F;
    const float halfWidth = (number(5) - 1.0F) / 2.0F;
    const float stepY = 2.0F / (number(6) - 1.0F);
    const float stepX = 2.0F / (number(7) - 1.0F);
    const float range = number(8);
    const auto factor = scalarOf<float>(run.inputs[9]);
    const float radians = -std::atan((right.y - left.y) / (right.x - left.x));
    Bounds bounds;
    if (bounds.findIn(run, radians)) {
        return {};
    }
    const Point middle = bounds.middle().rotated(-radians);
    const float scaleX = bounds.size().x * factor / range;
    const float scaleY = bounds.size().y * factor / range;
    const float cosine = std::cos(-radians);
    const float sine = std::sin(-radians);
    // From the cut-out's coordinates to those of the image, both from -1 to 1.
    const float shiftX = middle.x / range * 2.0F - 1.0F;
    const float shiftY = middle.y / range * 2.0F - 1.0F;
    const auto writeRow = [&](std::size_t row, float half, float x, float y, float shift) {
        float* to = run.output<float>() + row * 4;
        to[0] = half * x * stepX;
        to[1] = half * y * stepY;
        to[2] = 0.0F;
        to[3] = half * (shift - x - y) + half;
    };
    writeRow(0, halfWidth, cosine * scaleX, -sine * scaleY, shiftX);
    writeRow(1, halfHeight, sine * scaleX, cosine * scaleY, shiftY);
    constexpr std::array<float, 8> kRest{0.0F, 0.0F, 1.0F, 0.0F, 0.0F, 0.0F, 0.0F, 1.0F};
    std::memcpy(run.output<float>() + 8, kRest.data(), sizeof kRest);
    return {};
}

// ---- TRANSFORM_LANDMARKS: landmarks, matrix [..., 4, 4], INT32 coordinates of each landmark (2 or
// 3), FLOAT32 factor of the matrix's shift. The third coordinate stays as it is.

Result<> checkTransformLandmarks(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (matrix)", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (coordinates)", {INT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (factor)", {FLOAT32}));
    return checkType(outputs[0], "output 0", {TENSOR_FLOAT32});
}

Result<Dimensions> shapeOfTransformLandmarks(Operands inputs, std::size_t /*output*/) {
    const auto coordinates = scalarOf<std::int32_t>(inputs[2]);
    if ((coordinates != 2 && coordinates != 3) || countOf(inputs[1]) != 16 ||
        countOf(inputs[0]) % static_cast<std::size_t>(coordinates) != 0) {
        return invalid(
            "landmarks of shape {} with {} coordinates, matrix of {}; must be 2 or 3 "
            "coordinates and 16 elements",
            dimensionsText(inputs[0].dimensions), coordinates,
            dimensionsText(inputs[1].dimensions));
    }
    return dimensionsOf(inputs[0]);
}

Result<> runTransformLandmarks(const RunContext& run) {
    const auto coordinates = static_cast<std::size_t>(scalarOf<std::int32_t>(run.inputs[2]));
    const auto factor = scalarOf<float>(run.inputs[3]);
    std::array<float, 8> matrix{};
    std::memcpy(matrix.data(), run.inputs[1].data, sizeof matrix);
    const std::size_t count = countOf(run.inputs[0]);
    for (std::size_t i = 0; i < count; i += coordinates) {
        const float* in = run.input<float>(0) + i;
        float* out = run.output<float>() + i;
        const float x = in[0];
        const float y = in[1];
        out[0] = matrix[0] * x + matrix[1] * y + matrix[3] * factor;
        out[1] = matrix[4] * x + matrix[5] * y + matrix[7] * factor;
        if (coordinates == 3) {
            out[2] = in[2];
        }
        if (run.limit.isOverAfter(coordinates)) {
            return {};
        }
    }
    return {};
}

constexpr std::array kLandmarkOperations{
    OperationDefinition{Code::LANDMARKS_TO_TRANSFORM_MATRIX, "LANDMARKS_TO_TRANSFORM_MATRIX",
                        checkToMatrix, shapeOfToMatrix, runToMatrix},
    OperationDefinition{Code::LANDMARKS_TO_TRANSFORM_MATRIX_V1, "LANDMARKS_TO_TRANSFORM_MATRIX_V1",
                        checkToMatrixV1, shapeOfToMatrixV1, runToMatrixV1},
    OperationDefinition{Code::TRANSFORM_LANDMARKS, "TRANSFORM_LANDMARKS", checkTransformLandmarks,
                        shapeOfTransformLandmarks, runTransformLandmarks},
};

}  // namespace

std::span<const OperationDefinition> landmarkOperations() noexcept {
    return kLandmarkOperations;
}

}  // namespace nnburst::tflite_operations
