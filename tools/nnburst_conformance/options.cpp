// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_conformance/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <thread>

#include "nnburst/version.h"
#include "support/device_source.h"

namespace nnburst::conformance {

namespace {

constexpr const char* kDescription =
    "Runs examples of the HAL's operations (files of format nn-vectors/1) on an nnburst device.";

constexpr const char* kFooter = R"(
Each example is one test for each way to execute it (--via) and, with --derive, one more for each
derived test. --derive invalid is one test for each example that is not for the runtime: its model
is broken as AOSP's test of drivers (VTS 1.3) does it, in some hundred ways, and the device must
refuse it with INVALID_ARGUMENT each time; each broken model that it takes counts as failed.
An element passes if it is within the tolerance that the format gives its type. Where NaN or an
infinite value is expected, the element must be the same.
Prints a line for each test that fails, then "N passed, N failed, N skipped". Skipped are
  an example for the runtime that the device does not support;
  shapes and insufficient if the device answers open outputs with GENERAL_FAILURE, which says
  that it has no dynamic output shapes;
  what the device's version of the HAL lacks: before 1.3 fenced and coupling, before 1.2 shapes
  and insufficient.

Exit status: 0 if nothing failed; 1 if something did; 2 for wrong arguments, files that cannot be
read or written, a device that cannot be opened, or if no example was selected.

Examples:
  nnburst-conformance ../shared/vectors --device spawn --via sync,burst --derive all
  nnburst-conformance ../shared/vectors --device local --via sync --derive invalid
)";

constexpr Via kVias[]{Via::SYNC, Via::ASYNC, Via::BURST, Via::REUSABLE, Via::FENCED};
/// Those that `all` stands for: they execute models.
constexpr Derivation kDerivations[]{Derivation::SHAPES, Derivation::INSUFFICIENT,
                                    Derivation::COUPLING};

/// The values that a list of names stands for; "all" is all of them.
template <class T, std::size_t N>
std::vector<T> select(const std::vector<std::string>& names, const T (&values)[N]) {
    std::vector<T> selected;
    for (const T value : values) {
        const auto isNamed = [&](const std::string& name) {
            return name == "all" || name == toString(value);
        };
        if (std::any_of(names.begin(), names.end(), isNamed)) {
            selected.push_back(value);
        }
    }
    return selected;
}

/// A regular expression.
std::string checkRegex(const std::string& text) {
    try {
        const std::regex parsed(text);
        return {};
    } catch (const std::regex_error& error) {
        return "'" + text + "' is not a regular expression: " + error.what();
    }
}

/// Options as they are written.
struct Written {
    std::vector<std::string> vias{"sync", "burst"};
    std::vector<std::string> derivations{"none"};
};

/// Options of what is tested, and how.
void addTestOptions(CLI::App& app, Options& options, Written& written) {
    app.add_option("DIR", options.paths, "Directories with .jsonl files, or such files")
        ->type_name("")
        ->required()
        ->check(CLI::ExistingPath.description(""));
    tools::addDeviceOption(app, options.device, "a driver process for each job");
    app.add_option("--via", written.vias,
                   "How executions reach the device, one or several; compute is NNAPI's name\n"
                   "for sync")
        ->check(CLI::IsMember({"sync", "compute", "async", "burst", "reusable", "fenced", "all"})
                    .description(""))
        ->type_name("sync|compute|async|burst|reusable|fenced|all")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option(
           "--derive", written.derivations,
           "Tests to derive from each example, one or several; all is shapes, insufficient\n"
           "and coupling")
        ->check(CLI::IsMember({"shapes", "insufficient", "coupling", "invalid", "none", "all"})
                    .description(""))
        ->type_name("shapes|insufficient|coupling|invalid|none|all")
        ->delimiter(',')
        ->capture_default_str();
}

/// Options of which examples run, and of the report.
void addRunOptions(CLI::App& app, Options& options) {
    app.add_option("--filter", options.filter, "Only examples whose name contains a match")
        ->check(CLI::Validator(checkRegex, ""))
        ->type_name("REGEX");
    app.add_option("--sample", options.sample,
                   "Only one example in N, chosen by name, always the same")
        ->check(CLI::Range(1, 1'000'000).description(""))
        ->type_name("N");
    app.add_option("--jobs", options.jobs, "Examples to run at the same time")
        ->check(CLI::Range(1, 256).description(""))
        ->type_name("N");
    app.add_option("--report", options.report, "Write counts and failures as JSON to this file")
        ->type_name("F");
}

}  // namespace

const char* toString(Via via) noexcept {
    switch (via) {
        case Via::SYNC:
            return "sync";
        case Via::ASYNC:
            return "async";
        case Via::BURST:
            return "burst";
        case Via::REUSABLE:
            return "reusable";
        case Via::FENCED:
            return "fenced";
    }
    return "";
}

const char* toString(Derivation derivation) noexcept {
    switch (derivation) {
        case Derivation::NONE:
            return "none";
        case Derivation::SHAPES:
            return "shapes";
        case Derivation::INSUFFICIENT:
            return "insufficient";
        case Derivation::COUPLING:
            return "coupling";
        case Derivation::INVALID:
            return "invalid";
    }
    return "";
}

std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv, std::ostream& out,
                                               std::ostream& err) {
    Options options;
    Written written;
    options.jobs = std::max(1U, std::thread::hardware_concurrency());
    CLI::App app(kDescription, "nnburst-conformance");
    app.set_version_flag("--version", "nnburst-conformance " NNBURST_VERSION);
    app.footer(kFooter);
    addTestOptions(app, options, written);
    addRunOptions(app, options);
    bool testsInvalid = false;
    try {
        app.parse(argc, argv);
        testsInvalid = std::find(written.derivations.begin(), written.derivations.end(),
                                 toString(Derivation::INVALID)) != written.derivations.end();
        if (testsInvalid && (options.device == "nnapi" || options.device.starts_with("nnapi:"))) {
            throw CLI::ValidationError(
                "--derive invalid",
                "cannot be used with --device " + options.device +
                    ": NNAPI counts the consumers of operands itself and does not pass on all that "
                    "is broken; use local, spawn or a socket");
        }
    } catch (const CLI::ParseError& error) {
        return app.exit(error, out, err) == 0 ? ExitStatus::SUCCESS : ExitStatus::USAGE;
    }
    std::ranges::replace(written.vias, "compute", toString(Via::SYNC));
    options.vias = select(written.vias, kVias);
    options.derivations = select(written.derivations, kDerivations);
    if (testsInvalid) {
        options.derivations.push_back(Derivation::INVALID);
    }
    return options;
}

}  // namespace nnburst::conformance
