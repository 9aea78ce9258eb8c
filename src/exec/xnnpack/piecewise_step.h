// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations on each element by itself, of many elements, piece by piece. XNNPACK does all
/// elements of such an operation in one tile, so that nothing else could end it, and no other
/// thread run on its processor.

#include "exec/xnnpack/operator_step.h"

namespace nnburst::exec::xnnpack {

/// A step for `operation`, whose type is one of unary.cpp or binary.cpp other than PRELU. Null if
/// it is short, if a tensor of several elements is constant or broadcast, or if XNNPACK does not
/// cover it.
[[nodiscard]] StepResult makePiecewiseStep(const OperationView& operation,
                                           const StepContext& context);

}  // namespace nnburst::exec::xnnpack
