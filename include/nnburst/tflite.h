// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Import of TensorFlow Lite model files (schema version 3).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// An imported file. Variable tensors (states of recurrent operators), which the HAL does not have,
/// have become inputs and outputs of the model, after those of the file.
struct TfliteModel {
    /// A state: feed model output `output` back to model input `input` of the next step; zero at
    /// first.
    struct State {
        std::uint32_t input = 0;
        std::uint32_t output = 0;
    };

    Model model;
    std::vector<std::string> inputNames;   ///< of the file's inputs, in order, without states
    std::vector<std::string> outputNames;  ///< of the file's outputs, in order, without states
    std::vector<State> states;
};

/// Imports a file's contents. The FlatBuffers verifier runs first: damaged files are refused, never
/// trusted. INVALID_ARGUMENT names what is wrong or not understood, such as the operator.
[[nodiscard]] Result<TfliteModel> importTflite(std::span<const std::byte> file);

/// Imports the file at `path`; errors name it.
[[nodiscard]] Result<TfliteModel> loadTflite(const std::string& path);

}  // namespace nnburst
