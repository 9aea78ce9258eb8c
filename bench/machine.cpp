// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

namespace nnburst::bench {
namespace {

/// The system's name of its first processor.
std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

std::string kernelName() {
    utsname names{};
    if (::uname(&names) != 0) {
        return "unknown kernel";
    }
    return fmt::format("{} {}", names.sysname, names.release);
}

}  // namespace

Machine describeMachine() {
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    return {.date = fmt::format("{:%Y-%m-%d %H:%M} UTC", now),
            .processor = fmt::format("{} x {}", ::sysconf(_SC_NPROCESSORS_ONLN), processorName()),
            .kernel = kernelName(),
            .compiler = fmt::format("compiled by {}", __VERSION__)};
}

}  // namespace nnburst::bench
