// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// PRELU.
//
//     input, alpha  two tensors, broadcast
//     output        of the broadcast shape: input where it is at least 0, else alpha * input

#include <algorithm>

#include "exec/reference/broadcast.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/quantized.h"

namespace nnburst::exec {

namespace {
namespace prelu {

Result<HalVersion> check(const OperationView& operation) {
    using enum OperandType;
    return checkBroadcast(
        operation, "input", "alpha",
        {TENSOR_FLOAT32, TENSOR_FLOAT16, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED});
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY(requireBroadcastOutput(operation));
    const OperandView& input = operation.inputs[0];
    const OperandView& alpha = operation.inputs[1];
    const OperandView& output = operation.outputs[0];
    dispatchFloat(input.type, [&]<class T>() {
        forEachPair<T, T>(operation, [](T element, T factor) {
            const auto value = static_cast<float>(element);
            return value >= 0.0F ? element : static_cast<T>(value * static_cast<float>(factor));
        });
    });
    dispatchQuantized8(input.type, [&]<class T>() {
        const QuantizedRange limits = quantizedLimits(output.type);
        const double scale = static_cast<double>(input.scale) / output.scale;
        const Requantizer positive(scale, output.zeroPoint, limits);
        const Requantizer negative(scale * alpha.scale, output.zeroPoint, limits);
        forEachPair<T, T>(operation, [&](T element, T factor) {
            const std::int32_t steps = element - input.zeroPoint;
            return static_cast<T>(steps >= 0 ? positive(steps)
                                             : negative(steps * (factor - alpha.zeroPoint)));
        });
    });
    return {};
}

}  // namespace prelu
}  // namespace

constinit const OperationDefinition kPrelu{
    .type = OperationType::PRELU,
    .since = HalVersion::V1_2,
    .check = prelu::check,
    .inferShapes = inferBroadcastShape,
    .run = prelu::run,
};

}  // namespace nnburst::exec
