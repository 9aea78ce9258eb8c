// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// RELU, RELU1, RELU6, LOGISTIC, TANH, ELU, HARD_SWISH.
//
//     input   any shape, of rank up to 4 for those of HAL 1.0
//     alpha   ELU only, a scalar
//     output  of the input's shape: the function of each element
//
//     RELU        max(0, x)
//     RELU1       min(1, max(-1, x))
//     RELU6       min(6, max(0, x))
//     LOGISTIC    1 / (1 + exp(-x)), quantised in units of 1/256
//     TANH        tanh(x), quantised in units of 1/128
//     ELU         x where it is at least 0, else alpha * (exp(x) - 1)
//     HARD_SWISH  x * min(6, max(0, x + 3)) / 6

#include <algorithm>
#include <cmath>

#include "exec/operation/operation_check.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"
#include "exec/reference/quantized_table.h"

namespace nnburst::exec {

namespace {
namespace activations {

using enum OperandType;

constexpr std::size_t kAlpha = 1;

/// Scale and zero point of 8-bit outputs.
void checkQuantization(OperandCheck& output, const OperandCheck& input, OperationType type) {
    if (!isQuantized8Tensor(output.view().type)) {
        return;
    }
    const std::int32_t lowest = quantizedLimits(output.view().type).minimum;
    switch (type) {
        case OperationType::LOGISTIC:
            output.quantization(1.0F / 256, lowest);
            break;
        case OperationType::TANH:
            output.quantization(1.0F / 128, lowest + 128);
            break;
        case OperationType::HARD_SWISH:
            break;
        case OperationType::RELU:
        case OperationType::RELU1:
        case OperationType::RELU6:
            output.sameQuantizationAs(input);
            break;
        default:  // ELU has no 8-bit outputs
            break;
    }
}

Result<HalVersion> check(const OperationView& operation) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    const bool isElu = operation.type == OperationType::ELU;
    const bool isOfHal13 = isElu || operation.type == OperationType::HARD_SWISH;
    check.inputCount(isElu ? 2 : 1).outputCount(1);
    OperandCheck input = check.input(0, "input");
    if (isElu) {
        input.type({TENSOR_FLOAT32, TENSOR_FLOAT16});
        check.input(kAlpha, "alpha")
            .type({input.view().type == TENSOR_FLOAT16 ? FLOAT16 : FLOAT32});
    } else {
        input.type(
            {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
    }
    input.rank(1, isOfHal13 ? kMaximumRank : 4);
    OperandCheck output = check.output(0, "output").sameTypeAs(input).sameShapeAs(input);
    checkQuantization(output, input, operation.type);
    check.since(HalVersion::V1_2,
                operation.type == OperationType::TANH && input.view().type == TENSOR_QUANT8_ASYMM);
    return check.minimumVersion();
}

/// Calls run(function) with the operation's function of a real number.
template <class Run>
void withFunction(const OperationView& operation, Run&& run) {
    switch (operation.type) {
        case OperationType::RELU:
            return run([](float x) { return std::max(x, 0.0F); });
        case OperationType::RELU1:
            return run([](float x) { return std::min(std::max(x, -1.0F), 1.0F); });
        case OperationType::RELU6:
            return run([](float x) { return std::min(std::max(x, 0.0F), 6.0F); });
        case OperationType::LOGISTIC:
            return run([](float x) { return 1.0F / (1.0F + std::exp(-x)); });
        case OperationType::TANH:
            return run([](float x) { return std::tanh(x); });
        case OperationType::ELU: {
            const OperandView& given = operation.inputs[kAlpha];
            const float alpha = given.type == FLOAT16 ? static_cast<float>(given.scalar<Float16>())
                                                      : given.scalar<float>();
            return run([alpha](float x) { return x >= 0.0F ? x : alpha * std::expm1(x); });
        }
        case OperationType::HARD_SWISH:
            return run([](float x) {
                return x * std::min(std::max(x + 3.0F, 0.0F), 6.0F) * (1.0F / 6.0F);
            });
        default:
            otherFamily(operation.type);
    }
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    const OperandView& input = operation.inputs[0];
    const OperandView& output = operation.outputs[0];
    NNBURST_TRY(requireOutputShape(operation, 0, input.shape));
    withFunction(operation, [&](auto&& function) {
        dispatchFloat(input.type, [&]<class T>() {
            transformElements<T, T>(operation, [&](T element) {
                return static_cast<T>(function(static_cast<float>(element)));
            });
        });
        dispatchQuantized8(input.type, [&]<class T>() {
            transformElements<T, T>(operation, QuantizedTable<T>(input, output, function));
        });
    });
    return {};
}

constexpr OperationDefinition kFamily{.type = OperationType::RELU,
                                      .since = HalVersion::V1_0,
                                      .check = check,
                                      .inferShapes = inferShapeOfInput,
                                      .run = run};

}  // namespace activations
}  // namespace

constinit const OperationDefinition kRelu = activations::kFamily;
constinit const OperationDefinition kRelu1 =
    activations::kFamily.with(OperationType::RELU1, HalVersion::V1_0);
constinit const OperationDefinition kRelu6 =
    activations::kFamily.with(OperationType::RELU6, HalVersion::V1_0);
constinit const OperationDefinition kLogistic =
    activations::kFamily.with(OperationType::LOGISTIC, HalVersion::V1_0);
constinit const OperationDefinition kTanh =
    activations::kFamily.with(OperationType::TANH, HalVersion::V1_0);
constinit const OperationDefinition kElu =
    activations::kFamily.with(OperationType::ELU, HalVersion::V1_3);
constinit const OperationDefinition kHardSwish =
    activations::kFamily.with(OperationType::HARD_SWISH, HalVersion::V1_3);

}  // namespace nnburst::exec
