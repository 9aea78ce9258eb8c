// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// ADD.
//
//     inputs  two tensors of rank up to 4, broadcast
//     output  of the broadcast shape
//
//     output = activation(input0 + input1)

#include <algorithm>

#include "exec/activation.h"
#include "exec/reference/broadcast.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/operation_check.h"
#include "exec/reference/quantized.h"

namespace nnburst::exec {

namespace {

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
    const OperandCheck input = check.input(0, "input0")
                                   .type({TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_INT32,
                                          TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED})
                                   .rank(1, 4);
    check.input(1, "input1").sameTypeAs(input).rank(1, 4);
    check.output(0, "output").sameTypeAs(input).rank(1, 4);
    NNBURST_TRY(check.result());
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation,
                       readActivation(operation, kActivation));
    check.require(input.view().type != TENSOR_INT32 || activation == FusedActivationFunc::NONE,
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

/// output = function(input0, input1), element by element.
template <class T, class Function>
void forEachPair(const OperationView& operation, Function&& function) {
    const T* a = operation.inputs[0].as<const T>();
    const T* b = operation.inputs[1].as<const T>();
    T* output = operation.outputs[0].as<T>();
    const Broadcast broadcast(operation.inputs[0].shape, operation.inputs[1].shape,
                              operation.outputs[0].shape);
    broadcast.forEachRow([&](std::size_t rowA, std::size_t rowB, std::size_t row) {
        for (std::size_t i = 0; i < broadcast.rowLength(); ++i) {
            output[row + i] =
                function(a[rowA + i * broadcast.strideA()], b[rowB + i * broadcast.strideB()]);
        }
    });
}

/// Both inputs in a common scale of 20 more bits, where their sum is exact.
class QuantizedAdder {
  public:
    QuantizedAdder(const OperandView& a, const OperandView& b, const OperandView& output,
                   QuantizedRange range) noexcept
        : zeroPointA_(a.zeroPoint), zeroPointB_(b.zeroPoint) {
        const double commonScale = 2.0 * std::max(a.scale, b.scale);
        multiplierA_ = QuantizedMultiplier(a.scale / commonScale);
        multiplierB_ = QuantizedMultiplier(b.scale / commonScale);
        requantize_ = Requantizer(commonScale / (kCommonUnit * static_cast<double>(output.scale)),
                                  output.zeroPoint, range);
    }

    [[nodiscard]] std::int32_t operator()(std::int32_t a, std::int32_t b) const noexcept {
        // At most 255 * 2^20 * 1/2 each: no overflow.
        return requantize_(multiplierA_((a - zeroPointA_) * kCommonUnit) +
                           multiplierB_((b - zeroPointB_) * kCommonUnit));
    }

  private:
    static constexpr std::int32_t kCommonUnit = 1 << 20;

    std::int32_t zeroPointA_;
    std::int32_t zeroPointB_;
    QuantizedMultiplier multiplierA_;
    QuantizedMultiplier multiplierB_;
    Requantizer requantize_;
};

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY_ASSIGN(const Shape shape, computeOutputShape(operation));
    NNBURST_TRY(requireOutputShape(operation, 0, shape));
    NNBURST_TRY_ASSIGN(const FusedActivationFunc activation,
                       readActivation(operation, kActivation));
    const OperandType type = operation.inputs[0].type;
    if (type == OperandType::TENSOR_INT32) {
        // Wraps around, as 32-bit sums do on every processor.
        forEachPair<std::uint32_t>(operation,
                                   [](std::uint32_t a, std::uint32_t b) { return a + b; });
    }
    dispatchFloat(type, [&]<class T>() {
        forEachPair<T>(operation, [range = activationRange(activation)](T a, T b) {
            const float sum = static_cast<float>(a) + static_cast<float>(b);
            return static_cast<T>(std::min(std::max(sum, range.minimum), range.maximum));
        });
    });
    dispatchQuantized8(type, [&]<class T>() {
        const OperandView& output = operation.outputs[0];
        const QuantizedAdder add(operation.inputs[0], operation.inputs[1], output,
                                 activationRange(activation, output));
        forEachPair<T>(operation, [&](T a, T b) { return static_cast<T>(add(a, b)); });
    });
    return {};
}

}  // namespace

constinit const OperationDefinition kAdd{
    .type = OperationType::ADD,
    .since = HalVersion::V1_0,
    .check = check,
    .inferShapes = inferShapes,
    .scratchBytes = nullptr,
    .run = run,
};

}  // namespace nnburst::exec
