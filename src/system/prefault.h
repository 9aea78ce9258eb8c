// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the pages of memory present when it is set up, instead of by page faults when it is first
/// used.

#include <cstddef>
#include <span>

namespace nnburst::system {

/// Makes the pages of `memory`, which can be written, present in this process without changing
/// them. Where the kernel cannot (before Linux 5.14) or has no memory, the first access to each
/// page does it, as without this call.
void prefault(std::span<std::byte> memory) noexcept;

}  // namespace nnburst::system
