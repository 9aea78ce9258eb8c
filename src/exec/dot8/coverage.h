// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which quantisations these kernels cover: those of XNNPACK, with the same results. All others are
/// left to the reference kernels, which round differently.

#include <cstddef>
#include <vector>

#include "exec/dot8/microkernel.h"
#include "exec/operation/activation.h"
#include "exec/operation/operation.h"

namespace nnburst::exec::dot8 {

/// Whether input 0, the weights, and output 0 of an operation have types, scales and zero points
/// that are covered, and all inputs but input 0 are constants.
[[nodiscard]] bool isCovered(const OperationView& operation, QuantizedRange range) noexcept;

/// The factor from a sum of output `channel` to the output's units.
[[nodiscard]] float sumScale(const OperationView& operation, std::size_t channel) noexcept;

[[nodiscard]] Requantization requantizationOf(const OperandView& output,
                                              QuantizedRange range) noexcept;

}  // namespace nnburst::exec::dot8
