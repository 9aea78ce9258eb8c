// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sandbox of a driver: restricts its process while it serves clients, so that a client that
/// takes it over by a fault in a kernel gains little. docs/driver.md has the list.
///
/// It closes in two steps, because some rights belong to a thread and others can be taken from all
/// threads at once. Files and libraries are opened before the first step.

#include <optional>
#include <string>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::device {

/// Whether the driver enters a sandbox at all. Builds with sanitizers cannot: their runtimes make
/// forbidden calls at any time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kHasSandbox = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kHasSandbox = false;
#else
inline constexpr bool kHasSandbox = true;
#endif
#else
inline constexpr bool kHasSandbox = true;
#endif

/// The rights that a driver keeps.
struct SandboxNeeds {
    bool lockedMemory = false;  ///< keeps CAP_IPC_LOCK, for memory that is locked later
    std::vector<std::string> removableFrom;  ///< folders of sockets that are removed later
};

/// Sets no_new_privs: the process and those that it starts get no new privileges by starting
/// programs. For a process that starts others, which cannot give up more. GENERAL_FAILURE if the
/// system refuses.
[[nodiscard]] Result<> refuseNewPrivileges();

/// Takes from the calling thread, and from threads that it starts afterwards: capabilities but
/// CAP_SYS_NICE, with which threads take real-time priority and go back from a low one, new
/// privileges by starting programs, and, where the kernel has Landlock, all files but those under
/// /proc and of the topology of the processors, for reading. Returns false if the kernel has no
/// Landlock. GENERAL_FAILURE if the system refuses.
[[nodiscard]] Result<bool> restrictRights(const SandboxNeeds& needs);

/// Limits the system calls of all threads to those that a driver needs. A call that would only look
/// for something fails; any other ends the process with SIGSYS, after a line on standard error that
/// names the call. GENERAL_FAILURE if the system refuses.
[[nodiscard]] Result<> restrictSystemCalls();

}  // namespace nnburst::device
