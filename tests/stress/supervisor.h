// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs a case in a process of its own, so that nothing that it does reaches the next one.

#include <chrono>

#include "stress_case.h"

namespace nnburst::stress {

/// A case that takes longer than it was given by so much is killed, and is a hang. Above the sum of
/// the bounds that cases have themselves.
inline constexpr std::chrono::seconds kCaseHangBound{300};

/// HANG and CRASH if the process of the case does not end, or ends by a signal.
[[nodiscard]] CaseResult runInProcess(const StressCase& stressCase,
                                      std::chrono::milliseconds duration,
                                      std::chrono::milliseconds hangBound = kCaseHangBound);

}  // namespace nnburst::stress
