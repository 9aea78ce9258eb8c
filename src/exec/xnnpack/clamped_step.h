// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operators without weights whose outputs have a range. Some releases of XNNPACK have no range in
/// sums, products and averages: there a second operator clamps the output in place.

#include "exec/xnnpack/operator_step.h"

namespace nnburst::exec::xnnpack {

/// A step of `made`, whose output is operand `outputIndex`, within `range`. Null if XNNPACK has no
/// such operator.
[[nodiscard]] StepResult makeClampedStep(CreatedOperator made, const FloatRange& range,
                                         const OperandView& output, std::size_t outputIndex,
                                         const Effort& effort);

}  // namespace nnburst::exec::xnnpack
