// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The command line of nnburst-stream.

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "nnburst/model_signature.h"
#include "nnburst/wait_policy.h"

namespace nnburst::stream {

/// The path that frames take to the kernels. nnburst-bench and tests call BURST a reusable
/// execution, and PLAIN a burst.
enum class Path : std::uint8_t {
    BURST,       ///< a burst to the device, with reusable executions
    PLAIN,       ///< a burst to the device, to which each request is sent as a whole
    IN_PROCESS,  ///< a local device, on the client's own thread
    RPC,         ///< executeSynchronously of the device that the burst goes to
};

/// "burst", "plain", "inprocess" or "rpc".
[[nodiscard]] const char* toString(Path path) noexcept;

struct Options {
    std::string model;              ///< a .tflite file, or the name of a built-in model
    InputDimensions shapes;         ///< of inputs, in place of the file's
    bool integersFitInt32 = false;  ///< as TfliteOptions has it
    std::string device = "spawn";   ///< as tools::openDevice takes it
    std::optional<double> rate;     ///< frames a second of each client; none: as fast as it goes
    /// A measurement ends when both are reached. At least one is set after parsing.
    std::optional<double> seconds;
    std::optional<std::uint64_t> frames;
    std::uint32_t clients = 1;
    std::uint32_t inFlight = 1;          ///< frames that a client has in flight on a burst
    WaitMode wait = WaitMode::ADAPTIVE;  ///< how both ends of a burst wait
    bool isPlain = false;                ///< the burst uses no reusable executions
    /// As DriverOptions::threads, of devices that this program makes.
    std::uint32_t threads = 1;
    std::uint64_t warmUp = 20;  ///< frames at the start of each path, not measured
    std::optional<double> deadlineMs;
    std::vector<Path> baselines;  ///< to compare with, in the order of Path
    std::string inputs;          ///< directory of images or files of elements; empty: random frames
    std::string json;            ///< file to write, empty for none
    std::string html;            ///< likewise
    std::string csv;             ///< likewise
    std::string compare;         ///< an earlier --json file to compare with, empty for none
    std::uint32_t realtime = 0;  ///< as DriverOptions::realtimePriority, of a spawned driver
    std::vector<std::uint32_t> processors;  ///< as DriverOptions::processors, likewise
    std::vector<std::string> commandLine;

    /// Whether the device is one that this program makes, so that `threads` is for it.
    [[nodiscard]] bool makesDevice() const noexcept;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> period() const;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> deadline() const;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> duration() const;
    /// The burst, plain or not, then the baselines.
    [[nodiscard]] std::vector<Path> paths() const;
    /// Frames that a client may have in flight: more than one only on bursts.
    [[nodiscard]] std::uint32_t inFlightOn(Path path) const noexcept;
};

/// The exit statuses of the program.
enum class ExitStatus : std::uint8_t {
    SUCCESS = 0,
    FAILURE = 1,  ///< the model could not be run, a file not be written, or outputs differ
    USAGE = 2,    ///< wrong arguments
    STOPPED = 3,  ///< a signal has ended the stream before its end
    SLOWER = 4,   ///< slower than in the file of --compare, or no row is in both; as nnburst-run
};

/// Reads the command line. Returns an exit status if the program is to end now: help was printed to
/// `out`, or an error to `err`.
[[nodiscard]] std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv,
                                                             std::ostream& out, std::ostream& err);

}  // namespace nnburst::stream
