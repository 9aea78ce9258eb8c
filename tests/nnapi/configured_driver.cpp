// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "configured_driver.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace nnburst::nnapi {
namespace {

/// The file with the configuration, and the environment that names it.
class Configuration {
  public:
    Configuration()
        : path_(std::filesystem::temp_directory_path() /
                ("nnapi-devices-" + std::to_string(::getpid()) + ".json")) {
        std::ofstream(path_) << R"({"name": ")" << kDriverDevice << R"(", "program": ")"
                             << NNBURST_DRIVER_PROGRAM << R"("})";
        ::setenv("NNBURST_DEVICES", path_.c_str(), 1);
    }
    Configuration(const Configuration&) = delete;
    Configuration& operator=(const Configuration&) = delete;
    ~Configuration() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

  private:
    std::filesystem::path path_;
};

const Configuration kConfiguration;

/// The state of process `pid` and its parent; state 0 if there is no such process.
struct ProcessState {
    char state = 0;
    pid_t parent = 0;
};

ProcessState stateOf(const std::filesystem::path& process) {
    std::ifstream file(process / "stat");
    std::string stat;
    std::getline(file, stat);
    const std::size_t end = stat.rfind(") ");
    ProcessState result;
    if (end != std::string::npos) {
        std::istringstream rest(stat.substr(end + 2));
        rest >> result.state >> result.parent;
    }
    return result;
}

}  // namespace

std::vector<pid_t> driverProcesses() {
    std::vector<pid_t> processes;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) {
            continue;
        }
        const ProcessState process = stateOf(entry.path());
        if (process.parent == ::getpid() && process.state != 'Z') {
            processes.push_back(static_cast<pid_t>(std::stol(name)));
        }
    }
    return processes;
}

}  // namespace nnburst::nnapi
