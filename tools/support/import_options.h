// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of programs for the import of a .tflite file (TfliteOptions).

#include "nnburst/model_signature.h"

namespace CLI {
class App;
}

namespace nnburst::tools {

/// Adds --shape, which may be given once for each input, for TfliteOptions::inputDimensions, and
/// --integers-fit-int32. `shapes` and `integersFitInt32` outlive `app`.
void addImportOptions(CLI::App& app, InputDimensions& shapes, bool& integersFitInt32);

}  // namespace nnburst::tools
