// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The option for sizes of inputs that a .tflite file leaves open (TfliteOptions::inputDimensions).

#include "nnburst/model_signature.h"

namespace CLI {
class App;
}

namespace nnburst::tools {

/// Adds --shape, which may be given once for each input. `shapes` outlives `app`.
void addShapeOption(CLI::App& app, InputDimensions& shapes);

}  // namespace nnburst::tools
