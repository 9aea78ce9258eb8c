// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A reserve of address space for a process that must survive when its memory runs out. Cap'n Proto
/// and destructors allocate small objects where a failure would end the process. Where such an
/// allocation fails, the reserve is given up and the allocation is repeated.

#include <cstddef>

namespace nnburst::system {

inline constexpr std::size_t kMemoryReserveBytes = std::size_t{4} << 20;

/// Takes the reserve and installs a handler (std::set_new_handler) that gives it up. Its pages are
/// never touched, so it counts against RLIMIT_AS and RLIMIT_DATA and occupies no memory.
void keepMemoryReserve() noexcept;

/// Takes the reserve again if it was given up and there is room. Without keepMemoryReserve it does
/// nothing. Makes a system call only if the reserve is missing. Thread-safe.
void refillMemoryReserve() noexcept;

}  // namespace nnburst::system
