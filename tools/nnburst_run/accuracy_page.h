// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The page of accuracy runs: models with latency, accuracy, and the drift from another run or
/// device.

#include <span>
#include <string>
#include <utility>

#include "nnburst_run/accuracy.h"

namespace nnburst::run {

/// `against` are the earlier runs, or those of another device, by the model's name; `machine`
/// describes the machine.
[[nodiscard]] std::string accuracyPage(std::span<const ModelAccuracy> models,
                                       std::span<const ModelAccuracy> against,
                                       const std::string& machine);

/// The run of `against` that has the model's name; null if there is none.
[[nodiscard]] const ModelAccuracy* runOf(std::span<const ModelAccuracy> against,
                                         const std::string& model);

}  // namespace nnburst::run
