// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/operation/operation_instance.h"

#include "model/operand_info.h"

namespace nnburst::exec {

std::uint64_t sizeBytes(const OperandView& operand) noexcept {
    return std::uint64_t{elementBytes(operand.type)} * operand.shape.elementCount();
}

}  // namespace nnburst::exec
