// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-conformance: runs examples of the HAL's operations on a device.

#include <fmt/core.h>

#include <iostream>

#include "nnburst_conformance/options.h"
#include "nnburst_conformance/runner.h"
#include "support/standard_output.h"

namespace nnburst::conformance {
namespace {

int parseAndRun(int argc, char** argv) {
    const auto parsed = parseOptions(argc, argv, std::cout, std::cerr);
    if (const auto* status = std::get_if<ExitStatus>(&parsed)) {
        return static_cast<int>(*status);
    }
    const auto status = run(std::get<Options>(parsed), std::cout);
    if (!status) {
        fmt::print(stderr, "nnburst-conformance: {}: {}\n",
                   nnburst::toString(status.error().status), status.error().message);
        return static_cast<int>(ExitStatus::USAGE);
    }
    return static_cast<int>(*status);
}

}  // namespace
}  // namespace nnburst::conformance

int main(int argc, char** argv) {
    return nnburst::tools::runWithOutput(
        "nnburst-conformance", [&] { return nnburst::conformance::parseAndRun(argc, argv); });
}
