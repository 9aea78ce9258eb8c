// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// POW.
//
//     base, exponent  two tensors, broadcast
//     output          of the broadcast shape: base to the power of exponent

#include <cmath>

#include "exec/reference/broadcast.h"
#include "exec/reference/definitions.h"
#include "exec/reference/dispatch.h"

namespace nnburst::exec {

namespace {
namespace pow {

Result<HalVersion> check(const OperationView& operation) {
    return checkBroadcast(operation, "base", "exponent",
                          {OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16});
}

Result<> run(const OperationView& operation, std::span<std::byte> /*scratch*/) {
    NNBURST_TRY(requireBroadcastOutput(operation));
    dispatchFloat(operation.inputs[0].type, [&]<class T>() {
        forEachPair<T, T>(operation, [](T base, T exponent) {
            return static_cast<T>(std::pow(static_cast<float>(base), static_cast<float>(exponent)));
        });
    });
    return {};
}

}  // namespace pow
}  // namespace

constinit const OperationDefinition kPow{
    .type = OperationType::POW,
    .since = HalVersion::V1_2,
    .check = pow::check,
    .inferShapes = inferBroadcastShape,
    .run = pow::run,
};

}  // namespace nnburst::exec
