// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The devices that benchmarks share. Each is made when it is needed first and lives as long as the
/// program.

#include <cstdint>

#include "nnburst/device.h"

namespace nnburst::bench {

/// Where a driver process may run.
enum class DriverPlace {
    OWN_PROCESSOR,      ///< on processorPair()->driver alone
    CLIENTS_PROCESSOR,  ///< on processorPair()->client alone
    ANYWHERE            ///< wherever the program might when it started
};

/// A device in this process, with kernels on `threads` threads.
[[nodiscard]] Device& localDevice(std::uint32_t threads = 1);

/// A driver process, with kernels on `threads` threads.
[[nodiscard]] Device& driver(DriverPlace place, std::uint32_t threads = 1);

}  // namespace nnburst::bench
