// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the operations of vendor extensions are operations like any other.

#include "exec/operation/operation.h"

namespace nnburst::exec {

/// Stands for every operation of an extension: finds the right one by the type of what it is given.
extern const OperationDefinition kExtensionOperation;

}  // namespace nnburst::exec
