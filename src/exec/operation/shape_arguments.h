// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arguments that decide output shapes, scalars and OperationDefinition::valueInputs, and the
/// shapes that are computed from them. They are untrusted: every size is computed in 64 bits and
/// becomes a shape only if it fits.

#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/operation/operation.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Reads the INT32 scalar `index`, one of `rank` axes; negative ones count from the last one on.
[[nodiscard]] Result<std::size_t> readAxis(const OperationView& operation, std::size_t index,
                                           std::size_t rank);

/// Reads the BOOL `index`, which errors call `name`.
[[nodiscard]] Result<bool> readFlag(const OperationView& operation, std::size_t index,
                                    const char* name);
/// The same for one that may be left out: false then.
[[nodiscard]] Result<bool> readOptionalFlag(const OperationView& operation, std::size_t index,
                                            const char* name);

/// Reads the BOOL `index` that says NCHW.
[[nodiscard]] inline Result<bool> readLayout(const OperationView& operation, std::size_t index) {
    return readFlag(operation, index, "layout");
}
/// The same for one that may be left out: false then.
[[nodiscard]] inline Result<bool> readOptionalLayout(const OperationView& operation,
                                                     std::size_t index) {
    return readOptionalFlag(operation, index, "layout");
}

/// The values of input `index`, an INT32 tensor of known shape among the operation's `valueInputs`.
[[nodiscard]] Result<std::span<const std::int32_t>> readValues(const OperationView& operation,
                                                               std::size_t index, const char* name);

/// The shape of output `index` with at most kMaximumRank `sizes`. INVALID_ARGUMENT if a size does
/// not fit into 32 bits or all together exceed kMaximumOperandBytes.
[[nodiscard]] Result<Shape> makeOutputShape(const OperationView& operation, std::size_t index,
                                            std::span<const std::uint64_t> sizes);

}  // namespace nnburst::exec
