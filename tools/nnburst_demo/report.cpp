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

constexpr std::array<const char*, kWays.size()> kLabels{"in process", "burst to a driver process",
                                                        "RPC to the same driver"};
constexpr std::array<const char*, kWays.size()> kKeys{"inProcess", "burst", "rpc"};

/// How much longer an execution takes than in process, by the medians.
struct Overhead {
    double microseconds;
    double percent;
};

Overhead overhead(const Report& report, Way way) {
    const double base = report.latency[0].p50;
    const double extra = report.latency[static_cast<std::size_t>(way)].p50 - base;
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
    for (std::size_t way = 0; way < kWays.size(); ++way) {
        const tools::Latency& latency = report.latency[way];
        fmt::print("  {:<27}{:>10.1f}{:>10.1f}{:>10.1f}\n", kLabels[way], latency.p50, latency.p99,
                   latency.max);
    }
    fmt::print("\n  medians over in process\n");
    printOverhead("burst", overhead(report, Way::BURST));
    printOverhead("RPC", overhead(report, Way::RPC));

    if (report.systemCalls) {
        fmt::print("\n  {:<27}{:>10}{:>10}\n", "system calls per inference", "client", "driver");
        for (std::size_t way = 0; way < kWays.size(); ++way) {
            const SystemCallRate& rate = (*report.systemCalls)[way];
            fmt::print("  {:<27}{:>10.2f}{:>10.2f}\n", kLabels[way], rate.client, rate.driver);
        }
    } else {
        fmt::print("\n  system calls not measured: {}\n", report.systemCalls.error().message);
    }

    if (report.differingFrames == 0) {
        fmt::print("\noutputs: identical bit for bit on all three ways (checksum {:016x})\n",
                   report.checksum);
    } else {
        fmt::print("\noutputs: {} of {} frames DIFFER between the ways\n", report.differingFrames,
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
    for (std::size_t way = 0; way < kWays.size(); ++way) {
        const tools::Latency& latency = report.latency[way];
        json["latencyUs"][kKeys[way]] = {
            {"p50", latency.p50}, {"p99", latency.p99}, {"max", latency.max}};
        if (report.systemCalls) {
            const SystemCallRate& rate = (*report.systemCalls)[way];
            json["systemCallsPerInference"][kKeys[way]] = {{"client", rate.client},
                                                           {"driver", rate.driver}};
        }
    }
    for (const Way way : {Way::BURST, Way::RPC}) {
        const Overhead extra = overhead(report, way);
        json["overInProcess"][kKeys[static_cast<std::size_t>(way)]] = {{"us", extra.microseconds},
                                                                       {"percent", extra.percent}};
    }
    json["differingFrames"] = report.differingFrames;
    json["checksum"] = fmt::format("{:016x}", report.checksum);
    return json.dump(2) + '\n';
}

}  // namespace nnburst::demo
