// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Extensions that come in shared libraries.

#include <string>

#include "nnburst/result.h"

namespace nnburst::device {

/// Loads the library and registers its extension; one that is loaded already is left as it is. It
/// is never unloaded. INVALID_ARGUMENT names the file and what is wrong with it. Runs code of the
/// library: the file must be trusted.
[[nodiscard]] Result<> loadExtension(const std::string& file);

}  // namespace nnburst::device
