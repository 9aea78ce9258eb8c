// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <utility>

#include "nnburst_stream/benchmark_line.h"
#include "nnburst_stream/report.h"
#include "support/latency.h"

namespace nnburst::stream {

namespace {

constexpr const char* kRow = "  {:<16}{:>10.1f}{:>10}{:>10}{:>10}{:>10.1f}\n";

std::string textCell(std::optional<double> value) {
    return value ? fmt::format("{:.1f}", *value) : "-";
}

void printHead(const char* title) {
    fmt::print("\n  {:<16}{:>10}{:>10}{:>10}{:>10}{:>10}\n", title, "p50", "p90", "p99", "p99.9",
               "max");
}

void printRow(Path path, const Distribution& distribution) {
    const Summary summary = summarise(distribution);
    const ShownPercentiles shown = shownPercentiles(summary);
    fmt::print(kRow, toString(path), summary.p50, textCell(shown.p90), textCell(shown.p99),
               textCell(shown.p999), summary.max);
}

/// Prints a table with one line for each path, unless all of it is empty.
void printTable(const Report& report, const char* title, Distribution PathReport::*distribution) {
    bool hasHead = false;
    for (const PathReport& path : report.paths) {
        if ((path.*distribution).count() != 0) {
            if (!hasHead) {
                printHead(title);
            }
            hasHead = true;
            printRow(path.path, path.*distribution);
        }
    }
}

void printFlow(const Report& report) {
    fmt::print("\n  {:<16}{:>14}{:>10}{:>10}{:>10}{:>16}\n", "frames", "a second", "refused",
               "late", "unsent", "most in flight");
    for (const PathReport& path : report.paths) {
        fmt::print("  {:<16}{:>14.1f}{:>10}{:>10}{:>10}{:>16}\n", toString(path.path),
                   path.throughput, path.misses.refused, path.misses.late, path.misses.unsent,
                   path.mostInFlight);
    }
}

void printClients(const Report& report) {
    if (report.options.clients == 1) {
        return;
    }
    fmt::print("\n  {:<16}{:>10}{:>10}{:>10}{:>10}\n", "clients", "number", "p50 us", "p99 us",
               "a second");
    for (const PathReport& path : report.paths) {
        for (const auto& [name, client] :
             {std::pair("fastest", path.fastest), std::pair("slowest", path.slowest)}) {
            fmt::print("  {:<16}{:>10}{:>10.1f}{:>10}{:>10.1f}\n",
                       fmt::format("{} {}", toString(path.path), name), client.client, client.p50,
                       textCell(client.p99), client.throughput);
        }
    }
}

std::string timeText(const std::optional<ProcessorTime>& time) {
    return time ? fmt::format("{:.1f} us, {:.0f} %", time->perFrame, time->share * 100) : "-";
}

void printProcessorTime(const Report& report) {
    fmt::print("\n  {:<16}{:>24}{:>24}\n", "processor time", "client, a frame", "driver, a frame");
    for (const PathReport& path : report.paths) {
        fmt::print("  {:<16}{:>24}{:>24}\n", toString(path.path), timeText(path.clientProcessor),
                   timeText(path.driverProcessor));
    }
    if (!report.noDriverProcessor.empty()) {
        fmt::print("  driver not measured: {}\n", report.noDriverProcessor);
    }
}

void printWaits(const Report& report) {
    bool hasHead = false;
    for (const PathReport& path : report.paths) {
        if (!path.waits) {
            continue;
        }
        if (!std::exchange(hasHead, true)) {
            fmt::print("\n  {:<16}", "waiting, a frame");
            for (const WaitStat& stat : kWaitStats) {
                fmt::print("{:>13}", stat.label);
            }
            fmt::print("\n");
        }
        for (const auto& [side, rates] : sidesOf(*path.waits)) {
            fmt::print("  {:<16}", fmt::format("{} {}", toString(path.path), side));
            for (std::size_t i = 0; i < kWaitStats.size(); ++i) {
                kWaitStats[i].time != nullptr ? fmt::print("{:>11.1f} %", rates[i] * 100)
                                              : fmt::print("{:>13.2f}", rates[i]);
            }
            fmt::print("\n");
        }
    }
}

void printCalls(const Report& report) {
    if (!report.noCalls.empty()) {
        fmt::print("\n  system calls not counted: {}\n", report.noCalls);
        return;
    }
    fmt::print("\n  {:<16}{:>24}{:>24}\n", "system calls", "client, a frame", "driver, a frame");
    for (const PathReport& path : report.paths) {
        if (path.calls) {
            fmt::print("  {:<16}{:>24.2f}{:>24}\n", toString(path.path), path.calls->client,
                       path.calls->driver ? fmt::format("{:.2f}", *path.calls->driver) : "-");
        }
    }
}

}  // namespace

void print(const Report& report) {
    fmt::print("{}: {}\n{}\n", report.options.model, settingsText(report), machineText(report));
    if (const std::string incomplete = incompleteText(report); !incomplete.empty()) {
        fmt::print("{}\n", incomplete);
    }
    printTable(report, "latency, us", &PathReport::latency);
    printTable(report, "jitter, us", &PathReport::jitter);
    printTable(report, "in driver, us", &PathReport::timeInDriver);
    printFlow(report);
    printClients(report);
    printProcessorTime(report);
    printWaits(report);
    printCalls(report);
    if (const std::string memory = memoryText(report); !memory.empty()) {
        fmt::print("\n  {}\n", memory);
    }
    if (report.paths.size() > 1) {
        fmt::print("\noutputs: {} on all paths\n",
                   report.isSameOnAllPaths ? "identical bit for bit" : "DIFFERENT, not the same");
    }
    fmt::print("\n{}\n", verdictText(report));
    for (const PathReport& path : report.paths) {
        fmt::print("{}: {}\n", toString(path.path), benchmarkLine(path.latency));
    }
    const PathReport& burst = report.paths.front();
    const auto whole = [](double value) { return std::llround(value); };
    fmt::print(
        "Inference timings in us: Init: {}, First inference: {}, Warmup (avg): {:g}, Inference "
        "(avg): {:g}\n",
        whole(tools::microseconds(report.initTime)),
        whole(tools::microseconds(report.firstInference)), summarise(burst.warmUp).mean,
        summarise(burst.latency).mean);
}

}  // namespace nnburst::stream
