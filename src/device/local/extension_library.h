// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Extensions that come in shared libraries.

#include <string>

#include "nnburst/result.h"

namespace nnburst::device {

/// Loads the library and registers its extension; a library that is loaded already stays as it is.
/// Libraries are never unloaded. INVALID_ARGUMENT names the file and its fault. Runs code of the
/// library: the file must be trusted.
[[nodiscard]] Result<> loadExtension(const std::string& file);

}  // namespace nnburst::device
