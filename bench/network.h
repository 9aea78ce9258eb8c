// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A MobileNet v1 on all paths to the kernels.

#include <cstdint>

#include "direct_mobilenet.h"
#include "model_paths.h"
#include "nnburst/builtin_models.h"

namespace nnburst::bench {

/// Ends the program with a message if direct calls and the driver compute different outputs.
struct Network {
    /// Kernels run on `threads` threads, in direct calls and in the devices. A driver with one
    /// thread has a processor of its own; one with more may run anywhere: measure it in a
    /// ScopedAffinity.
    explicit Network(const MobileNetV1Options& options, std::uint32_t threads = 1);

    Model model;
    DirectMobileNet direct;
    ModelPaths paths;
};

}  // namespace nnburst::bench
