// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// nnburst-top: shows what a driver does for its clients, from its metrics.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>

#include "metrics_text.h"
#include "nnburst/version.h"
#include "report.h"
#include "support/standard_output.h"

namespace nnburst::top {
namespace {

/// Moves the cursor of a terminal to its first line and clears what is below.
constexpr const char* kClearScreen = "\033[H\033[J";

struct Options {
    std::string address;
    bool isOnce = false;
    bool isJson = false;
    std::uint32_t intervalSeconds = 2;
};

int show(const Options& options) {
    std::optional<Figures> previous;
    // Rates need two looks.
    for (int look = 0; !options.isOnce || look < 2; ++look) {
        if (look > 0) {
            std::this_thread::sleep_for(std::chrono::seconds(options.intervalSeconds));
        }
        const Result<std::string> text = fetch(options.address);
        if (!text) {
            fmt::print(stderr, "nnburst-top: {}\n", text.error().message);
            return 1;
        }
        previous = makeFigures(parse(*text), std::chrono::steady_clock::now(),
                               previous ? &*previous : nullptr);
        if (!options.isOnce || look == 1) {
            fmt::print("{}{}", options.isOnce || options.isJson ? "" : kClearScreen,
                       options.isJson ? toJson(*previous) : toTable(*previous));
            if (std::fflush(stdout) != 0) {
                return 1;  // runWithOutput says why
            }
        }
    }
    return 0;
}

int run(int argc, char** argv) {
    Options options;
    CLI::App app(
        "Shows what an nnburst driver does for its clients: memory, models, bursts, "
        "executions a second. The driver runs with --metrics-socket or --metrics-port.");
    app.set_version_flag("--version", "nnburst-top " NNBURST_VERSION);
    app.add_option("METRICS", options.address,
                   "Path of the driver's socket for metrics, or its port on 127.0.0.1")
        ->type_name("")
        ->required();
    app.add_flag("--once", options.isOnce, "Print once, with rates over one interval, and end");
    app.add_flag("--json", options.isJson, "Print JSON instead of a table");
    app.add_option("--interval", options.intervalSeconds, "Seconds between two looks")
        ->type_name("S")
        ->check(CLI::Range(1U, 3600U))
        ->capture_default_str();
    app.footer(
        "\nExit status: 0; 1 if the driver cannot be read, or standard output cannot be written; 2 "
        "for wrong arguments.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    return show(options);
}

}  // namespace
}  // namespace nnburst::top

int main(int argc, char** argv) {
    return nnburst::tools::runWithOutput("nnburst-top",
                                         [&] { return nnburst::top::run(argc, argv); });
}
