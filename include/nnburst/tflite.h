// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Import of TensorFlow Lite model files (schema version 3).

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/model_signature.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Choices of an import.
struct TfliteOptions {
    /// True: sizes of inputs that the file leaves unspecified (-1 in its shape signature) stay so,
    /// and each request gives them. False: they get the default that the file has for them, mostly
    /// 1.
    bool keepsOpenSizes = false;
    /// The signature to import: its subgraph becomes the model, and its names those of inputs and
    /// outputs. Empty: the file's main subgraph, with the names of its tensors.
    std::string signature;
    /// Replaces the dimensions that the file has for inputs, as TFLite's ResizeInputTensor does, by
    /// as many others. The dimensions of what is computed from these inputs follow. Inputs are
    /// named as in TfliteModel::inputNames.
    InputDimensions inputDimensions;
    /// True: all 64-bit integers that operators compute are taken as 32-bit ones. The results are
    /// wrong if a value needs more bits. False: operators are refused whose results may need more.
    bool integersFitInt32 = false;
};

/// A function that a file offers by name (SignatureDef).
struct TfliteSignature {
    std::string name;
    std::vector<std::string> inputNames;
    std::vector<std::string> outputNames;
};

/// An imported file.
/// - Each operator becomes one operation of the HAL, or a few that compute the same.
/// - Quantised weights of operators that compute in floating point become floating point, which is
///   more exact than what TFLite does.
/// - 64-bit integers, which the HAL does not have, become TENSOR_INT32 where their values are known
///   to fit: inputs, whose elements have 32 bits then, constants, axes, indices. Others become it
///   only with TfliteOptions::integersFitInt32.
/// - Variable tensors (states of recurrent operators), which the HAL does not have, become inputs
///   and outputs of the model, after those of the file.
struct TfliteModel {
    Model model;
    std::vector<std::string> inputNames;   ///< of the file's inputs, in order, without states
    std::vector<std::string> outputNames;  ///< of the file's outputs, in order, without states
    std::vector<ModelState> states;
    std::vector<TfliteSignature> signatures;  ///< all that the file has
};

/// Imports a file's contents. The FlatBuffers verifier runs first: damaged files are refused, never
/// trusted. INVALID_ARGUMENT names what is wrong. For operators that cannot be imported it lists
/// each kind with its count and its first occurrence. Whether a device supports the operand types
/// and shapes of the file, Device::getSupportedOperations tells.
[[nodiscard]] NNBURST_EXPORT Result<TfliteModel> importTflite(std::span<const std::byte> file,
                                                              const TfliteOptions& options = {});

/// Imports the file at `path`; errors name it.
[[nodiscard]] NNBURST_EXPORT Result<TfliteModel> loadTflite(const std::string& path,
                                                            const TfliteOptions& options = {});

}  // namespace nnburst
