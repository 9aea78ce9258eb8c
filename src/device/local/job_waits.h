// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/duration_histogram.h"

namespace nnburst::device {

/// How long jobs have waited for a thread.
using JobWaits = system::DurationHistogram;

}  // namespace nnburst::device
