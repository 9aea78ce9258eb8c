// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The command line of driver programs.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/driver/isolation.h"
#include "nnburst/driver.h"
#include "nnburst/driver_options.h"

namespace nnburst::driver {

struct Options {
    std::string program;  ///< for messages
    std::shared_ptr<Accelerator> accelerator;
    std::string socketPath;
    std::string socketMode;                  ///< octal digits; empty: 0660
    std::string socketGroup;                 ///< name or number; empty: the group of this process
    std::vector<std::string> allowedUsers;   ///< names or numbers
    std::vector<std::string> allowedGroups;  ///< names or numbers; all clients if both are empty
    int fd = -1;
    device::Isolation isolation = device::Isolation::NONE;
    int workerFd = -1;   ///< of a worker process: its end of the channel to the broker
    int workerNice = 0;  ///< of a worker process: its nice value once it has begun
    std::chrono::milliseconds drainTimeout{3000};  ///< for what runs when a signal stops the driver
    DriverOptions device;
    std::string limitsFile;           ///< as setLimitsFromFile takes it; empty: none
    std::vector<std::string> limits;  ///< as setLimit takes them
    std::string metricsSocket;        ///< empty: none
    std::uint16_t metricsPort = 0;    ///< 0: none
    bool hasSandbox = true;
    std::string verboseTags;
    std::vector<std::string> commandLine;  ///< all of it, to start a worker with
    std::string calibrationFile;
    std::uint32_t calibrationRounds = 10;
    bool noCalibration = false;
};

/// Reads the command line into `options`, whose program and accelerator are set. Returns the status
/// to exit with if the program has nothing else to do: after --help, and after a wrong argument,
/// about which it has written to standard error.
[[nodiscard]] std::optional<int> parse(int argc, char** argv, Options& options);

}  // namespace nnburst::driver
