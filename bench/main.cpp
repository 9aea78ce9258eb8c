// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// nnburst-bench: the cost of a burst, compared with the limit of the machine and with
/// alternatives. All benchmarks run in rounds, in random order within each, so that noise hits all
/// alike. Takes the options of Google Benchmark except those of its output, --length=tiny, quick or
/// full, --json=FILE and --html=FILE. Prints tables of all benchmarks and of the goals;
/// docs/performance.md says how to read them.

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "collector.h"
#include "fail.h"
#include "goals.h"
#include "length.h"
#include "machine.h"
#include "processors.h"
#include "report.h"
#include "report_html.h"
#include "report_json.h"
#include "suites.h"
#include "support/output_file.h"
#include "support/standard_output.h"
#include "table.h"

namespace {

using namespace nnburst::bench;
using nnburst::tools::OutputFile;

/// CTest's exit status for a test that cannot run here.
constexpr int kSkipped = 77;

/// Takes the option `prefix`, such as "--json=", from `arguments`. An empty name if it is not
/// there.
std::string takeOption(std::vector<std::string>& arguments, const std::string& prefix) {
    std::string value;
    std::erase_if(arguments, [&](const std::string& argument) {
        const bool isOption = argument.rfind(prefix, 0) == 0;
        if (isOption) {
            value = argument.substr(prefix.size());
        }
        return isOption;
    });
    return value;
}

constexpr const char* kHelp =
    R"(nnburst-bench: the cost of a burst, compared with the limit of the machine and with alternatives

Usage: nnburst-bench [OPTIONS]

  --length=tiny|quick|full   tiny: each benchmark for a moment, to see that it runs; quick: two
                             minutes where nothing else runs; full, the default: ten minutes
  --json=FILE                Write the figures of every round to FILE
  --html=FILE                Write a page with plots and tables to FILE
  --benchmark_filter=REGEX   Measure only benchmarks whose GROUP/WHAT matches
  --benchmark_list_tests     Print the names of all benchmarks
  --benchmark_repetitions=N  Rounds
  --help                     Print this

Other options of Google Benchmark, such as --benchmark_min_time, work too, but not those of its
output, such as --benchmark_format and --benchmark_out: use --json instead.

All benchmarks run in interleaved rounds of random order. Short calls are also measured in batches,
since single ones are near the clock's resolution. The tables are those of docs/performance.md;
docs/measuring.md says how they are made. The last line is "N met, N missed": goals with a condition
in brackets can be met only on machines that fulfil it.

Exit status: 0 if all that ran gave figures; 1 if a benchmark failed or nothing ran; 77 if there are
not two processors.
)";

/// Measures what is registered and writes the report. Returns the exit status.
int measureAndReport(OutputFile json, OutputFile html) {
    ResultCollector collector;
    const std::size_t measured = benchmark::RunSpecifiedBenchmarks(&collector);
    benchmark::Shutdown();

    Results results = collector.results();
    results.machine = describeMachine();
    const Report report = makeReport(std::move(results), projectGoals(), projectNumberGoals());
    // Files first: standard output may be a pipe whose reader has gone.
    const nnburst::Result<> jsonWritten = json.write(toJson(report));
    const nnburst::Result<> htmlWritten = html.write(toHtml(report));
    fmt::print("{}\n{}\n{}\n\n{}\n{}\n", benchmarkTable(report), numberTable(report),
               describeHost(report), goalTable(report), numberGoalTable(report));
    if (report.notMeasured > 0) {
        fmt::print("Goals that were not measured: {}. The page and the JSON name them.\n",
                   report.notMeasured);
    }
    fmt::print("{} met, {} missed\n", report.met, report.missed);
    requireSuccess(jsonWritten);
    requireSuccess(htmlWritten);
    return measured > 0 && !collector.hasFailed() ? 0 : 1;
}

int run(int argc, char** argv) {
    std::vector<std::string> arguments(argv, argv + argc);
    for (const std::string& argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            fmt::print("{}", kHelp);
            return 0;
        }
    }
    setLength(takeOption(arguments, "--length="));
    // Defaults come before the user's options, of which the last one counts.
    const std::vector<std::string> defaults = argumentsOfLength();
    arguments.insert(arguments.begin() + 1, defaults.begin(), defaults.end());
    auto json = valueOf(OutputFile::open(takeOption(arguments, "--json=")));
    auto html = valueOf(OutputFile::open(takeOption(arguments, "--html=")));
    requireSuccess(nnburst::tools::checkSeparate({&json, &html}));
    std::vector<char*> pointers;
    for (std::string& argument : arguments) {
        pointers.push_back(argument.data());
    }
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data());
    if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) {
        return 1;
    }

    if (!processorPair()) {
        (void)std::fputs(
            "nnburst-bench: a round trip needs two processors, this program may use one\n", stderr);
        return kSkipped;
    }
    pinTo(processorPair()->client);
    registerAll();
    return measureAndReport(std::move(json), std::move(html));
}

}  // namespace

int main(int argc, char** argv) {
    return nnburst::tools::runWithOutput("nnburst-bench", [&] { return run(argc, argv); });
}
