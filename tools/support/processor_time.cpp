// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/processor_time.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace nnburst::tools {

namespace {

struct Relations {
    pid_t parent = 0;
    pid_t group = 0;
};

/// All zero if there is no such process.
Relations relationsOf(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string line;
    std::getline(file, line);
    const std::size_t nameEnd = line.rfind(')');  // a name may hold anything
    if (nameEnd == std::string::npos) {
        return {};
    }
    std::istringstream fields(line.substr(nameEnd + 1));
    std::string state;
    Relations relations;
    fields >> state >> relations.parent >> relations.group;
    return relations;
}

std::vector<pid_t> processesWith(pid_t Relations::*relation, pid_t value) {
    std::vector<pid_t> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        pid_t process = 0;
        const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (wrong == std::errc() && end == name.data() + name.size() &&
            relationsOf(process).*relation == value) {
            found.push_back(process);
        }
    }
    return found;
}

}  // namespace

Result<ProcessorClock> ProcessorClock::of(pid_t process) {
    clockid_t clock{};
    if (const int error = ::clock_getcpuclockid(process, &clock); error != 0) {
        return failure(
            ErrorStatus::GENERAL_FAILURE,
            fmt::format("no processor clock of process {}: {}", process, std::strerror(error)));
    }
    return ProcessorClock(clock);
}

std::chrono::nanoseconds ProcessorClock::now() const noexcept {
    timespec time{};
    if (::clock_gettime(clock_, &time) != 0) {
        return std::chrono::nanoseconds(0);
    }
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::vector<pid_t> childProcesses() {
    return processesWith(&Relations::parent, ::getpid());
}

std::vector<pid_t> processesOfGroup(pid_t group) {
    return processesWith(&Relations::group, group);
}

Result<pid_t> newChildProcess(const std::vector<pid_t>& before) {
    for (const pid_t process : childProcesses()) {
        if (std::ranges::find(before, process) == before.end()) {
            return process;
        }
    }
    return failure(
        ErrorStatus::GENERAL_FAILURE,
        "/proc shows no new child process: it must be mounted, and show the processes of "
        "this user");
}

}  // namespace nnburst::tools
