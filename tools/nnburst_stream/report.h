// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a stream was found to cost, on each way.

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
#include "nnburst_stream/recorder.h"
#include "nnburst_stream/session.h"
#include "nnburst_stream/time_series.h"

namespace nnburst::stream {

/// A client beside the others.
struct ClientFigures {
    std::size_t client = 0;
    double p50 = 0;         ///< of the latency, in microseconds
    double p99 = 0;         ///< likewise
    double throughput = 0;  ///< frames a second
};

/// Processor time of a process.
struct ProcessorTime {
    double perFrame = 0;  ///< microseconds
    double share = 0;     ///< of the time that went by; 1 is one processor
};

/// What one side's waiting for the other has cost, in the order of kWaitStats: counts per frame,
/// times as a share of the time that went by, where 1 is one processor.
using WaitRates = std::array<double, kWaitStats.size()>;

/// Of both sides of a way's bursts.
struct BurstWaitRates {
    WaitRates client{};
    WaitRates driver{};
};

/// One way's figures. Those of latency, jitter and misses are of all clients together.
struct WayReport {
    Way way = Way::BURST;
    Distribution latency;
    Distribution warmUp;
    Distribution jitter;
    Misses misses;
    std::uint64_t mostInFlight = 0;  ///< frames that a client had under way at once
    TimeSeries series;               ///< of the first client
    double throughput = 0;           ///< frames a second, of all clients
    ClientFigures fastest;           ///< by the median of the latency
    ClientFigures slowest;
    ProcessorTime clientProcessor;
    std::optional<ProcessorTime> driverProcessor;
    std::optional<CallRate> calls;
    std::optional<BurstWaitRates> waits;  ///< only for bursts to a driver process
    Distribution timeInDriver;            ///< empty if the device does not say it
    Distribution timeOnDevice;
};

/// What was measured, with what, and on what machine.
struct Report {
    Options options;
    std::size_t frameBytes = 0;
    std::string deviceVersion;
    std::string processor;
    std::size_t processors = 0;  ///< that this program may use
    std::string kernel;
    std::chrono::nanoseconds initTime{};
    std::chrono::nanoseconds firstInference{};
    bool isSameOnAllWays = true;    ///< outputs, bit for bit
    bool isStopped = false;         ///< before its end
    std::string noDriverProcessor;  ///< why there is no driverProcessor, if there is none
    std::string noCalls;            ///< why there are no calls, if there are none
    std::vector<WayReport> ways;
};

/// The figures of one way that are in its measurement alone. At least one client.
[[nodiscard]] WayReport reportOf(const WayMeasurement& measurement, bool hasDriverTime);

/// Both sides, with the names by which they are printed.
[[nodiscard]] std::array<std::pair<const char*, WaitRates>, 2> sidesOf(const BurstWaitRates& waits);

/// What was sent, without the model's name: "frames of 256 bytes, 60 a second, 1 client, ...".
[[nodiscard]] std::string settingsText(const Report& report);
/// Where: "device spawn (nnburst-0.1.0) on ...".
[[nodiscard]] std::string machineText(const Report& report);

/// Prints the report for people, on the standard output.
void print(const Report& report);

/// The report as JSON, and as a page that needs no other file.
[[nodiscard]] std::string toJson(const Report& report);
[[nodiscard]] std::string toHtml(const Report& report);

}  // namespace nnburst::stream
