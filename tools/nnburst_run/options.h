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

#include "nnburst/model_signature.h"
#include "support/image_preparation.h"

namespace nnburst::run {

/// How executions reach the device.
enum class Via : std::uint8_t { BURST, RPC };

/// Which kernels devices that this program makes may use.
enum class KernelChoice : std::uint8_t {
    FAST,       ///< all kernels
    XNNPACK,    ///< without the own kernels of 8 bits
    REFERENCE,  ///< the reference kernels alone
};

/// "fast", "xnnpack" or "reference".
[[nodiscard]] const char* toString(KernelChoice kernels) noexcept;

struct Options {
    std::string model;                    ///< a .tflite file, or the name of a built-in model
    std::string signature;                ///< which one of the file's; empty: its main subgraph
    InputDimensions shapes;               ///< of inputs, in place of the file's
    bool integersFitInt32 = false;        ///< as TfliteOptions has it
    std::vector<std::string> moreModels;  ///< further ones, for --dataset
    std::vector<std::string> inputs;      ///< files, one for each input, or images; or none
    std::vector<std::string> outputs;   ///< files to write, as many as the model's outputs, or none
    std::vector<std::string> expected;  ///< files to compare with, likewise
    std::string device = "spawn";       ///< as tools::openDevice takes it
    Via via = Via::BURST;
    KernelChoice kernels = KernelChoice::FAST;
    std::uint32_t threads = 1;        ///< as DriverOptions::threads
    std::optional<double> tolerance;  ///< largest difference that is allowed
    std::size_t top = 0;              ///< how many of the largest elements to print
    std::string labels;               ///< file with their names, or empty
    std::uint64_t repeat = 1;         ///< executions of each step
    std::string dump;                 ///< file for a picture of the model, empty for none
    tools::ImagePreparation images;
    bool isProfiled = false;              ///< print the time of each operation
    std::string trace;                    ///< file for a trace of the run, empty for none
    std::string dataset;                  ///< directory of data with known results, empty for none
    std::size_t limit = 0;                ///< images or sequences of it; 0: all
    std::optional<double> expectedTop1;   ///< smallest share that is allowed
    std::optional<KernelChoice> against;  ///< kernels to compare accuracy with
    std::string json;                     ///< file to write, empty for none
    std::string html;                     ///< likewise, with --dataset
    std::string compare;                  ///< an earlier --json file, or empty
    std::vector<std::string> commandLine;

    /// Nothing but the model, the device and the way is given: a summary is wanted.
    [[nodiscard]] bool isSummary() const noexcept {
        return inputs.empty() && outputs.empty() && expected.empty() && top == 0 && repeat == 1 &&
               dump.empty() && !isProfiled && trace.empty() && dataset.empty() && json.empty() &&
               compare.empty();
    }
    /// Whether the device must be asked for its profile.
    [[nodiscard]] bool needsProfile() const noexcept { return isProfiled || !trace.empty(); }
};

/// The exit statuses of the program.
enum class ExitStatus : std::uint8_t {
    SUCCESS = 0,
    FAILURE = 1,           ///< the model could not be run, or files did not fit
    USAGE = 2,             ///< wrong arguments
    OUT_OF_TOLERANCE = 3,  ///< it ran, but an output differs by more than --tolerance
    WORSE = 4,             ///< it is slower or less accurate than in the file of --compare
};

/// Reads the command line. Returns an exit status if the program is to end now: help was printed to
/// `out`, or an error to `err`.
[[nodiscard]] std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv,
                                                             std::ostream& out, std::ostream& err);

}  // namespace nnburst::run
