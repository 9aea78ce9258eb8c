// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Nice values in tests of the threads that serve bursts.

#include <sys/resource.h>

#include "system/scheduling.h"

namespace nnburst::burst {

/// The nice value of threads with a low priority; the usual one if this process may not set a nice
/// value back.
inline int lowNice() {
    const system::ScopedLowPriority scope;
    return ::getpriority(PRIO_PROCESS, 0);
}

}  // namespace nnburst::burst
