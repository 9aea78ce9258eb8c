// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A model with a state of signed bytes, whose value zero is not the byte zero.

#include <cstdint>
#include <utility>

#include "nnburst/model_builder.h"

namespace nnburst::test {

/// Adds its input to the sum of the earlier ones, a state, which is input 1 and output 1. All are
/// four signed bytes of scale 0.5 and zero point 7.
inline Model makeQuantizedSum() {
    ModelBuilder builder;
    const auto tensor = [&] {
        return builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {4}, 0.5F, 7);
    };
    const auto in = tensor();
    const auto state = tensor();
    const auto sum = tensor();
    const auto next = tensor();
    const auto activation = builder.addScalar(std::int32_t{0});
    builder.addOperation(OperationType::ADD, {in, state, activation}, {sum});
    builder.addOperation(OperationType::ADD, {in, state, activation}, {next});
    return std::move(*builder.build({in, state}, {sum, next}));
}

}  // namespace nnburst::test
