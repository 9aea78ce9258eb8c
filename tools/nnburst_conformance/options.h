// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The command line of nnburst-conformance.

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <regex>
#include <string>
#include <variant>
#include <vector>

namespace nnburst::conformance {

/// How an execution reaches the device.
enum class Via : std::uint8_t { SYNC, ASYNC, BURST, REUSABLE, FENCED };

/// A test that is derived from an example.
enum class Derivation : std::uint8_t {
    NONE,          ///< the example itself
    SHAPES,        ///< the dimensions of the outputs are left open
    INSUFFICIENT,  ///< as SHAPES, and the first output's buffer is one byte too small
    COUPLING,      ///< unsigned 8-bit operands become signed ones
    INVALID,       ///< the model with one thing broken, for each that AOSP's test breaks
};

[[nodiscard]] const char* toString(Via via) noexcept;
[[nodiscard]] const char* toString(Derivation derivation) noexcept;

struct Options {
    std::vector<std::filesystem::path> paths;
    std::string device = "spawn";
    std::vector<Via> vias;
    std::vector<Derivation> derivations;  ///< besides the example itself
    std::string filter;                   ///< a regular expression for names; empty for all
    std::uint32_t sample = 1;             ///< runs one example out of this many
    std::uint32_t jobs = 1;
    std::string report;  ///< path; empty for none
};

enum class ExitStatus : std::uint8_t { SUCCESS = 0, FAILURE = 1, USAGE = 2 };

/// The options, or an exit status after --help (printed to `out`) or wrong arguments (an error to
/// `err`).
[[nodiscard]] std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv,
                                                             std::ostream& out, std::ostream& err);

}  // namespace nnburst::conformance
