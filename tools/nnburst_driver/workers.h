// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A driver with --isolate: a broker that gives its clients to worker processes.

#include "driver_setup.h"
#include "nnburst/result.h"
#include "options.h"

namespace nnburst {

/// Gives the clients to worker processes until a signal stops the broker, and then ends this
/// process. Returns only if it cannot serve.
[[nodiscard]] Result<> serveByWorkers(const driver::Options& options, Setup setup);

/// For a worker, which has the command line of its broker: removes the sockets, which only the
/// broker has, and sets the nice value.
void becomeWorker(driver::Options& options);

}  // namespace nnburst
