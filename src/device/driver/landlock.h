// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Limits the files that a thread can open (landlock(7)).

#include <string>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::device {

/// From now on the calling thread, and threads that it starts, can open files under /proc and
/// /sys/devices/system/cpu for reading, and remove files from the folders `removableFrom`; nothing
/// else. Open descriptors are not affected. False if the kernel has no Landlock. Needs
/// no_new_privs.
[[nodiscard]] Result<bool> restrictFiles(const std::vector<std::string>& removableFrom);

}  // namespace nnburst::device
