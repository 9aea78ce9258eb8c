// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Loads the models of programs.

#include <string>

#include "nnburst/result.h"
#include "nnburst/tflite.h"

namespace nnburst::tools {

/// The names of the built-in models, for a program's help.
inline constexpr const char* kBuiltinModelsHelp =
    R"(Built-in models, with random weights that are always the same:
  builtin:mobilenet_v1_WIDTH_RESOLUTION[_quant]    such as builtin:mobilenet_v1_0.25_128
  builtin:lstm                                     a small recurrent network
)";

/// The model that `source` names: "builtin:..." as kBuiltinModelsHelp says, else a TFLite file,
/// which alone takes options.
[[nodiscard]] Result<TfliteModel> loadModel(const std::string& source,
                                            const TfliteOptions& options = {});

}  // namespace nnburst::tools
