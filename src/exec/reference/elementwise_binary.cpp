// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// ADD, SUB, MUL, DIV.
//
//     inputs  two tensors of rank up to 4, broadcast
//     output  of the broadcast shape
//
//     output = activation(input0 op input1)
//
// DIV takes no 8-bit tensors. Quotients of TENSOR_INT32 are rounded downwards. A quotient by 0,
// which the HAL leaves undefined, is 0. MUL takes 8-bit tensors of any scales, though the HAL wants
// that of the output to be larger than the product of those of the inputs.

#include <algorithm>

#include "exec/operation/activation.h"
#include "exec/operation/operation_check.h"
#include "exec/reference/broadcast.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/quantized.h"

namespace nnburst::exec {

namespace {
namespace elementwise_binary {

constexpr std::size_t kActivation = 2;

Result<Shape> computeOutputShape(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::COMPLETE);
    check.input(0, "input0").rank(1, 4);
    check.input(1, "input1").rank(1, 4);
    NNBURST_TRY(check.result());
    return broadcastShape(operation);
}

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(3).outputCount(1);
    OperandCheck input = check.input(0, "input0");
    if (operation.type == OperationType::DIV) {
        input.type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32});
    } else {
        input.type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32, TENSOR_QUANT8_ASYMM,
                    TENSOR_QUANT8_ASYMM_SIGNED});
    }
    input.rank(1, 4);
    check.input(1, "input1").sameTypeAs(input).rank(1, 4);
    check.output(0, "output").sameTypeAs(input).rank(1, 4);
    NNBURST_TRY(check.result());
    const OperandType type = input.view().type;
    check.since(HalVersion::V1_3, type == TENSOR_INT32);
    check.since(HalVersion::V1_2,
                type == TENSOR_QUANT8_ASYMM && operation.type == OperationType::SUB);
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation,
                       readActivation(operation, kActivation));
    check.require(type != TENSOR_INT32 || activation == FusedActivationFunc::NONE,
                  [] { return "an activation with TENSOR_INT32; must be 0 (NONE)"; });
    NNBURST_TRY(check.result());
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(computeOutputShape(operation));
    }
    return check.minimumVersion();
}

Result<> inferShapes(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    outputs[0] = shape;
    return {};
}

/// Sums and differences: both inputs are brought to a common scale with 20 more bits, where sums
/// are exact.
class QuantizedAdder {
  public:
    QuantizedAdder(const OperationView& operation, QuantizedRange range) noexcept
        : zeroPointA_(operation.inputs[0].zeroPoint),
          zeroPointB_(operation.inputs[1].zeroPoint),
          sign_(operation.type == OperationType::SUB ? -1 : 1) {
        const OperandView& a = operation.inputs[0];
        const OperandView& b = operation.inputs[1];
        const OperandView& output = operation.outputs[0];
        const double commonScale = 2.0 * std::max(a.scale, b.scale);
        multiplierA_ = QuantizedMultiplier(a.scale / commonScale);
        multiplierB_ = QuantizedMultiplier(b.scale / commonScale);
        requantize_ = Requantizer(commonScale / (kCommonUnit * static_cast<double>(output.scale)),
                                  output.zeroPoint, range);
    }

    [[nodiscard]] std::int32_t operator()(std::int32_t a, std::int32_t b) const noexcept {
        // At most 255 * 2^20 * 1/2 each: no overflow.
        return requantize_(multiplierA_((a - zeroPointA_) * kCommonUnit) +
                           sign_ * multiplierB_((b - zeroPointB_) * kCommonUnit));
    }

  private:
    static constexpr std::int32_t kCommonUnit = 1 << 20;

    std::int32_t zeroPointA_;
    std::int32_t zeroPointB_;
    std::int32_t sign_;
    QuantizedMultiplier multiplierA_;
    QuantizedMultiplier multiplierB_;
    Requantizer requantize_;
};

class QuantizedMultiplication {
  public:
    QuantizedMultiplication(const OperationView& operation, QuantizedRange range) noexcept
        : zeroPointA_(operation.inputs[0].zeroPoint), zeroPointB_(operation.inputs[1].zeroPoint) {
        const double scaleA = operation.inputs[0].scale;
        const double scaleB = operation.inputs[1].scale;
        const OperandView& output = operation.outputs[0];
        requantize_ = Requantizer(scaleA * scaleB / output.scale, output.zeroPoint, range);
    }

    [[nodiscard]] std::int32_t operator()(std::int32_t a, std::int32_t b) const noexcept {
        return requantize_((a - zeroPointA_) * (b - zeroPointB_));
    }

  private:
    std::int32_t zeroPointA_;
    std::int32_t zeroPointB_;
    Requantizer requantize_;
};

template <class T>
void runFloat(const OperationView& operation, FloatRange range) {
    const auto run = [&](auto&& function) {
        forEachPair<T, T>(operation, [&](T a, T b) {
            const float result = function(static_cast<float>(a), static_cast<float>(b));
            return static_cast<T>(std::min(std::max(result, range.minimum), range.maximum));
        });
    };
    switch (operation.type) {
        case OperationType::ADD:
            return run([](float a, float b) { return a + b; });
        case OperationType::SUB:
            return run([](float a, float b) { return a - b; });
        case OperationType::MUL:
            return run([](float a, float b) { return a * b; });
        case OperationType::DIV:
            return run([](float a, float b) { return a / b; });
        default:
            otherFamily(operation.type);
    }
}

/// `a` divided by the number at `divisor`, rounded downwards. Another process may change the
/// divisor, so it is read once.
std::int32_t divideDownwards(std::int64_t a, const std::int32_t& divisor) noexcept {
    const std::int64_t b = static_cast<const volatile std::int32_t&>(divisor);
    if (b == 0) {
        return 0;
    }
    const bool isRoundedUp = a % b != 0 && (a < 0) != (b < 0);
    return static_cast<std::int32_t>(a / b - (isRoundedUp ? 1 : 0));
}

/// Overflow wraps around, as 32-bit arithmetic does on every processor.
void runInt32(const OperationView& operation) {
    using U = std::uint32_t;
    switch (operation.type) {
        case OperationType::ADD:
            return forEachPair<U, U>(operation, [](U a, U b) { return a + b; });
        case OperationType::SUB:
            return forEachPair<U, U>(operation, [](U a, U b) { return a - b; });
        case OperationType::MUL:
            return forEachPair<U, U>(operation, [](U a, U b) { return a * b; });
        case OperationType::DIV:
            return forEachPair<std::int32_t, std::int32_t>(operation, divideDownwards);
        default:
            otherFamily(operation.type);
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation,
                       readActivation(operation, kActivation));
    const OperandType type = operation.inputs[0].type;
    if (type == OperandType::TENSOR_INT32) {
        runInt32(operation);
    }
    dispatchFloat(type, [&]<class T>() { runFloat<T>(operation, activationRange(activation)); });
    dispatchQuantized8(type, [&]<class T>() {
        const QuantizedRange range = activationRange(activation, operation.outputs[0]);
        const auto run = [&](const auto& function) {
            forEachPair<T, T>(operation, [&](T a, T b) { return static_cast<T>(function(a, b)); });
        };
        if (operation.type == OperationType::MUL) {
            run(QuantizedMultiplication(operation, range));
        } else {
            run(QuantizedAdder(operation, range));
        }
    });
    return {};
}

constexpr OperationDefinition kFamily{.type = OperationType::ADD,
                                      .since = HalVersion::V1_0,
                                      .check = check,
                                      .inferShapes = inferShapes,
                                      .run = run};

}  // namespace elementwise_binary
}  // namespace

constinit const OperationDefinition kAdd = elementwise_binary::kFamily;
constinit const OperationDefinition kSub =
    elementwise_binary::kFamily.with(OperationType::SUB, HalVersion::V1_1);
constinit const OperationDefinition kMul =
    elementwise_binary::kFamily.with(OperationType::MUL, HalVersion::V1_0);
constinit const OperationDefinition kDiv =
    elementwise_binary::kFamily.with(OperationType::DIV, HalVersion::V1_1);

}  // namespace nnburst::exec
