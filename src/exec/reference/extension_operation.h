// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The definition through which the executor runs operations of vendor extensions.

#include "exec/operation/operation.h"

namespace nnburst::exec {

/// The definitions of every operation of an extension, the second of those whose outputs' sizes
/// follow from values (ExtensionOperation::isShrinking). They find the extension's code by the type
/// of the operation that they are called for.
extern const OperationDefinition kExtensionOperation;
extern const OperationDefinition kShrinkingExtensionOperation;

}  // namespace nnburst::exec
