// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The results of a stream: the costs of each path that frames take.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/wait_stats.h"
#include "nnburst_stream/call_count.h"
#include "nnburst_stream/distribution.h"
#include "nnburst_stream/options.h"
#include "nnburst_stream/path_comparison.h"
#include "nnburst_stream/recorder.h"
#include "nnburst_stream/time_series.h"
#include "report/benchmark_json.h"

namespace nnburst::stream {

/// The results of one client, for comparison with the others.
struct ClientFigures {
    std::size_t client = 0;
    double p50 = 0;             ///< of the latency, in microseconds
    std::optional<double> p99;  ///< likewise, if there are enough frames to show it
    double throughput = 0;      ///< frames with an output, a second
};

/// Processor time that a process used.
struct ProcessorTime {
    double perFrame = 0;  ///< microseconds
    double share = 0;     ///< of the elapsed time; 1 is one processor
};

/// The cost of one side's waiting for the other, in the order of kWaitStats: counts per frame, and
/// times as a share of the elapsed time, where 1 is one processor.
using WaitRates = std::array<double, kWaitStats.size()>;

/// The cost of waiting on both sides of a path's bursts.
struct BurstWaitRates {
    WaitRates client{};
    WaitRates driver{};
};

/// The results of one path. Latency, jitter and misses are those of all clients together.
struct PathReport {
    Path path = Path::BURST;
    Distribution latency;
    Distribution warmUp;
    Distribution jitter;
    Misses misses;
    std::uint64_t mostInFlight = 0;  ///< frames that a client had in flight at once
    TimeSeries series;               ///< of the first client
    double throughput = 0;           ///< frames with an output, a second, of all clients
    ClientFigures fastest;           ///< by the median of the latency
    ClientFigures slowest;
    ProcessorTime clientProcessor;
    std::optional<ProcessorTime> driverProcessor;
    std::optional<CallRate> calls;
    std::optional<BurstWaitRates> waits;  ///< only for bursts to a driver process
    Distribution timeInDriver;            ///< empty if the device does not measure it
    Distribution timeOnDevice;
};

/// The results, the settings, and the machine.
struct Report {
    Options options;
    std::size_t frameBytes = 0;
    std::string deviceVersion;
    std::string processor;
    std::size_t processors = 0;  ///< that this program may run on
    std::string kernel;
    std::chrono::nanoseconds initTime{};
    std::chrono::nanoseconds firstInference{};
    bool isSameOnAllPaths = true;  ///< outputs, bit for bit
    bool isStopped = false;        ///< the stream was stopped before its end
    /// Whether the driver has real-time threads, if --realtime asks for them.
    std::optional<bool> isRealtimeGranted;
    std::string failure;             ///< the error that ended the stream, or empty
    std::uint64_t clientMemory = 0;  ///< bytes (PSS) of this program after the stream; 0: not known
    std::uint64_t driverMemory = 0;  ///< the same of the driver that it has started
    /// Program, machine and time of the measurement (support/run_context.h).
    std::vector<std::pair<std::string, std::string>> context;
    std::string noDriverProcessor;  ///< the reason, if there is no driverProcessor
    std::string noCalls;            ///< the reason, if there are no calls
    std::vector<PathReport> paths;
};

/// The results of one path that follow from its measurement. Requires at least one client.
[[nodiscard]] PathReport reportOf(const PathMeasurement& measurement, bool hasDriverTime);

/// Both sides, with the names to print them by.
[[nodiscard]] std::array<std::pair<const char*, WaitRates>, 2> sidesOf(const BurstWaitRates& waits);

/// The settings, without the model: "frames of 256 bytes, 60 a second, 1 client, ...".
[[nodiscard]] std::string settingsText(const Report& report);
/// Device and machine: "device spawn (nnburst-1.0.0) on ...".
[[nodiscard]] std::string machineText(const Report& report);

/// The result in one sentence.
[[nodiscard]] std::string verdictText(const Report& report);
/// "memory: 7.0 MB of this program, 9.1 MB of the driver"; empty if neither is known.
[[nodiscard]] std::string memoryText(const Report& report);
/// Why the report has less than the whole stream; empty if it has all.
[[nodiscard]] std::string incompleteText(const Report& report);

/// The medians, p99 and, with a rate, mean intervals between outputs of all paths, for comparisons
/// with other runs. Infinite where too many frames have no output.
[[nodiscard]] std::vector<tools::BenchmarkRow> benchmarkRows(const Report& report);

/// Prints the report for people, on the standard output.
void print(const Report& report);

/// The report as JSON, and as a page that needs no other file.
[[nodiscard]] std::string toJson(const Report& report);
[[nodiscard]] std::string toHtml(const Report& report);
/// A line for each path, with a head; times in microseconds.
[[nodiscard]] std::string toCsv(const Report& report);

}  // namespace nnburst::stream
