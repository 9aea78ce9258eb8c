// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Gives a test program an empty configuration of devices, whatever the machine has: the runtime
/// finds the device in this process alone. The runtime reads it with the first call of the API.

#include <cstdlib>

namespace nnburst::nnapi {
namespace {

/// A folder without *.json files.
const int kIsSet = ::setenv("NNBURST_DEVICES", "/proc/self/task", 1);

}  // namespace
}  // namespace nnburst::nnapi
