// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A MobileNet v1 with everything that runs it.

#include <cstdint>

#include "direct_mobilenet.h"
#include "model_paths.h"
#include "nnburst/builtin_models.h"

namespace nnburst::bench {

/// Ends the program with a message if direct calls and driver do not give the same outputs.
struct Network {
    /// Kernels use `threads` threads, directly and in the devices. A driver with one has a
    /// processor of its own, one with more runs anywhere: measure those in a PlacedThread.
    explicit Network(const MobileNetV1Options& options, std::uint32_t threads = 1);

    Model model;
    DirectMobileNet direct;
    ModelPaths paths;
};

}  // namespace nnburst::bench
