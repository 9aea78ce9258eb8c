// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Attacks a driver in many ways while a good client uses it, each in a process of its own, and
/// prints a table of the outcomes.

#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "child.h"
#include "outcome_table.h"
#include "scenario.h"
#include "stress_case.h"
#include "supervisor.h"

namespace nnburst::stress {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    double minutes = 1;
    std::vector<std::string> names;
    std::vector<std::string> skipped;
    std::string jsonPath;
    std::string isolation = "none";
    double maximumRatio = 0;
    std::uint64_t minimumKills = 0;
    bool areAttackersIdle = false;
    bool isListing = false;
    bool isMarkdownWanted = false;
};

/// The shortest time of a case, and what a case takes beside it: starting, settling, ending.
constexpr std::chrono::milliseconds kShortest{1000};
constexpr std::chrono::milliseconds kOverhead{1500};

/// The cases of these names, or all; without those to skip. Exits over a name that is unknown.
StressCases choose(const Options& options) {
    const StressCases all = allCases(options.minimumKills);
    const auto isKnown = [&](const std::string& name) {
        return std::ranges::any_of(all, [&](const auto& each) { return each.name == name; });
    };
    for (const auto& names : {options.names, options.skipped}) {
        for (const std::string& name : names) {
            if (!isKnown(name)) {
                fmt::print(stderr, "nnburst-stress: unknown case '{}'; see --list\n", name);
                std::exit(2);
            }
        }
    }
    StressCases chosen;
    for (const StressCase& each : all) {
        if ((options.names.empty() || std::ranges::count(options.names, each.name) > 0) &&
            std::ranges::count(options.skipped, each.name) == 0) {
            chosen.push_back(each);
        }
    }
    return chosen;
}

void list() {
    for (const StressCase& each : allCases()) {
        fmt::print("{:<32} {}\n", each.name, each.description);
    }
}

/// The time that is left, shared among the cases that are left.
std::chrono::milliseconds durationOf(Clock::time_point end, std::size_t casesLeft) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    return std::max(kShortest, left / static_cast<long>(casesLeft) - kOverhead);
}

int runCases(const Options& options) {
    isolateDrivers(options.isolation);
    if (options.areAttackersIdle) {
        makeStrangersIdle();
    }
    const StressCases cases = choose(options);
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double, std::ratio<60>>(options.minutes));
    NamedResults results;
    bool isGood = true;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        fmt::print("{:>3}/{} {:<32} ", i + 1, cases.size(), cases[i].name);
        std::fflush(stdout);
        const auto begin = Clock::now();
        CaseResult result = runInProcess(cases[i], durationOf(end, cases.size() - i));
        if (options.maximumRatio > 0 && result.ratio().value_or(0) > options.maximumRatio) {
            result.fail(Outcome::FAILURE, fmt::format("the ratio of p99 is {:.2f}, at most {}",
                                                      *result.ratio(), options.maximumRatio));
        }
        fmt::print("{} in {:.1f} s\n", toString(result.outcome),
                   std::chrono::duration<double>(Clock::now() - begin).count());
        isGood =
            isGood && (result.outcome == Outcome::SUCCESS || result.outcome == Outcome::SKIPPED);
        results.push_back({cases[i].name, cases[i].description, std::move(result)});
    }
    printTable(results);
    if (options.isMarkdownWanted) {
        printMarkdown(results);
    }
    if (!options.jsonPath.empty() && !writeJson(results, options.jsonPath)) {
        fmt::print(stderr, "nnburst-stress: cannot write {}\n", options.jsonPath);
        return 2;
    }
    return isGood ? 0 : 1;
}

int mainFunction(int argc, char** argv) {
    ::signal(SIGPIPE, SIG_IGN);
    Options options;
    CLI::App app("Attacks a driver in many ways while a good client uses it");
    app.add_option("--minutes", options.minutes, "For all cases together; some take longer")
        ->check(CLI::PositiveNumber);
    app.add_option("--case", options.names, "Only this case; may be given repeatedly");
    app.add_option("--skip", options.skipped, "Not this case; may be given repeatedly");
    app.add_option("--kills", options.minimumKills,
                   "Cases that kill clients or drivers go on until they have killed N times");
    app.add_option("--json", options.jsonPath, "Writes the results to FILE, too");
    app.add_option("--isolate", options.isolation,
                   "Drivers serve each client or user by a process of its own; their memory in the "
                   "table is that of the process that admits clients")
        ->check(CLI::IsMember({"none", "client", "user"}));
    app.add_option("--maximum-ratio", options.maximumRatio,
                   "A case fails if the good client's p99 grows by more than RATIO")
        ->check(CLI::PositiveNumber);
    app.add_flag("--idle-attackers", options.areAttackersIdle,
                 "Attackers compute where a processor is idle (SCHED_IDLE): the good client loses "
                 "to the driver what it loses, and not to their processes");
    app.add_flag("--markdown", options.isMarkdownWanted,
                 "Prints the table as Markdown, too, for docs/robustness.md");
    app.add_flag("--list", options.isListing, "Lists the cases and ends");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    if (options.isListing) {
        list();
        return 0;
    }
    return runCases(options);
}

}  // namespace
}  // namespace nnburst::stress

int main(int argc, char** argv) {
    return nnburst::stress::mainFunction(argc, argv);
}
