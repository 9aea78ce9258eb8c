// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sets up the process of a driver before it starts threads: signals, name, processors, limits, and
/// its end with the process that started it. Ends it.

#include <cstdint>
#include <string>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/result.h"

namespace nnburst {

/// Leaves no signal with an effect that a driver should not have: writing to a closed socket, to a
/// file that cannot grow, or to the terminal from the background is an error of the call, and a
/// terminal that hangs up (SIGHUP) concerns no driver. SIGCHLD gets its default, as a process whose
/// parent ignores it does not learn how its children end.
void setUpSignals() noexcept;

/// Sets the name of the process that ps and top show. INVALID_ARGUMENT above 15 characters.
[[nodiscard]] Result<> setProcessName(const std::string& name);

/// INVALID_ARGUMENT for processors that this process may not use. Empty: all.
[[nodiscard]] Result<> useProcessors(const std::vector<std::uint32_t>& processors);

/// Limits the private memory of the process (RLIMIT_DATA); 0: no limit but that of the system.
[[nodiscard]] Result<> limitMemory(std::uint64_t bytes);

/// Blocks of 1 MiB and more are mapped one by one, so that they go back to the system when a client
/// is gone. Else the C library learns from large blocks that are freed to keep as much at the end
/// of the memory of each thread, where malloc_trim(3) does not look. Small blocks that are freed
/// join free ones beside them at once, for the same reason: malloc_trim joins them otherwise, and
/// leaves what is at the end then.
void returnFreedMemory() noexcept;

/// Raises the limit on descriptors as far as the system allows: each burst takes two.
void allowManyDescriptors() noexcept;

/// The process is killed with its parent. DEVICE_UNAVAILABLE if the process that made `socket` has
/// ended already. Returns a descriptor that becomes readable when that process ends: it is not the
/// parent if a script has started this one. No descriptor if it cannot be seen from here.
[[nodiscard]] Result<UniqueFd> endWithParent(int socket);

/// Ends the process with status 0 and without destructors, since threads may still use objects.
[[noreturn]] void endProcess(bool isSandboxed);

}  // namespace nnburst
