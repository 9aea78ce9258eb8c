// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "workers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "device/driver/broker.h"
#include "device/driver/sandbox.h"
#include "device/local/capabilities_file.h"
#include "device/local/compilation_cache.h"
#include "log/logger.h"
#include "process_setup.h"
#include "serving_frame.h"
#include "system/scheduling.h"

namespace nnburst {

using driver::Options;

namespace {

/// The command by which a broker starts its workers: its own, and what it has found out.
device::WorkerCommand workerCommand(const Options& options, const DriverOptions& device) {
    device::WorkerCommand command{.program = "/proc/self/exe", .arguments = options.commandLine};
    std::vector<std::string>& arguments = command.arguments;
    if (options.device.capabilitiesFile.empty()) {
        if (!device.capabilitiesFile.empty()) {
            arguments.insert(arguments.end(), {"--capabilities", device.capabilitiesFile});
        } else if (!options.noCalibration) {
            arguments.emplace_back("--no-calibration");
        }
    }
    arguments.insert(arguments.end(),
                     {"--worker", std::to_string(device::WorkerProcess::kChannelFd), "--nice",
                      std::to_string(system::priorityWithoutScopes().nice)});
    return command;
}

/// Refuses files that each worker would refuse, so that the driver does not begin to serve.
Result<> checkFilesOfWorkers(const DriverOptions& device) {
    if (!device.capabilitiesFile.empty()) {
        NNBURST_TRY(device::readCapabilities(device.capabilitiesFile));
    }
    if (!device.cacheKeyFile.empty()) {
        NNBURST_TRY(device::CompilationCache(device.cacheKeyFile).readKey());
    }
    for (const std::string& library : device.extensionLibraries) {
        if (::access(library.c_str(), R_OK) != 0) {
            return failure(
                ErrorStatus::INVALID_ARGUMENT,
                fmt::format("cannot load extension: {}: {}", library, std::strerror(errno)));
        }
    }
    return {};
}

/// What workers get beyond --drain-timeout before they are killed.
constexpr std::chrono::milliseconds kTimeToEndWorkers{1000};

}  // namespace

Result<> serveByWorkers(const Options& options, Setup setup) {
    NNBURST_TRY(checkFilesOfWorkers(setup.device));
    // They are for this process; no thread reads the environment yet.
    for (const char* variable :
         {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS"}) {
        ::unsetenv(variable);  // NOLINT(concurrency-mt-unsafe)
    }
    NNBURST_TRY(device::refuseNewPrivileges());
    NNBURST_TRY_ASSIGN(auto starter, system::ProgramStarter::create());
    device::EventLoop loop;
    {
        device::Broker broker(loop, {.isolation = options.isolation,
                                     .command = workerCommand(options, setup.device),
                                     .starter = std::move(starter),
                                     .admission = std::move(setup.admission),
                                     .limits = std::move(setup.limits)});
        ServingFrame frame(loop, setup, broker);
        loop.raisePriority();  // all that connect wait for it
        logger().info("serving on {}; each {} has a process of its own",
                      nameOf(setup.source, options), toString(options.isolation));
        (void)frame.runAccepting(broker.listen(setup.source.listeningSocket()),
                                 options.drainTimeout + kTimeToEndWorkers);
    }
    loop.close();
    setup.metrics.local.reset();
    endProcess(false);
}

void becomeWorker(Options& options) {
    system::leaveScopes({.nice = options.workerNice, .isInBackground = false});
    options.isolation = device::Isolation::NONE;
    options.socketPath.clear();
    options.socketMode.clear();
    options.socketGroup.clear();
    options.allowedUsers.clear();
    options.allowedGroups.clear();
    options.metricsSocket.clear();
    options.metricsPort = 0;
}

}  // namespace nnburst
