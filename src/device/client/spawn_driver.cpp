// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "device/client/connection.h"
#include "device/client/driver_process.h"
#include "device/client/driver_starter.h"
#include "device/client/remote_device.h"
#include "log/verbose.h"
#include "nnburst/device.h"
#include "system/standard_descriptors.h"

namespace nnburst {

namespace {

constexpr const char* kProgramName = "nnburst-driver";

constexpr const char* kEnvironmentVariable = "NNBURST_DRIVER";

/// The driver program, and how it was found, for the message if it cannot be started.
struct Program {
    std::string path;
    std::string origin;
};

std::string valueOf(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
}

/// `path` from the root on; as it is if it is empty or there is no working directory.
std::string absolute(const std::string& path) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error || path.empty() ? path : whole.string();
}

/// The path of the program that execvp(3) would start now; `name` if it is not on the PATH.
std::string locate(const std::string& name) {
    if (name.find('/') != std::string::npos) {
        return absolute(name);
    }
    std::istringstream directories(valueOf("PATH"));
    for (std::string directory; std::getline(directories, directory, ':');) {
        const std::string program = absolute((directory.empty() ? "." : directory) + '/' + name);
        std::error_code error;
        if (std::filesystem::is_regular_file(program, error) &&
            ::access(program.c_str(), X_OK) == 0) {
            return program;
        }
    }
    return name;
}

/// As the documentation of spawnDriver says.
Program findProgram(const std::string& program) {
    if (!program.empty()) {
        return {locate(program), "given to spawnDriver"};
    }
    if (const std::string named = valueOf(kEnvironmentVariable); !named.empty()) {
        return {locate(named),
                fmt::format("given by the environment variable {}", kEnvironmentVariable)};
    }
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path beside = self.parent_path() / kProgramName;
    if (!error && ::access(beside.c_str(), X_OK) == 0) {
        return {beside, "found beside the running program"};
    }
    return {locate(kProgramName),
            fmt::format("there is no {}, and it was looked for in the directories of PATH, '{}'; "
                        "the environment variable {} names another",
                        beside.native(), valueOf("PATH"), kEnvironmentVariable)};
}

/// With absolute paths of files.
DriverOptions withAbsolutePaths(DriverOptions options) {
    options.cacheKeyFile = absolute(options.cacheKeyFile);
    options.capabilitiesFile = absolute(options.capabilitiesFile);
    for (std::string& library : options.extensionLibraries) {
        if (library.find('/') != std::string::npos) {  // dlopen(3) looks for the others
            library = absolute(library);
        }
    }
    return options;
}

void addMemoryLimits(const DriverOptions& options, std::vector<std::string>& arguments) {
    if (options.memoryLimitBytes != 0) {
        arguments.insert(arguments.end(),
                         {"--memory-limit", std::to_string(options.memoryLimitBytes)});
    }
    if (options.concurrencyMemoryBytes != DriverOptions().concurrencyMemoryBytes) {
        arguments.insert(arguments.end(),
                         {"--concurrency-memory", std::to_string(options.concurrencyMemoryBytes)});
    }
}

std::vector<std::string> argumentsOf(const std::string& program, const DriverOptions& options) {
    std::vector<std::string> arguments{
        options.processName.empty() ? program : options.processName, "--fd",
        std::to_string(device::DriverProcess::kSocketFd), "--threads",
        options.threads == 0 ? "auto" : std::to_string(options.threads)};
    if (!options.processors.empty()) {
        arguments.emplace_back("--processors");
        arguments.push_back(fmt::format("{}", fmt::join(options.processors, ",")));
    }
    if (!options.processName.empty()) {
        arguments.insert(arguments.end(), {"--name", options.processName});
    }
    if (options.logLevel != DriverOptions().logLevel) {
        arguments.insert(arguments.end(), {"--log-level", toString(options.logLevel)});
    }
    addMemoryLimits(options, arguments);
    if (!options.useXnnpack) {
        arguments.emplace_back("--no-xnnpack");
    }
    if (!options.useDotProducts) {
        arguments.emplace_back("--no-dot-products");
    }
    if (!options.cacheKeyFile.empty()) {
        arguments.insert(arguments.end(), {"--cache-key", options.cacheKeyFile});
    }
    if (options.version != DriverOptions().version) {
        arguments.insert(arguments.end(), {"--hal", toString(options.version)});
    }
    if (!options.capabilitiesFile.empty()) {
        arguments.insert(arguments.end(), {"--capabilities", options.capabilitiesFile});
    }
    if (options.idleTime != DriverOptions().idleTime) {
        arguments.insert(arguments.end(),
                         {"--idle-time", std::to_string(options.idleTime.count())});
    }
    for (const std::string& library : options.extensionLibraries) {
        arguments.insert(arguments.end(), {"--extension", library});
    }
    if (!options.useTfliteOperations) {
        arguments.emplace_back("--no-tflite-operations");
    }
    if (options.realtimePriority != 0) {
        arguments.insert(arguments.end(), {"--realtime", std::to_string(options.realtimePriority)});
    }
    if (options.lockMemory) {
        arguments.emplace_back("--lock-memory");
    }
    if (options.useHugePages) {
        arguments.emplace_back("--huge-pages");
    }
    if (options.cpuLatencyLimit) {
        arguments.insert(arguments.end(),
                         {"--shallow-idle", std::to_string(options.cpuLatencyLimit->count())});
    }
    if (options.variant != DriverVariant::FULL) {
        arguments.insert(arguments.end(), {"--variant", toString(options.variant)});
    }
    return arguments;
}

Result<SharedDevice> start(const Program& program, const DriverOptions& options) {
    system::openStandardDescriptors();
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            fmt::format("cannot make a socket pair for a driver: {}", std::strerror(errno)));
    }
    UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    const auto& [path, origin] = program;
    auto child = device::DriverProcess::start(path, argumentsOf(path, options), std::move(theirs));
    if (!child) {
        return failure(child.error().status, fmt::format("{} ({})", child.error().message, origin));
    }
    NNBURST_VLOG(MANAGER, "started {} as process {}, {}", path, (*child)->pid(), origin);
    const std::string name = fmt::format("driver process {} ({})", (*child)->pid(), path);
    auto connection = device::Connection::open(std::move(ours), name, std::move(*child));
    if (!connection) {
        return failure(connection.error().status,
                       fmt::format("{}; its standard error says why, if it could not serve",
                                   connection.error().message));
    }
    return std::make_shared<device::RemoteDevice>(std::move(*connection));
}

}  // namespace

std::function<Result<SharedDevice>()> device::driverStarter(const DriverOptions& options,
                                                            const std::string& program) {
    return [program = findProgram(program), options = withAbsolutePaths(options)] {
        return start(program, options);
    };
}

Result<SharedDevice> spawnDriver(const DriverOptions& options, const std::string& program) {
    return device::driverStarter(options, program)();
}

}  // namespace nnburst
