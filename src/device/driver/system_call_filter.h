// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The system calls that a driver may make while it serves (seccomp(2)).

#include "nnburst/result.h"

namespace nnburst::device {

/// Limits all threads of the process, until it ends, to the calls of the list in
/// system_call_filter.cpp. Any other call ends the process with SIGSYS and a line on standard
/// error. Needs no_new_privs. GENERAL_FAILURE if the system refuses.
[[nodiscard]] Result<> installSystemCallFilter();

}  // namespace nnburst::device
