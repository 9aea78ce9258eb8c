// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The system calls of a frame, in a pass of its own.

#include <optional>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst_stream/frame_bank.h"
#include "nnburst_stream/options.h"

namespace nnburst::stream {

/// Of one way.
struct CallRate {
    double client = 0;
    std::optional<double> driver;  ///< only of a driver that this program has started
};

/// Sends frames of one client on each way in a traced child process, which starts everything anew,
/// and counts; one entry a way. Between frames the client spins, so that its waiting counts
/// nothing. Call it before this process has threads or other children.
[[nodiscard]] Result<std::vector<CallRate>> countCalls(const Options& options,
                                                       const TfliteModel& model,
                                                       const FrameBank& frames);

}  // namespace nnburst::stream
