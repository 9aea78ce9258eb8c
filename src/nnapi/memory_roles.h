// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The uses of memory that a description names. Plain values.

#include <compare>
#include <cstdint>
#include <set>

#include "nnburst/types.h"

namespace nnburst::nnapi {

/// An input or output of the executions of a compilation.
struct MemoryRole {
    std::uint64_t compilation = 0;  ///< Compilation::id
    bool isOutput = false;
    std::uint32_t index = 0;

    auto operator<=>(const MemoryRole&) const = default;
};

/// All uses of a memory, and what its contents are.
struct MemoryRoles {
    std::set<MemoryRole> roles;
    /// The operand of all roles, but for its dimensions.
    Operand operand;
    Dimensions dimensions;  ///< as far as roles and the program know them
};

}  // namespace nnburst::nnapi
