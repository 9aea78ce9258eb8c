// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What can be said of a descriptor without waiting: whether other accesses to it may wait. Any
/// thread.

namespace nnburst::device {

/// Whether examining a descriptor may wait for another process: any but memfds, shared memory and
/// eventfds. Even a FIFO may be one of FUSE, and what has no file may be any driver's. Does not
/// block itself.
[[nodiscard]] bool mayBlock(int fd) noexcept;

/// Whether closing the last descriptor takes no time: an eventfd's, or that of memory of which
/// little is present.
[[nodiscard]] bool closesAtOnce(int fd) noexcept;

}  // namespace nnburst::device
