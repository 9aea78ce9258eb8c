// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// Operations that compute element by element, of one tensor or of two whose axes of size 1 are
/// repeated. The arithmetic is that of TFLite's kernels.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "model/operand_info.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

// ---- One tensor

Result<> checkFloatUnary(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<> runCos(const RunContext& run) {
    return mapElements<float, float>(run, [](float x) { return std::cos(x); });
}

/// To the nearest integer, halves to the even one.
Result<> runRound(const RunContext& run) {
    return mapElements<float, float>(run, [](float x) { return std::nearbyint(x); });
}

Result<> checkSign(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32, TENSOR_INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<> runSign(const RunContext& run) {
    const auto sign = [](auto x) {
        using T = decltype(x);
        return static_cast<T>(x > T{0} ? 1 : (x < T{0} ? -1 : 0));
    };
    return run.inputs[0].type == TENSOR_INT32 ? mapElements<std::int32_t, std::int32_t>(run, sign)
                                              : mapElements<float, float>(run, sign);
}

/// Inputs: the tensor, BOOL whether tanh approximates the error function.
Result<> checkGelu(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (approximate)", {BOOL}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<> runGelu(const RunContext& run) {
    if (scalarOf<std::uint8_t>(run.inputs[1]) != 0) {
        // 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
        const float factor = std::sqrt(2.0F / std::numbers::pi_v<float>);
        return mapElements<float, float>(run, [factor](float x) {
            return 0.5F * x * (1.0F + std::tanh(factor * (x + 0.044715F * x * x * x)));
        });
    }
    return mapElements<float, float>(run, [](float x) {
        return 0.5F * x * std::erfc(-x * std::numbers::sqrt2_v<float> / 2.0F);
    });
}

/// Inputs: the tensor, FLOAT32 minimum and maximum, INT32 bits, BOOL whether the range is narrow.
Result<> checkFakeQuant(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 5, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (minimum)", {FLOAT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (maximum)", {FLOAT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (bits)", {INT32}));
    NNBURST_TRY(checkType(inputs[4], "input 4 (narrow range)", {BOOL}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfFakeQuant(Operands inputs, std::size_t /*output*/) {
    const auto minimum = scalarOf<float>(inputs[1]);
    const auto maximum = scalarOf<float>(inputs[2]);
    const auto bits = scalarOf<std::int32_t>(inputs[3]);
    if (!(minimum <= 0.0F && maximum >= 0.0F && maximum > minimum) || !std::isfinite(minimum) ||
        !std::isfinite(maximum) || bits < 2 || bits > 16) {
        return invalid("range {} to {} in {} bits; must be a range around 0 in 2 to 16 bits",
                       minimum, maximum, bits);
    }
    return dimensionsOf(inputs[0]);
}

/// The range is moved so that 0 is one of its steps.
Result<> runFakeQuant(const RunContext& run) {
    const auto minimum = scalarOf<float>(run.inputs[1]);
    const auto maximum = scalarOf<float>(run.inputs[2]);
    const float lowest = scalarOf<std::uint8_t>(run.inputs[4]) != 0 ? 1.0F : 0.0F;
    const auto highest = static_cast<float>((1 << scalarOf<std::int32_t>(run.inputs[3])) - 1);
    const float scale = (maximum - minimum) / (highest - lowest);
    const float zeroPoint = std::clamp(std::round(lowest - minimum / scale), lowest, highest);
    const float nudgedMinimum = (lowest - zeroPoint) * scale;
    const float nudgedMaximum = (highest - zeroPoint) * scale;
    const float inverse = 1.0F / scale;
    return mapElements<float, float>(run, [=](float x) {
        const float clamped = std::min(nudgedMaximum, std::max(nudgedMinimum, x));
        return std::floor((clamped - nudgedMinimum) * inverse + 0.5F) * scale + nudgedMinimum;
    });
}

/// Inputs: the tensor, the boundaries in ascending order.
Result<> checkBucketize(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_FLOAT32, TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (boundaries)", {TENSOR_FLOAT32}));
    return checkType(outputs[0], "output 0", {TENSOR_INT32});
}

/// The number of boundaries that are not above the element.
Result<> runBucketize(const RunContext& run) {
    const float* boundaries = run.input<float>(1);
    const std::size_t count = countOf(run.inputs[1]);
    const auto bucket = [=](auto x) {
        const auto* end = std::upper_bound(boundaries, boundaries + count, static_cast<float>(x));
        return static_cast<std::int32_t>(end - boundaries);
    };
    return run.inputs[0].type == TENSOR_INT32 ? mapElements<std::int32_t, std::int32_t>(run, bucket)
                                              : mapElements<float, std::int32_t>(run, bucket);
}

// ---- Two tensors

template <OperandType type>
Result<> checkBinary(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {type}));
    NNBURST_TRY(checkSameType(inputs[0], inputs[1]));
    return checkSameType(inputs[0], outputs[0]);
}

/// The remainder has the sign of the divisor.
Result<> runFloorMod(const RunContext& run) {
    return combineElements<float>(run, [](float a, float b, float& out) -> Result<> {
        const float remainder = std::fmod(a, b);
        out = remainder != 0.0F && (b < 0.0F) != (remainder < 0.0F) ? remainder + b : remainder;
        return {};
    });
}

Result<> runAtan2(const RunContext& run) {
    return combineElements<float>(run, [](float y, float x, float& out) -> Result<> {
        out = std::atan2(y, x);
        return {};
    });
}

Result<> runTruncatedDiv(const RunContext& run) {
    return combineElements<std::int32_t>(
        run, [](const std::int32_t& a, const std::int32_t& b, std::int32_t& out) -> Result<> {
            const std::int32_t divisor = readOnce(&b);
            if (divisor == 0) {
                return invalid("division by 0; must be another number");
            }
            // In 64 bits, as -2^31 / -1 does not fit into 32.
            out = static_cast<std::int32_t>(std::int64_t{a} / divisor);
            return {};
        });
}

Result<> runBitwiseXor(const RunContext& run) {
    return combineElements<std::int32_t>(
        run, [](std::int32_t a, std::int32_t b, std::int32_t& out) -> Result<> {
            out = a ^ b;
            return {};
        });
}

/// Arithmetic; the number of bits is limited to 0 to 31.
Result<> runRightShift(const RunContext& run) {
    return combineElements<std::int32_t>(
        run, [](std::int32_t a, std::int32_t b, std::int32_t& out) -> Result<> {
            out = a >> std::clamp(b, 0, 31);
            return {};
        });
}

/// Powers that do not fit into 32 bits wrap around.
Result<> runIntegerPow(const RunContext& run) {
    return combineElements<std::int32_t>(
        run, [](std::int32_t a, const std::int32_t& b, std::int32_t& out) -> Result<> {
            const std::int32_t exponent = readOnce(&b);
            if (exponent < 0) {
                return invalid("exponent {}; must be at least 0", exponent);
            }
            auto factor = static_cast<std::uint32_t>(a);
            std::uint32_t power = 1;
            for (auto rest = static_cast<std::uint32_t>(exponent); rest != 0; rest >>= 1) {
                power *= (rest & 1) != 0 ? factor : 1;
                factor *= factor;
            }
            out = static_cast<std::int32_t>(power);
            return {};
        });
}

constexpr std::array kElementwiseOperations{
    OperationDefinition{Code::COS, "COS", checkFloatUnary, sameAsFirst, runCos},
    OperationDefinition{Code::ROUND, "ROUND", checkFloatUnary, sameAsFirst, runRound},
    OperationDefinition{Code::SIGN, "SIGN", checkSign, sameAsFirst, runSign},
    OperationDefinition{Code::GELU, "GELU", checkGelu, sameAsFirst, runGelu},
    OperationDefinition{Code::FAKE_QUANT, "FAKE_QUANT", checkFakeQuant, shapeOfFakeQuant,
                        runFakeQuant},
    OperationDefinition{Code::BUCKETIZE, "BUCKETIZE", checkBucketize, sameAsFirst, runBucketize},
    OperationDefinition{Code::FLOOR_MOD, "FLOOR_MOD", checkBinary<TENSOR_FLOAT32>, broadcastShape,
                        runFloorMod},
    OperationDefinition{Code::ATAN2, "ATAN2", checkBinary<TENSOR_FLOAT32>, broadcastShape,
                        runAtan2},
    OperationDefinition{Code::TRUNCATED_DIV, "TRUNCATED_DIV", checkBinary<TENSOR_INT32>,
                        broadcastShape, runTruncatedDiv},
    OperationDefinition{Code::BITWISE_XOR, "BITWISE_XOR", checkBinary<TENSOR_INT32>, broadcastShape,
                        runBitwiseXor},
    OperationDefinition{Code::INTEGER_POW, "INTEGER_POW", checkBinary<TENSOR_INT32>, broadcastShape,
                        runIntegerPow},
    OperationDefinition{Code::RIGHT_SHIFT, "RIGHT_SHIFT", checkBinary<TENSOR_INT32>, broadcastShape,
                        runRightShift},
};

}  // namespace

std::span<const OperationDefinition> elementwiseOperations() noexcept {
    return kElementwiseOperations;
}

}  // namespace nnburst::tflite_operations
