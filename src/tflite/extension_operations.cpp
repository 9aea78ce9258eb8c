// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Converters of operators that become one operation of the extension org.nnburst.tflite.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/custom_options.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

Result<> convertFloatBinary(OperatorImport& op, OperationType operation) {
    inferBroadcast(op);
    const std::uint32_t a = op.floatInput(0);
    const std::uint32_t b = op.floatInput(1);
    if (op.operand(a).type != OperandType::TENSOR_FLOAT32) {
        return invalid("input of type {} is not supported", toString(op.type(0)));
    }
    const std::uint32_t computed = op.floatOutput();
    op.add(operation, {a, b}, {computed});
    op.finishFloat(computed);
    return {};
}

Result<> convertIntegerBinary(OperatorImport& op, OperationType operation) {
    if (op.type(0) != OperandType::TENSOR_INT32) {
        return invalid("input of type {} is not supported: must be TENSOR_INT32",
                       toString(op.type(0)));
    }
    inferBroadcast(op);
    op.add(operation, {op.input(0), op.input(1)}, {op.output()});
    return {};
}

Result<> convertGelu(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::GeluOptions>());
    op.inferShapeOf(0);
    const std::uint32_t input = op.floatInput(0);
    const std::uint32_t computed = op.floatOutput();
    op.add(operation, {input, op.scalar(options->approximate())}, {computed});
    op.finishFloat(computed);
    return {};
}

Result<> convertFakeQuant(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::FakeQuantOptions>());
    op.inferShapeOf(0);
    op.add(operation,
           {op.input(0), op.scalar(options->min()), op.scalar(options->max()),
            op.scalar(options->num_bits()), op.scalar(options->narrow_range())},
           {op.output()});
    return {};
}

Result<> convertBucketize(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::BucketizeOptions>());
    const std::uint32_t count = sizeOf(options->boundaries());
    const auto refuse = [&] {
        return invalid("{} boundaries: must be at least 1, in ascending order", count);
    };
    if (count == 0) {
        return refuse();
    }
    const std::span boundaries(options->boundaries()->data(), count);
    // Limits operators that share boundaries, before these are read.
    NNBURST_TRY_ASSIGN(
        const std::uint32_t constant,
        op.constant(OperandType::TENSOR_FLOAT32, {count}, std::as_bytes(boundaries)));
    if (!std::is_sorted(boundaries.begin(), boundaries.end())) {
        return refuse();
    }
    op.inferShapeOf(0);
    op.add(operation, {op.input(0), constant}, {op.output()});
    return {};
}

Result<> convertCumsum(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::CumsumOptions>());
    NNBURST_TRY_ASSIGN(const std::int32_t axis, op.integer(1, "axis"));
    op.inferShapeOf(0);
    const bool isInteger = op.type(0) == OperandType::TENSOR_INT32;
    const std::uint32_t input = isInteger ? op.input(0) : op.floatInput(0);
    const std::uint32_t computed = op.floatOutput();
    op.add(operation,
           {input, op.scalar(axis), op.scalar(options->exclusive()), op.scalar(options->reverse())},
           {computed});
    op.finishFloat(computed);
    return {};
}

Result<> convertMatrixDiag(OperatorImport& op, OperationType operation) {
    Dimensions result = op.shape(0);
    if (!result.empty()) {
        result.push_back(result.back());
        op.inferOutputShape(result);
    }
    op.add(operation, {op.input(0)}, {op.output()});
    return {};
}

Result<> convertMatrixSetDiag(OperatorImport& op, OperationType operation) {
    op.inferShapeOf(0);
    op.add(operation, {op.input(0), op.input(1)}, {op.output()});
    return {};
}

namespace {

Result<float> knownReal(OperatorImport& op, std::size_t index, const char* what) {
    const auto values = op.knownReals(index);
    if (!values || values->size() != 1) {
        return invalid("input {} ({}): must be a constant of FLOAT32 with one element", index,
                       what);
    }
    return values->front();
}

/// Adds up the steps, as TFLite does.
Result<> convertRealRange(OperatorImport& op) {
    NNBURST_TRY_ASSIGN(const float first, knownReal(op, 0, "start"));
    NNBURST_TRY_ASSIGN(const float limit, knownReal(op, 1, "limit"));
    NNBURST_TRY_ASSIGN(const float step, knownReal(op, 2, "delta"));
    const float steps = std::ceil((limit - first) / step);
    if (!(steps >= 1.0F && steps <= static_cast<float>(kMaximumIntegers))) {
        return invalid("{} to {} in steps of {}: must be 1 to {} elements", first, limit, step,
                       kMaximumIntegers);
    }
    std::vector<float> values{first};
    while (values.size() < static_cast<std::size_t>(steps)) {
        values.push_back(values.back() + step);
    }
    op.inferOutputShape({static_cast<std::uint32_t>(values.size())});
    return op.forwardReals(values);
}

}  // namespace

Result<> convertRange(OperatorImport& op, OperationType /*operation*/) {
    if (op.type(0) == OperandType::TENSOR_FLOAT32) {
        return convertRealRange(op);
    }
    NNBURST_TRY_ASSIGN(const std::int64_t first, op.integer(0, "start"));
    NNBURST_TRY_ASSIGN(const std::int64_t limit, op.integer(1, "limit"));
    NNBURST_TRY_ASSIGN(const std::int64_t step, op.integer(2, "delta"));
    const std::int64_t count = step == 0 ? 0 : (limit - first + step + (step > 0 ? -1 : 1)) / step;
    if (count < 1 || count > static_cast<std::int64_t>(kMaximumIntegers)) {
        return invalid("{} to {} in steps of {}: must be 1 to {} elements", first, limit, step,
                       kMaximumIntegers);
    }
    std::vector<std::int32_t> values;
    for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(static_cast<std::int32_t>(first + i * step));
    }
    op.inferOutputShape({static_cast<std::uint32_t>(count)});
    return op.forwardIntegers(values);
}

Result<> convertRfft2d(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto lengths, op.integers(1, "lengths"));
    if (lengths.size() != 2 || lengths[0] < 1 || lengths[1] < 1) {
        return invalid("lengths {}: must be two of at least 1", fmt::join(lengths, "x"));
    }
    if (op.inputIsComplex(0) || !op.outputIsComplex()) {
        return invalid("input and output: must be FLOAT32 and COMPLEX64");
    }
    Dimensions result = op.shape(0);
    if (result.size() >= 2) {
        result[result.size() - 2] = static_cast<std::uint32_t>(lengths[0]);
        result[result.size() - 1] = static_cast<std::uint32_t>(lengths[1]) / 2 + 1;
        result.push_back(2);
        op.inferOutputShape(result);
    }
    op.add(operation, {op.input(0), op.input(1)}, {op.output()});
    return {};
}

Result<> convertComplexPart(OperatorImport& op, OperationType operation) {
    if (!op.inputIsComplex(0) || op.outputIsComplex()) {
        return invalid("input and output: must be COMPLEX64 and FLOAT32");
    }
    Dimensions result = op.shape(0);
    if (op.isScalar(0)) {
        op.inferScalarOutput();
    } else if (!result.empty()) {
        result.pop_back();
        op.inferOutputShape(result);
    }
    op.add(operation, {op.input(0)}, {op.output()});
    return {};
}

Result<> convertAudioSpectrogram(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const CustomOptions options, CustomOptions::read(op));
    NNBURST_TRY_ASSIGN(const std::int32_t window, options.count("window_size", 0));
    NNBURST_TRY_ASSIGN(const std::int32_t stride, options.count("stride", 0));
    NNBURST_TRY_ASSIGN(const bool isSquared, options.truth("magnitude_squared"));
    const Dimensions shape = op.shape(0);
    if (shape.size() == 2 && window >= 2 && stride >= 1) {
        const auto size = static_cast<std::uint32_t>(window);
        const std::uint32_t windows =
            shape[0] < size ? 0 : (shape[0] - size) / static_cast<std::uint32_t>(stride) + 1;
        op.inferOutputShape({shape[1], windows, std::bit_ceil(size) / 2 + 1});
    }
    op.add(operation, {op.input(0), op.scalar(window), op.scalar(stride), op.scalar(isSquared)},
           {op.output()});
    return {};
}

Result<> convertMfcc(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const CustomOptions options, CustomOptions::read(op));
    // TFLite reads frequencies as integers.
    NNBURST_TRY_ASSIGN(const float lowest, options.real("lower_frequency_limit"));
    NNBURST_TRY_ASSIGN(const float highest, options.real("upper_frequency_limit"));
    NNBURST_TRY_ASSIGN(const std::int32_t bands, options.count("filterbank_channel_count", 0));
    NNBURST_TRY_ASSIGN(const std::int32_t coefficients, options.count("dct_coefficient_count", 0));
    Dimensions shape = op.shape(0);
    if (shape.size() == 3) {
        shape[2] = static_cast<std::uint32_t>(coefficients);
        op.inferOutputShape(shape);
    }
    op.add(operation,
           {op.input(0), op.input(1), op.scalar(std::trunc(lowest)), op.scalar(std::trunc(highest)),
            op.scalar(bands), op.scalar(coefficients)},
           {op.output()});
    return {};
}

/// The shape to which tensors of two shapes can be repeated.
Result<> convertBroadcastArgs(OperatorImport& op, OperationType /*operation*/) {
    std::vector<Dimensions> shapes;
    for (const std::size_t input : {0U, 1U}) {
        NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> sizes, op.integers(input, "shape"));
        for (const std::int32_t size : sizes) {
            if (size < 1) {
                return invalid("shape with size {}: must be at least 1", size);
            }
        }
        shapes.emplace_back(sizes.begin(), sizes.end());
    }
    const Dimensions result = shapes[0].empty()   ? shapes[1]
                              : shapes[1].empty() ? shapes[0]
                                                  : broadcastShape(shapes[0], shapes[1]);
    if (result.empty()) {
        return invalid("shapes {} and {}: must be the same but for sizes of 1",
                       dimensionsText(shapes[0]), dimensionsText(shapes[1]));
    }
    op.inferOutputShape({static_cast<std::uint32_t>(result.size())});
    return op.forwardIntegers({result.begin(), result.end()});
}

}  // namespace nnburst::tflite
