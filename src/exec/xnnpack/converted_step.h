// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations that XNNPACK covers in another form than that of the model. Their inputs are
/// converted to scratch memory, XNNPACK computes there, and the outputs are converted back:
///
///     float16              as float32: the float16 kernels are slower than that on x86, and wrong
///                          in the third digit
///     unsigned 8 bits with a filter a channel
///                          as signed 8 bits, which are the only ones with such filters; exact
///     NCHW                 as NHWC

#include "exec/xnnpack/operator_step.h"

namespace nnburst::exec::xnnpack {

/// A step for `operation` by conversion; null if none of the forms above helps.
[[nodiscard]] StepResult makeConvertedStep(const OperationView& operation,
                                           const StepContext& context);

}  // namespace nnburst::exec::xnnpack
