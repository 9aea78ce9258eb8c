// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Chooses the number of kernel threads of a model. A second thread halves the time of a large
/// model and doubles that of a small one; the effect depends on the machine, and on whether a
/// processor is left for the client.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/run/latency_sample.h"

namespace nnburst::exec {

/// The numbers of threads to try, in ascending order; each is compared with the best one before it.
/// The first is 1; none of the others exceeds `processors`.
[[nodiscard]] std::vector<std::uint32_t> threadCountsToTry(std::size_t processors);

/// True if more threads lower the median by at least a tenth and no other latency gets worse.
[[nodiscard]] bool isWorthIt(const LatencyComparison& times) noexcept;

}  // namespace nnburst::exec
