// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The extension org.nnburst.tflite as a whole.

#include "nnburst/extension.h"
#include "nnburst/result.h"

namespace nnburst::tflite_operations {

/// Makes the extension known to all devices of this process, for good, unless that was done before.
/// Thread-safe.
[[nodiscard]] Result<> registerOperations();

}  // namespace nnburst::tflite_operations
