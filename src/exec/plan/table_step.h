// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations of 8 bits whose output elements depend on one input element each: they are looked up
/// in tables, which the reference kernel fills once. So the results are the reference kernel's.

#include <memory>

#include "exec/dot8/microkernel.h"
#include "exec/operation/operation_instance.h"
#include "exec/operation/step.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// A step for an activation, or for a CONCATENATION some of whose tensors have another scale than
/// the output and whose rows are not short. Null for other operations. RESOURCE_EXHAUSTED_TRANSIENT
/// if there is no memory.
[[nodiscard]] Result<std::unique_ptr<Step>> makeTableStep(const OperationInstance& operation,
                                                          const dot8::Microkernels& kernels);

}  // namespace nnburst::exec
