// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Recognises eventfds, which never block when they are examined, polled or closed.

namespace nnburst::system {

/// Whether `fd` is an eventfd (eventfd(2)). Asks the kernel for the name of its kind (proc(5), fd)
/// and does not use the descriptor: even adding 0 to the count of an eventfd blocks while the count
/// is at its maximum. False also where there is no /proc. Any thread.
[[nodiscard]] bool isEventFd(int fd) noexcept;

}  // namespace nnburst::system
