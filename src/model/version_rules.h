// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The rules of older HAL versions for executions, and the options that they lack.

#include <cstddef>

#include "nnburst/execution.h"
#include "nnburst/hal_version.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Checks a rule of HAL 1.0 and 1.1: all dimensions of an output that has a value must be known
/// from the model or the request (HAL 1.0 types.hal, Operand::dimensions). INVALID_ARGUMENT names
/// the output.
[[nodiscard]] Result<> checkOutput(HalVersion version, std::size_t index, const Operand& operand,
                                   const RequestArgument& argument);

/// `options`, with defaults for those that `version` does not have.
[[nodiscard]] ExecutionOptions knownTo(HalVersion version,
                                       const ExecutionOptions& options) noexcept;

/// `result`, its status converted to one that `version` has.
template <class T>
[[nodiscard]] Result<T> knownTo(HalVersion version, Result<T> result) {
    if (!result) {
        result.error().status = convertTo(version, result.error().status);
    }
    return result;
}

}  // namespace nnburst
