// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The setup of a driver or a broker before it serves.

#include <sys/types.h>

#include <optional>

#include "client_source.h"
#include "device/driver/admission.h"
#include "device/driver/limits.h"
#include "nnburst/driver_options.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "options.h"
#include "service_manager.h"

namespace nnburst {

/// What a driver and a broker have in common.
struct Setup {
    ServiceManager manager;
    device::Admission::Options admission;
    device::Limits limits;
    ClientSource source;
    MetricsSockets metrics;
    UniqueFd parent;  ///< readable when the process that this one belongs to has ended
    DriverOptions device;
    std::optional<pid_t> measuring;  ///< a child that is to be reaped
};

/// Opens the sockets and sets up this process. Starts no thread; may start a child process that
/// measures the machine.
[[nodiscard]] Result<Setup> setUp(const driver::Options& options);

}  // namespace nnburst
