// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/run_context.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <climits>
#include <fstream>
#include <sstream>

#include "nnburst/version.h"
#include "support/machine.h"

namespace nnburst::tools {

namespace {

std::string hostName() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string firstLineOf(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// The shared libraries that this process has, by their names with version.
std::string loadedLibraries() {
    std::ifstream file("/proc/self/maps");
    std::string libraries;
    for (std::string line; std::getline(file, line);) {
        const std::size_t slash = line.rfind('/');
        if (slash == std::string::npos || line.find(".so") == std::string::npos) {
            continue;
        }
        const std::string name = line.substr(slash + 1);
        if ((" " + libraries + " ").find(" " + name + " ") == std::string::npos) {
            libraries += (libraries.empty() ? "" : " ") + name;
        }
    }
    return libraries;
}

}  // namespace

std::string governorName() {
    const std::string governor =
        firstLineOf("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    return governor.empty() ? "unknown" : governor;
}

ContextEntries runContext(int argc, const char* const* argv) {
    const auto now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    std::string command;
    for (int i = 0; i < argc; ++i) {
        command += fmt::format("{}{}", i == 0 ? "" : " ", argv[i]);
    }
    return {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%S+00:00}", now)},
            {"host_name", hostName()},
            {"executable", argc > 0 ? argv[0] : ""},
            {"command_line", command},
            {"nnburst_version", NNBURST_VERSION},
            {"processor", processorName()},
            {"kernel", kernelName()},
            {"governor", governorName()},
            {"load_average", firstLineOf("/proc/loadavg")},
            {"compiler", __VERSION__},
            {"libraries", loadedLibraries()}};
}

std::uint64_t memoryBytesOf(int process) {
    const std::string who = process == 0 ? "self" : std::to_string(process);
    std::ifstream file("/proc/" + who + "/smaps_rollup");
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        std::string name;
        std::uint64_t kilobytes = 0;
        if (fields >> name >> kilobytes && name == "Pss:") {
            return kilobytes * 1024;
        }
    }
    return 0;
}

}  // namespace nnburst::tools
