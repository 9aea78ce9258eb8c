// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which process may use the devices. A child of fork(2) has its parent's connections to drivers
/// and the locks of the device in this process, but not the threads that serve them: its calls
/// would never end, and what they send would disturb the parent.

namespace nnburst::nnapi {

/// From now on, children of this process see hasDevicesOfParent. Called before the devices are
/// made, which have threads, also the one in this process.
void keepDevicesFromChildren();

/// Whether this process was forked from one that used devices, and has not executed another program
/// since.
[[nodiscard]] bool hasDevicesOfParent() noexcept;

}  // namespace nnburst::nnapi
