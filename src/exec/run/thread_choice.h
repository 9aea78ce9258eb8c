// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// With how many threads a model runs. A second thread halves the time of a large model and doubles
/// that of a small one; how much depends on the machine, and on whether a processor is left for the
/// client.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/run/answer_times.h"

namespace nnburst::exec {

/// Numbers of threads to compare, in order, each with the best before it. The first is 1; no other
/// is more than `processors`.
[[nodiscard]] std::vector<std::uint32_t> threadCountsToTry(std::size_t processors);

/// More threads are better than fewer in each way: not sooner at times and later at others.
[[nodiscard]] bool isWorthIt(const AnswerComparison& times) noexcept;

}  // namespace nnburst::exec
