// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Test vectors of the HAL's operations: a model, values to run it with, values to expect. Reads
/// the files of format nn-vectors/1 (FORMAT.md beside them), one model a line.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nnburst/types.h"

namespace nnburst {

/// An output of the main subgraph.
struct VectorOutput {
    OperandType type = OperandType::TENSOR_FLOAT32;
    Dimensions dimensions;  ///< that an execution reports
    std::vector<std::byte> expected;
    bool isIgnored = false;  ///< the values are placeholders
};

struct VectorExample {
    std::string name;
    /// Preparing or executing the model must fail.
    bool expectsFailure = false;
    /// Set: the output is random, with frequencies that are right within so much.
    std::optional<double> multinomialTolerance;
    Model model;
    /// Values of the main inputs, in order; an empty one is omitted (hasNoValue).
    std::vector<std::vector<std::byte>> inputs;
    std::vector<VectorOutput> outputs;
};

/// The vector files under `directory` (of shared data), in the order of their paths.
[[nodiscard]] std::vector<std::filesystem::path> vectorFiles(
    const std::filesystem::path& directory);

/// Calls `visit` with every example of the file that contains an operation of `type`. Throws
/// std::runtime_error, naming file and line, for what is not of the format.
void forEachExample(const std::filesystem::path& file, OperationType type,
                    const std::function<void(const VectorExample&)>& visit);

/// What is wrong with `actual`, the bytes of output `index`, by the rules of AOSP's tests; empty if
/// it is as good as expected.
[[nodiscard]] std::string compareOutput(const VectorExample& example, std::size_t index,
                                        const std::vector<std::byte>& actual);

}  // namespace nnburst
