// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The `main` of programs that parse a command line and then run.

#include <fmt/format.h>

#include <iosfwd>
#include <iostream>
#include <variant>

#include "nnburst/result.h"
#include "support/standard_output.h"

namespace nnburst::tools {

/// Parses the command line, and runs what it asks for. Returns the exit status, which is 1 with a
/// message if `run` gives an error or the standard output cannot be written. `parse` gives a status
/// if the program is to end at once.
template <class Options, class Status>
[[nodiscard]] int parseAndRun(const char* program, int argc, char** argv,
                              std::variant<Options, Status> (*parse)(int, const char* const*,
                                                                     std::ostream&, std::ostream&),
                              Result<Status> (*run)(const Options&)) {
    return runWithOutput(program, [&] {
        const std::variant<Options, Status> parsed = parse(argc, argv, std::cout, std::cerr);
        if (const auto* status = std::get_if<Status>(&parsed)) {
            return static_cast<int>(*status);
        }
        const Result<Status> status = run(std::get<Options>(parsed));
        if (!status) {
            printError(program, fmt::format("{}: {}", toString(status.error().status),
                                            status.error().message));
            return 1;
        }
        return static_cast<int>(*status);
    });
}

}  // namespace nnburst::tools
