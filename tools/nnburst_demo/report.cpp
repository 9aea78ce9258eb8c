// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_demo/report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "support/machine.h"
#include "support/thread_option.h"

namespace nnburst::demo {
namespace {

constexpr std::array<const char*, kPaths.size()> kLabels{"in process", "burst to a driver process",
                                                         "RPC to the same driver"};
constexpr std::array<const char*, kPaths.size()> kKeys{"inProcess", "burst", "rpc"};

/// How much longer an execution takes than in process, by the medians.
struct Overhead {
    double microseconds;
    double percent;
};

Overhead overhead(const Report& report, Path path) {
    const double base = report.latency[0].p50;
    const double extra = report.latency[static_cast<std::size_t>(path)].p50 - base;
    return {extra, extra / base * 100};
}

void printOverhead(const char* label, const Overhead& extra) {
    fmt::print("  {:<27}{:>+10.1f} us{:>+9.1f} %\n", label, extra.microseconds, extra.percent);
}

}  // namespace

void print(const Report& report) {
    fmt::print("{}: {} frames of {} bytes, {}\n", report.model, report.frames, report.frameBytes,
               tools::threadsText(report.threads));
    fmt::print("on {}, {} processors\n\n", tools::processorName(),
               std::thread::hardware_concurrency());

    fmt::print("  {:<27}{:>10}{:>10}{:>10}\n", "latency in microseconds", "p50", "p99", "max");
    for (std::size_t path = 0; path < kPaths.size(); ++path) {
        const tools::Latency& latency = report.latency[path];
        fmt::print("  {:<27}{:>10.1f}{:>10.1f}{:>10.1f}\n", kLabels[path], latency.p50, latency.p99,
                   latency.max);
    }
    fmt::print("\n  medians over in process\n");
    printOverhead("burst", overhead(report, Path::BURST));
    printOverhead("RPC", overhead(report, Path::RPC));

    if (report.systemCalls) {
        fmt::print("\n  {:<27}{:>10}{:>10}\n", "system calls per inference", "client", "driver");
        for (std::size_t path = 0; path < kPaths.size(); ++path) {
            const SystemCallRate& rate = (*report.systemCalls)[path];
            fmt::print("  {:<27}{:>10.2f}{:>10}\n", kLabels[path], rate.client,
                       rate.driver ? fmt::format("{:.2f}", *rate.driver) : "-");
        }
    } else {
        fmt::print("\n  system calls not measured: {}\n", report.systemCalls.error().message);
    }

    if (report.differingFrames == 0) {
        fmt::print("\noutputs: identical bit for bit on all three paths (checksum {:016x})\n",
                   report.checksum);
    } else {
        fmt::print("\noutputs: {} of {} frames DIFFER between the paths\n", report.differingFrames,
                   report.frames);
    }
}

std::string jsonOf(const Report& report) {
    nlohmann::ordered_json json{{"model", report.model},
                                {"frames", report.frames},
                                {"frameBytes", report.frameBytes},
                                {"threads", report.threads},
                                {"processor", tools::processorName()},
                                {"processors", std::thread::hardware_concurrency()}};
    for (std::size_t path = 0; path < kPaths.size(); ++path) {
        const tools::Latency& latency = report.latency[path];
        json["latencyUs"][kKeys[path]] = {
            {"p50", latency.p50}, {"p99", latency.p99}, {"max", latency.max}};
        if (report.systemCalls) {
            const SystemCallRate& rate = (*report.systemCalls)[path];
            auto& calls = json["systemCallsPerInference"][kKeys[path]];
            calls = {{"client", rate.client}, {"driver", nullptr}};
            if (rate.driver) {
                calls["driver"] = *rate.driver;
            }
        }
    }
    for (const Path path : {Path::BURST, Path::RPC}) {
        const Overhead extra = overhead(report, path);
        json["overInProcess"][kKeys[static_cast<std::size_t>(path)]] = {{"us", extra.microseconds},
                                                                        {"percent", extra.percent}};
    }
    json["differingFrames"] = report.differingFrames;
    json["checksum"] = fmt::format("{:016x}", report.checksum);
    return json.dump(2) + '\n';
}

}  // namespace nnburst::demo
