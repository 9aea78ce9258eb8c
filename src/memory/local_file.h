// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which files of other processes may be read and written: those on which an access ends by itself.
/// On other files (FUSE, network file systems) a server decides when an access ends, and that may
/// be never. A thread that waits for it cannot even be killed.

#include <string>

#include "nnburst/result.h"

namespace nnburst {

/// Whether `type`, the f_type of statfs(2), is a file system that keeps its files in memory or on
/// local disks. The list has what is known to do so; any other type is not local. Overlayfs is not
/// local: statfs(2) gives its own type, not that of its layers.
[[nodiscard]] bool isLocalFileSystem(unsigned long type) noexcept;

/// INVALID_ARGUMENT unless accesses to the regular file `fd` end by themselves. The message begins
/// with `what`, which names the file. On overlayfs only files that are open for writing and lie on
/// a disk are accepted. May block on a file that it refuses.
[[nodiscard]] Result<> checkLocalFile(int fd, const std::string& what);

}  // namespace nnburst
