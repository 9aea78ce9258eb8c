// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The command line of nnburst-run.

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nnburst::run {

/// How executions reach the device.
enum class Via : std::uint8_t { BURST, RPC };

struct Options {
    std::string model;                  ///< a .tflite file, or the name of a built-in model
    std::vector<std::string> inputs;    ///< files, one for each input of the model, or none
    std::vector<std::string> outputs;   ///< files to write, as many as the model's outputs, or none
    std::vector<std::string> expected;  ///< files to compare with, likewise
    std::string device = "spawn";       ///< "local", "spawn", or the path of a driver's socket
    Via via = Via::BURST;
    std::optional<double> tolerance;  ///< largest difference that is allowed
    std::size_t top = 0;              ///< how many of the largest elements to print
    std::string labels;               ///< file with their names, or empty
    std::uint64_t repeat = 1;         ///< executions of each step
    std::string dump;                 ///< file for a picture of the model, empty for none
};

/// What the program returns to the shell.
enum class ExitStatus : std::uint8_t {
    SUCCESS = 0,
    FAILURE = 1,           ///< the model could not be run, or files did not fit
    USAGE = 2,             ///< wrong arguments
    OUT_OF_TOLERANCE = 3,  ///< it ran, but an output differs by more than --tolerance
};

/// Reads the command line. Returns an exit status if the program is to end now: help was printed to
/// `out`, or an error to `err`.
[[nodiscard]] std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv,
                                                             std::ostream& out, std::ostream& err);

}  // namespace nnburst::run
