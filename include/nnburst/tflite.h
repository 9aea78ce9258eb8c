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

#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// What an import does where a file leaves a choice.
struct TfliteOptions {
    /// Sizes of inputs that the file leaves open (-1 in its shape signature) stay open, so that
    /// each request says them. Otherwise they are what the file names besides, mostly 1.
    bool keepsOpenSizes = false;
    /// The signature to import: its subgraph becomes the model, and its names those of inputs and
    /// outputs. Empty: the file's main subgraph, with the names of its tensors.
    std::string signature;
};

/// A function that a file offers by name (SignatureDef).
struct TfliteSignature {
    std::string name;
    std::vector<std::string> inputNames;
    std::vector<std::string> outputNames;
};

/// An imported file. Operators become one operation of the HAL or a few that compute the same.
/// Quantised weights of operators that compute in floating point become floating point, which is
/// more exact than what TFLite does. Integers of 64 bits, which the HAL does not have, become
/// TENSOR_INT32 where their values are known to fit: constants, axes, indices. Variable tensors
/// (states of recurrent operators), which the HAL does not have, have become inputs and outputs of
/// the model, after those of the file.
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
    std::vector<TfliteSignature> signatures;  ///< all that the file has
};

/// Imports a file's contents. The FlatBuffers verifier runs first: damaged files are refused, never
/// trusted. INVALID_ARGUMENT names what is wrong or not understood: all operators that cannot be
/// imported, each kind with their number and the first of them. Whether a device takes the operand
/// types and shapes of the file is for its getSupportedOperations to say.
[[nodiscard]] NNBURST_EXPORT Result<TfliteModel> importTflite(std::span<const std::byte> file,
                                                              const TfliteOptions& options = {});

/// Imports the file at `path`; errors name it.
[[nodiscard]] NNBURST_EXPORT Result<TfliteModel> loadTflite(const std::string& path,
                                                            const TfliteOptions& options = {});

}  // namespace nnburst
