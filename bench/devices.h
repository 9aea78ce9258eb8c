// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The devices that benchmarks share. Each is made at its first use and lives as long as the
/// program.

#include <cstdint>

#include "nnburst/device.h"

namespace nnburst::bench {

/// Where a driver process may run.
enum class DriverPlacement {
    OWN_PROCESSOR,      ///< on processorPair()->driver alone
    CLIENTS_PROCESSOR,  ///< on processorPair()->client alone
    ANYWHERE            ///< on all processors that the program started with
};

/// A device in this process, with kernels on `threads` threads.
[[nodiscard]] Device& localDevice(std::uint32_t threads = 1);

/// A driver process, with kernels on `threads` threads.
[[nodiscard]] Device& driver(DriverPlacement placement, std::uint32_t threads = 1);

}  // namespace nnburst::bench
