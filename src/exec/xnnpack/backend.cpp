// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/xnnpack/backend.h"

namespace nnburst::exec::xnnpack {

Result<std::unique_ptr<Step>> makeStep(const OperationView& /*operation*/,
                                       const StepContext& /*context*/) {
    return nullptr;
}

}  // namespace nnburst::exec::xnnpack
