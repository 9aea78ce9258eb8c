// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A `Device` over NNAPI's C API, so that programs for devices run on the API, and with it on the
/// runtime and all its devices. Each way to execute goes through the function of that way:
/// executeSynchronously through compute, execute through startCompute, executeFenced through
/// startComputeWithDependencies, Burst::execute and ReusableExecution::compute through
/// burstCompute.

#include <string>

#include "nnburst/device.h"
#include "nnburst/result.h"
#include "support/nnapi_functions.h"

namespace nnburst::tools {

/// The device `name` of the API, or, if the name is empty, the choice of the runtime among all
/// devices. The API measures durations and takes deadlines only where one device was named:
/// without a name durations are not available, and deadlines are INVALID_ARGUMENT.
/// DEVICE_UNAVAILABLE if no device has the name.
///
/// Not supported: caching, driver-managed buffers, capabilities and extensions (the API lists none
/// of these), Burst::submit. A model must not be dropped by its own ExecutionCallback.
[[nodiscard]] Result<SharedDevice> makeNnapiDevice(const NnapiFunctions& functions,
                                                   const std::string& name = {});

}  // namespace nnburst::tools
