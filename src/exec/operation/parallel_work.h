// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which operations are divided among kernel threads.

namespace nnburst::exec {

/// An operation that takes less than this on one thread runs on one. Dividing it costs 1 to 1.5 us,
/// and makes it wait for the slowest thread.
inline constexpr double kMinimumParallelNs = 2500;

}  // namespace nnburst::exec
