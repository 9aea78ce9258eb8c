// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The definition through which the executor runs operations of vendor extensions.

#include "exec/operation/operation.h"

namespace nnburst::exec {

/// The definition of every operation of an extension. It finds the extension's code by the type of
/// the operation that it is called for.
extern const OperationDefinition kExtensionOperation;

}  // namespace nnburst::exec
