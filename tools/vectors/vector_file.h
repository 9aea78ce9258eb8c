// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Test vectors of the HAL's operations: a model, input values, and expected outputs. Reads files
/// of format nn-vectors/1, JSON with one model a line; the files' own FORMAT.md defines it.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "nnburst/types.h"

namespace nnburst {

/// An output of the main subgraph.
struct VectorOutput {
    OperandType type = OperandType::TENSOR_FLOAT32;
    Dimensions dimensions;  ///< those that an execution reports
    std::vector<std::byte> expected;
    bool isIgnored = false;  ///< the values are placeholders
};

struct VectorExample {
    std::string name;
    /// The lowest HAL version that can carry the model as written: "1.0" to "1.3".
    std::string halVersionWire;
    /// The version is stated by AOSP for the model; if not, it is that of the whole file.
    bool isHalVersionStated = false;
    /// Written for a runtime that resolves the model before a driver sees it: a driver need not
    /// support it.
    bool isForRuntime = false;
    /// Preparing or executing the model must fail.
    bool expectsFailure = false;
    /// If set, the output is random, and its frequencies may be off by this much.
    std::optional<double> multinomialTolerance;
    Model model;
    /// Values of the main inputs, in order; an empty one is omitted (hasNoValue).
    std::vector<std::vector<std::byte>> inputs;
    std::vector<VectorOutput> outputs;
};

/// The file NAME.jsonl `path`, or all such files below the directory `path`, ordered by path.
/// Throws std::filesystem::filesystem_error for what cannot be looked at.
[[nodiscard]] std::vector<std::filesystem::path> vectorFiles(const std::filesystem::path& path);

/// Calls `visit` with every example of the file; with `type`, only with those that contain an
/// operation of that type. Throws std::runtime_error, naming file and line, for lines of another
/// format.
void forEachExample(const std::filesystem::path& file, std::optional<OperationType> type,
                    const std::function<void(const VectorExample&)>& visit);

/// Writes a file with this one example. Constants of the model lie in operandValues or in pools.
void writeVectorFile(std::ostream& stream, const VectorExample& example);

/// Compares `actual`, the bytes of output `index`, by the rules of AOSP's tests. Returns what
/// differs: "operand 5 (output 0) index 3: expected 1, actual 2"; empty if nothing does.
[[nodiscard]] std::string compareOutput(const VectorExample& example, std::size_t index,
                                        const std::vector<std::byte>& actual);

}  // namespace nnburst
