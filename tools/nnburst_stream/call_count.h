// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Counts the system calls of a frame, in a pass of its own.

#include <atomic>
#include <optional>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst_stream/frame_bank.h"
#include "nnburst_stream/options.h"

namespace nnburst::stream {

/// System calls a frame on one path.
struct CallRate {
    double client = 0;
    std::optional<double> driver;  ///< nullopt unless this program started the driver
};

/// Sends frames of one client on each path in a traced process, which opens its own devices, and
/// counts system calls; one entry for each path. Between frames the client spins, so that its
/// waiting makes no calls. Ends early, with an error, if a signal sets `stop` in that process. Must
/// be called before this process has threads.
[[nodiscard]] Result<std::vector<CallRate>> countCalls(const Options& options,
                                                       const TfliteModel& model,
                                                       const FrameBank& frames,
                                                       const std::atomic<bool>& stop);

}  // namespace nnburst::stream
