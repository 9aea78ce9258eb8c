// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-operations: tells which operations there are, for docs/operations.md.

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "nnburst_operations/table.h"

int main(int argc, char** argv) {
    CLI::App app("Tells which operations of the HAL are supported, in which types.",
                 "nnburst-operations");
    bool isMarkdown = false;
    app.add_flag("--markdown", isMarkdown, "Print the table of docs/operations.md")->required();
    CLI11_PARSE(app, argc, argv);
    fmt::print("{}", nnburst::operations::markdown());
    return 0;
}
