// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where nnburst-run takes its model from.

#include <string>

#include "nnburst/result.h"
#include "nnburst/tflite.h"

namespace nnburst::run {

/// The model that `source` names: "builtin:..." as the program's help says, else a TFLite file.
[[nodiscard]] Result<TfliteModel> loadModel(const std::string& source);

}  // namespace nnburst::run
