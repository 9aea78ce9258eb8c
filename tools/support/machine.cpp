// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstddef>
#include <fstream>

namespace nnburst::tools {

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

std::string kernelName() {
    utsname name{};
    if (::uname(&name) != 0) {
        return "unknown kernel";
    }
    return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

}  // namespace nnburst::tools
