// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Declares the definition of every operation of operation_list.h: `kAdd` for ADD. Each is defined
/// beside its reference kernel, in the file of its family in this folder.

#include "exec/operation/operation.h"
#include "nnburst/operation_list.h"

namespace nnburst::exec {

#define NNBURST_DECLARE(NAME, CODE, Name) extern const OperationDefinition k##Name;
NNBURST_OPERATIONS(NNBURST_DECLARE)
#undef NNBURST_DECLARE

}  // namespace nnburst::exec
