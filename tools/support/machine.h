// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Describes the machine on which a program measures.

#include <string>

namespace nnburst::tools {

/// The processors' name as the system knows it, or "unknown processor".
[[nodiscard]] std::string processorName();

/// Name, release and architecture of the kernel, or "unknown kernel".
[[nodiscard]] std::string kernelName();

}  // namespace nnburst::tools
