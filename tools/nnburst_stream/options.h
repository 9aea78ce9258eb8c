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

#include "nnburst/wait_policy.h"

namespace nnburst::stream {

/// The way that frames take to the kernels.
enum class Way : std::uint8_t {
    BURST,       ///< a burst to the device, with reusable executions
    PLAIN,       ///< a burst to the device, to which each request is sent as a whole
    IN_PROCESS,  ///< a local device, on the client's own thread
    RPC,         ///< executeSynchronously of the device that the burst goes to
};

/// "burst", "plain", "inprocess" or "rpc".
[[nodiscard]] const char* toString(Way way) noexcept;

/// The most that a burst can have in flight (BurstOptions::inFlight).
inline constexpr std::uint32_t kMostInFlight = 64;

struct Options {
    std::string model;             ///< a .tflite file, or the name of a built-in model
    std::string device = "spawn";  ///< "local", "spawn", or the path of a driver's socket
    std::optional<double> rate;    ///< frames a second of each client; none: as fast as it goes
    /// A measurement ends when both are reached. At least one is set after parsing.
    std::optional<double> seconds;
    std::optional<std::uint64_t> frames;
    std::uint32_t clients = 1;
    std::uint32_t inFlight = 1;  ///< frames that a client has under way at once, where a way can
    WaitMode wait = WaitMode::ADAPTIVE;  ///< of both ends of a burst
    bool isPlain = false;                ///< the burst is without reusable executions
    /// As DriverOptions::threads, of devices that this program makes.
    std::uint32_t threads = 1;
    std::uint64_t warmUp = 20;  ///< frames on each way that are not measured
    std::optional<double> deadlineMs;
    std::vector<Way> baselines;  ///< to compare with, in the order of Way
    std::string json;            ///< file to write, empty for none
    std::string html;            ///< likewise

    [[nodiscard]] std::optional<std::chrono::nanoseconds> period() const;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> deadline() const;
    [[nodiscard]] std::optional<std::chrono::nanoseconds> duration() const;
    /// The burst, plain or not, then the baselines.
    [[nodiscard]] std::vector<Way> ways() const;
    /// Frames that a client may have under way at once: only bursts can have more than one.
    [[nodiscard]] std::uint32_t inFlightOn(Way way) const noexcept;
};

/// What the program returns to the shell.
enum class ExitStatus : std::uint8_t {
    SUCCESS = 0,
    FAILURE = 1,  ///< the model could not be run, a file not be written, or outputs differ
    USAGE = 2,    ///< wrong arguments
};

/// Reads the command line. Gives a status instead if the program is to end now: help has been
/// printed to `out`, or what is wrong to `err`.
[[nodiscard]] std::variant<Options, ExitStatus> parseOptions(int argc, const char* const* argv,
                                                             std::ostream& out, std::ostream& err);

}  // namespace nnburst::stream
