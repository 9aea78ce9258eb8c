// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The main function of driver processes. Serves a device on a socket until it is told to stop.

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate.h"
#include "device/driver/access_list.h"
#include "device/driver/limits.h"
#include "device/driver/metrics_server.h"
#include "device/driver/sandbox.h"
#include "device/driver/service.h"
#include "device/local/capabilities_file.h"
#include "device/local/local_device.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/unix_socket.h"
#include "lifecycle.h"
#include "log/logger.h"
#include "machine_capabilities.h"
#include "nnburst/driver.h"
#include "nnburst/logging.h"
#include "options.h"
#include "process_setup.h"
#include "service_manager.h"
#include "support/thread_option.h"

namespace nnburst {
namespace {

using driver::Options;

/// The first descriptor that systemd passes (sd_listen_fds(3)).
constexpr int kFirstSystemdFd = 3;

/// The socket on which systemd listens for this process, if systemd started it: LISTEN_PID is our
/// process and LISTEN_FDS the number of sockets.
Result<std::optional<int>> systemdSocket() {
    const char* pid = std::getenv("LISTEN_PID");
    const char* count = std::getenv("LISTEN_FDS");
    if (pid == nullptr || count == nullptr || std::to_string(::getpid()) != pid) {
        return std::optional<int>();
    }
    if (std::string_view(count) != "1") {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("systemd passes {} sockets; the unit must have one "
                                   "ListenStream=",
                                   count));
    }
    return std::optional<int>(kFirstSystemdFd);
}

/// Checks that a descriptor is a Unix socket of the kind that is needed.
Result<> checkSocket(int fd, bool isListening) {
    int domain = 0;
    int accepts = 0;
    socklen_t size = sizeof(int);
    if (::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 ||
        ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) != 0 || domain != AF_UNIX ||
        (accepts != 0) != isListening) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("descriptor {} is not a {} Unix socket", fd,
                                   isListening ? "listening" : "connected"));
    }
    return {};
}

/// SIGUSR2 switches verbose logging: to all tags, and then back to those of the start.
kj::Promise<void> switchVerbosity(device::EventLoop& loop, std::string tags) {
    return loop.io().unixEventPort.onSignal(SIGUSR2).then([&loop, tags](auto&&) {
        setVerboseLogging(verboseLogging() == tags ? "all" : tags);
        logger().info("verbose logging: {}", verboseLogging().empty() ? "off" : verboseLogging());
        return switchVerbosity(loop, tags);
    });
}

/// Resolves when the process of a pidfd has ended.
kj::Promise<void> endOf(device::EventLoop& loop, UniqueFd process) {
    auto observer = kj::heap<kj::UnixEventPort::FdObserver>(
        loop.io().unixEventPort, process.get(), kj::UnixEventPort::FdObserver::OBSERVE_READ);
    auto ended = observer->whenBecomesReadable();
    return ended.attach(kj::mv(observer)).attach(kj::mv(process));  // observed until it is closed
}

/// Without a file of capabilities: finds those that were measured on this machine. If there are
/// none, a driver with a public socket has them measured for its next start, and reports 1.0 until
/// then.
void findCapabilities(const Options& options, DriverOptions& driver) {
    const std::string file = machineCapabilitiesFile(driver);
    if (!driver.capabilitiesFile.empty() || options.noCalibration || options.accelerator ||
        file.empty()) {
        return;
    }
    if (device::readCapabilities(file)) {
        driver.capabilitiesFile = file;
        return;
    }
    if (options.fd < 0) {
        if (const Result<> started = measureInBackground(driver, file); !started) {
            logger().warn("{}", started.error().message);
            return;
        }
        logger().info(
            "capabilities are being measured in the background: the next start reports "
            "them from {}",
            file);
    }
}

/// Refuses options of sockets that do not fit the way of serving.
Result<> checkSocketOptions(const Options& options) {
    const auto only = [](const char* option, const char* way) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("{} can be given only with {}", option, way));
    };
    if (options.socketPath.empty() && !options.socketMode.empty()) {
        return only("--socket-mode", "--socket (socket units have SocketMode=)");
    }
    if (options.socketPath.empty() && !options.socketGroup.empty()) {
        return only("--socket-group", "--socket (socket units have SocketGroup=)");
    }
    if (options.fd >= 0 && !options.allowedUsers.empty()) {
        return only("--allow-user", "--socket or socket activation");
    }
    if (options.fd >= 0 && !options.allowedGroups.empty()) {
        return only("--allow-group", "--socket or socket activation");
    }
    return {};
}

Result<device::SocketPermissions> permissionsOf(const Options& options) {
    device::SocketPermissions permissions;
    if (!options.socketMode.empty()) {
        permissions.mode =
            static_cast<mode_t>(std::strtoul(options.socketMode.c_str(), nullptr, 8));
    }
    if (!options.socketGroup.empty()) {
        NNBURST_TRY_ASSIGN(permissions.group, device::groupOf(options.socketGroup));
    }
    return permissions;
}

/// A driver that serves one application belongs to it; others share theirs among their clients.
Result<device::Limits> limitsOf(const Options& options) {
    const device::MachineSize machine = device::MachineSize::get();
    device::Limits limits =
        options.fd >= 0 ? device::limitsOfOwnDriver(machine) : device::defaultLimits(machine);
    if (!options.limitsFile.empty()) {
        NNBURST_TRY(device::setLimitsFromFile(options.limitsFile, limits));
    }
    for (const std::string& limit : options.limits) {
        NNBURST_TRY(device::setLimit(limit, limits));
    }
    return limits;
}

/// The listening sockets for metrics, if there are any.
struct MetricsSockets {
    std::optional<device::UnixListener> local;
    UniqueFd loopback;

    static Result<MetricsSockets> open(const Options& options) {
        MetricsSockets sockets;
        if (!options.metricsSocket.empty()) {
            NNBURST_TRY_ASSIGN(const device::SocketPermissions permissions, permissionsOf(options));
            NNBURST_TRY_ASSIGN(auto listener,
                               device::UnixListener::listen(options.metricsSocket, permissions));
            sockets.local.emplace(std::move(listener));
        }
        if (options.metricsPort != 0) {
            NNBURST_TRY_ASSIGN(sockets.loopback, device::listenOnLoopback(options.metricsPort));
        }
        return sockets;
    }

    [[nodiscard]] kj::Promise<void> serve(device::MetricsServer& server) const {
        kj::Promise<void> served = kj::NEVER_DONE;
        if (local) {
            served = served.exclusiveJoin(server.listen(local->fd()));
        }
        if (loopback) {
            served = served.exclusiveJoin(server.listen(loopback.get()));
        }
        return served;
    }
};

/// The first step into the sandbox. Reads before what the driver would read later.
Result<> giveUpRights(const Options& options, device::DeviceSetup& setup) {
    setup.cache->readKey();
    device::SandboxNeeds needs{.lockedMemory = setup.options.lockMemory, .removableFrom = {}};
    for (const std::string& path : {options.socketPath, options.metricsSocket}) {
        if (!path.empty()) {
            const auto folder = std::filesystem::path(path).parent_path();
            needs.removableFrom.push_back(folder.empty() ? "." : folder.string());
        }
    }
    NNBURST_TRY_ASSIGN(const bool hasLandlock, device::restrictRights(needs));
    if (!hasLandlock) {
        logger().info("this kernel has no Landlock: the driver can read what its user can read");
    }
    return {};
}

/// Serves until a signal stops it, and then ends the process; returns only if it cannot serve.
Result<> serve(const Options& options) {
    NNBURST_TRY_ASSIGN(const std::optional<int> systemd, systemdSocket());
    const int ways =
        (options.socketPath.empty() ? 0 : 1) + (options.fd >= 0 ? 1 : 0) + (systemd ? 1 : 0);
    if (ways != 1) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("{} sockets to serve on: must be 1, by --socket PATH, --fd N or socket "
                        "activation by systemd",
                        ways));
    }
    if (systemd) {
        NNBURST_TRY(checkSocket(*systemd, true));
    }
    NNBURST_TRY(checkSocketOptions(options));
    NNBURST_TRY_ASSIGN(const ServiceManager manager, ServiceManager::connect());
    device::ServiceOptions serviceOptions;
    NNBURST_TRY_ASSIGN(serviceOptions.access,
                       device::AccessList::create(options.allowedUsers, options.allowedGroups));
    serviceOptions.userNames = device::UserNames::read();
    UniqueFd parent;
    if (options.fd >= 0) {
        NNBURST_TRY(checkSocket(options.fd, false));
        NNBURST_TRY_ASSIGN(parent, endWithParent(options.fd));
    }
    NNBURST_TRY(setProcessName(options.device.processName));
    NNBURST_TRY(useProcessors(options.device.processors));
    NNBURST_TRY(limitMemory(options.device.memoryLimitBytes));
    allowManyDescriptors();
    NNBURST_TRY_ASSIGN(serviceOptions.limits, limitsOf(options));
    std::optional<device::UnixListener> listener;
    if (!options.socketPath.empty()) {
        NNBURST_TRY_ASSIGN(const device::SocketPermissions permissions, permissionsOf(options));
        NNBURST_TRY_ASSIGN(auto listening,
                           device::UnixListener::listen(options.socketPath, permissions));
        listener.emplace(std::move(listening));
    }
    NNBURST_TRY_ASSIGN(MetricsSockets metrics, MetricsSockets::open(options));
    DriverOptions driver = options.device;
    findCapabilities(options, driver);  // may fork: no thread has started yet

    NNBURST_TRY_ASSIGN(device::DeviceSetup setup, device::DeviceSetup::prepare(driver));
    const bool isSandboxed = device::kHasSandbox && options.hasSandbox && !options.accelerator;
    if (isSandboxed) {
        NNBURST_TRY(giveUpRights(options, setup));
    }
    std::shared_ptr<device::Scheduler> scheduler;
    NNBURST_TRY_ASSIGN(scheduler,
                       device::Scheduler::create("nnburst-job", device::defaultJobLimits()));
    NNBURST_TRY_ASSIGN(
        std::shared_ptr<device::LocalDevice> device,
        device::LocalDevice::create(std::move(setup), scheduler, exec::KernelThreadPlacement::APART,
                                    options.accelerator));

    device::EventLoop loop;
    if (isSandboxed) {
        NNBURST_TRY(device::restrictSystemCalls());
    }
    bool isDrained = false;
    {
        device::Service service(loop, device, std::move(serviceOptions));
        device::MetricsServer metricsServer(loop, service);
        const kj::Promise<void> answering = metrics.serve(metricsServer).eagerlyEvaluate(nullptr);
        Lifecycle lifecycle(loop, service, manager);
        kj::Promise<void> verbosity =
            switchVerbosity(loop, verboseLogging()).eagerlyEvaluate(nullptr);
        if (options.fd >= 0) {
            auto stream = loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(options.fd));
            kj::Promise<void> gone = service.serve(kj::mv(stream));
            if (parent) {
                gone = gone.exclusiveJoin(endOf(loop, std::move(parent)));
            }
            logger().debug("serving the process that started this one, {}", ::getppid());
            isDrained = lifecycle.run(kj::mv(gone), options.drainTimeout, [] {});
        } else {
            kj::Promise<void> accepting =
                service.listen(listener ? listener->fd() : *systemd).eagerlyEvaluate(nullptr);
            logger().info("serving on {} with {}",
                          listener ? options.socketPath : "the socket of systemd",
                          tools::threadsText(options.device.threads));
            isDrained = lifecycle.run(kj::NEVER_DONE, options.drainTimeout, [&] {
                accepting = kj::READY_NOW;
                listener.reset();
            });
        }
    }
    loop.close();
    metrics.local.reset();
    if (isDrained) {
        // Waits for running jobs. Job threads may still refer to the loop, so the process ends
        // without destroying it.
        device.reset();
        scheduler.reset();
    }
    logger().debug("ended");
    logger().flush();
    std::_Exit(0);
}

/// Measures on the processors that the driver would use.
Result<> calibrateTo(const Options& options) {
    if (options.accelerator) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "--calibrate: it measures the kernels of nnburst-driver, which this driver "
                       "does not use; write a file for --capabilities instead");
    }
    NNBURST_TRY(useProcessors(options.device.processors));
    NNBURST_TRY_ASSIGN(const Capabilities capabilities,
                       calibrate(options.device, options.calibrationRounds));
    return device::writeCapabilities(capabilities, options.calibrationFile);
}

int run(int argc, char** argv, std::shared_ptr<Accelerator> accelerator) {
    Options options;
    options.accelerator = std::move(accelerator);
    options.program = options.accelerator && argc > 0
                          ? std::filesystem::path(argv[0]).filename().string()
                          : "nnburst-driver";
    if (const std::optional<int> status = driver::parse(argc, argv, options)) {
        return *status;
    }

    setLogName(options.device.processName.empty() ? options.program : options.device.processName);
    setLogUnblocked();
    setLogLevel(options.device.logLevel);
    // Before any thread starts, so that all of them have the same signals blocked.
    ignoreSignals();
    kj::UnixEventPort::captureSignal(SIGTERM);
    kj::UnixEventPort::captureSignal(SIGINT);
    kj::UnixEventPort::captureSignal(SIGUSR2);
    if (!options.verboseTags.empty()) {
        setVerboseLogging(options.verboseTags);
    }

    if (!options.calibrationFile.empty()) {
        const Result<> written = calibrateTo(options);
        if (!written) {
            fmt::print(stderr, "{}: {}\n", options.program, written.error().message);
        }
        return written ? 0 : 1;
    }
    const Error error = serve(options).error();
    fmt::print(stderr, "{}: {}\n", options.program, error.message);
    return 1;
}

}  // namespace

int driverMain(int argc, char** argv, std::shared_ptr<Accelerator> accelerator) {
    return run(argc, argv, std::move(accelerator));
}

}  // namespace nnburst
