// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Starts programs, and opens descriptors of processes (pidfds).

#include <sys/types.h>

#include <string>
#include <vector>

#include "nnburst/unique_fd.h"

namespace nnburst::system {

/// The number under which a started program has the descriptor that it is given.
inline constexpr int kGivenDescriptor = 3;

/// Starts `program`, which is looked for in the directories of PATH if its name has no slash, and
/// sets `pid`. `arguments` begin with its name. Besides its output it has `descriptor` alone, as
/// kGivenDescriptor; its input is empty. It blocks and ignores no signals, whatever the calling
/// thread does, and is in a process group of its own, so that Ctrl-C in a terminal interrupts its
/// starter alone. Gives 0 or an errno.
[[nodiscard]] int startProgram(const std::string& program, std::vector<std::string> arguments,
                               int descriptor, pid_t& pid);

/// A descriptor (pidfd) that becomes readable when the process ends. None, with errno set, if the
/// system gives none.
[[nodiscard]] UniqueFd openProcess(pid_t pid) noexcept;

}  // namespace nnburst::system
