// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What docs/operations.md says, from the definitions of the operations alone.

#include <cstddef>
#include <string>
#include <vector>

#include "nnburst/types.h"

namespace nnburst::operations {

/// The types that one input of an operation can have.
struct AcceptedTypes {
    std::size_t input = 0;
    std::vector<OperandType> types;
};

/// Asks the operation's check which types it takes, by trying all, one operand after the other. Of
/// the inputs tells of the one with most types, which is the one that holds the data.
[[nodiscard]] AcceptedTypes acceptedTypes(OperationType type);

/// The table of all operations, with what its columns mean, in Markdown.
[[nodiscard]] std::string markdown();

}  // namespace nnburst::operations
