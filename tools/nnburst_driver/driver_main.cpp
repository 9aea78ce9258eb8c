// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The main function of driver processes. Serves a device on a socket until it is told to stop.

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
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
#include "device/driver/broker.h"
#include "device/driver/limits.h"
#include "device/driver/metrics.h"
#include "device/driver/metrics_server.h"
#include "device/driver/sandbox.h"
#include "device/driver/service.h"
#include "device/driver/worker_orders.h"
#include "device/local/capabilities_file.h"
#include "device/local/compilation_cache.h"
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
#include "system/control_group.h"
#include "system/memory_reserve.h"
#include "system/process.h"
#include "system/scheduling.h"
#include "system/standard_descriptors.h"

#ifdef NNBURST_COVERAGE
extern "C" {
#include <gcov.h>
}
#endif

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
kj::Promise<void> switchVerbosity(device::EventLoop& loop, const std::string& tags) {
    return loop.io().unixEventPort.onSignal(SIGUSR2).then([&loop, tags](auto&&) {
        setVerboseLogging(verboseLogging() == tags ? "all" : tags);
        logger().info("verbose logging: {}", verboseLogging().empty() ? "off" : verboseLogging());
        return switchVerbosity(loop, tags);
    });
}

/// Without a file of capabilities: finds those that were measured on this machine. If there are
/// none, a driver with a public socket has them measured for its next start, and reports 1.0 until
/// then. Gives the child process that measures, if there is one.
std::optional<pid_t> findCapabilities(const Options& options, DriverOptions& driver) {
    const std::string file = machineCapabilitiesFile(driver);
    if (!driver.capabilitiesFile.empty() || options.noCalibration || options.accelerator ||
        file.empty()) {
        return std::nullopt;
    }
    if (device::readCapabilities(file)) {
        driver.capabilitiesFile = file;
        return std::nullopt;
    }
    if (options.fd >= 0 || options.workerFd >= 0) {
        return std::nullopt;
    }
    const Result<pid_t> measuring = measureInBackground(driver, file);
    if (!measuring) {
        logger().warn("the capabilities of this machine are not measured: {}",
                      measuring.error().message);
        return std::nullopt;
    }
    logger().info(
        "capabilities are being measured in the background: the next start reports them from {}",
        file);
    return *measuring;
}

/// Reaps `child`, if there is one, when it has ended.
kj::Promise<void> reapWhenEnded(device::EventLoop& loop, std::optional<pid_t> child) {
    if (!child) {
        return kj::READY_NOW;
    }
    UniqueFd process = system::openProcess(*child);
    if (!process) {  // then it is reaped when this process has ended
        return kj::READY_NOW;
    }
    return device::whenProcessEnds(loop, std::move(process)).then([number = *child] {
        siginfo_t info{};
        (void)::waitid(P_PID, static_cast<id_t>(number), &info, WEXITED);
    });
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
    if (options.fd >= 0 && options.isolation != device::Isolation::NONE) {
        return only("--isolate", "--socket or socket activation");
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
    device::MachineSize machine = device::MachineSize::get();
    machine.memoryBytes = std::min(machine.memoryBytes, system::memoryLimitOfControlGroup());
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
    std::unique_ptr<device::UnixListener> local;
    UniqueFd loopback;

    static Result<MetricsSockets> open(const Options& options) {
        MetricsSockets sockets;
        if (!options.metricsSocket.empty()) {
            NNBURST_TRY_ASSIGN(const device::SocketPermissions permissions, permissionsOf(options));
            NNBURST_TRY_ASSIGN(auto listener,
                               device::UnixListener::listen(options.metricsSocket, permissions));
            sockets.local = std::make_unique<device::UnixListener>(std::move(listener));
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

/// The first step into the sandbox.
Result<> giveUpRights(const Options& options, const device::DeviceSetup& setup) {
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

/// Where clients come from: one of these.
struct Sources {
    std::unique_ptr<device::UnixListener> listener;  ///< of --socket
    std::optional<int> systemd;                      ///< a listening socket
    int fd = -1;                                     ///< one connected socket
    int worker = -1;                                 ///< the channel to a broker

    [[nodiscard]] int listeningSocket() const noexcept {
        return listener ? listener->fd() : systemd.value_or(-1);
    }
};

/// Refuses none and several sources. Opens none.
Result<Sources> chooseSource(const Options& options) {
    Sources sources{.listener = {}, .systemd = {}, .fd = options.fd, .worker = options.workerFd};
    NNBURST_TRY_ASSIGN(sources.systemd, systemdSocket());
    const int ways = (options.socketPath.empty() ? 0 : 1) + (options.fd >= 0 ? 1 : 0) +
                     (sources.systemd ? 1 : 0) + (options.workerFd >= 0 ? 1 : 0);
    if (ways != 1) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("{} sockets to serve on: must be 1, by --socket PATH, --fd N or socket "
                        "activation by systemd",
                        ways));
    }
    if (sources.systemd) {
        NNBURST_TRY(checkSocket(*sources.systemd, true));
    }
    for (const int connected : {sources.fd, sources.worker}) {
        if (connected >= 0) {
            NNBURST_TRY(checkSocket(connected, false));
        }
    }
    return sources;
}

/// What a driver and a broker have in common.
struct Setup {
    ServiceManager manager;
    device::Admission::Options admission;
    device::Limits limits;
    Sources sources;
    MetricsSockets metrics;
    UniqueFd parent;  ///< readable when the process that this one belongs to has ended
    DriverOptions device;
    std::optional<pid_t> measuring;  ///< a child that is to be reaped
};

Result<Setup> setUp(const Options& options) {
    Setup setup;
    NNBURST_TRY_ASSIGN(setup.sources, chooseSource(options));
    NNBURST_TRY(checkSocketOptions(options));
    NNBURST_TRY_ASSIGN(setup.admission.access,
                       device::AccessList::create(options.allowedUsers, options.allowedGroups));
    setup.admission.userNames = device::UserNames::read();
    if (const int owner = std::max(options.fd, options.workerFd); owner >= 0) {
        NNBURST_TRY_ASSIGN(setup.parent, endWithParent(owner));
    } else {  // a driver of another process has that one's environment
        NNBURST_TRY_ASSIGN(setup.manager, ServiceManager::connect());
    }
    NNBURST_TRY(setProcessName(options.device.processName));
    NNBURST_TRY(useProcessors(options.device.processors));
    NNBURST_TRY(limitMemory(options.device.memoryLimitBytes));
    returnFreedMemory();
    system::keepMemoryReserve();
    allowManyDescriptors();
    NNBURST_TRY_ASSIGN(setup.limits, limitsOf(options));
    if (!options.socketPath.empty()) {
        NNBURST_TRY_ASSIGN(const device::SocketPermissions permissions, permissionsOf(options));
        NNBURST_TRY_ASSIGN(auto listening,
                           device::UnixListener::listen(options.socketPath, permissions));
        setup.sources.listener = std::make_unique<device::UnixListener>(std::move(listening));
    }
    NNBURST_TRY_ASSIGN(setup.metrics, MetricsSockets::open(options));
    setup.device = options.device;
    setup.measuring = findCapabilities(options, setup.device);  // before any thread starts
    return setup;
}

std::string nameOf(const Sources& sources, const Options& options) {
    return sources.systemd ? "the socket of systemd" : options.socketPath;
}

/// Serves the clients of `setup` until a signal stops it, or until the one that it belongs to is
/// gone. Returns whether all work is finished.
bool serveClients(const Options& options, Setup& setup, device::EventLoop& loop,
                  const std::shared_ptr<device::LocalDevice>& device) {
    device::Service service(
        loop, device, {.admission = std::move(setup.admission), .limits = std::move(setup.limits)});
    device::MetricsServer metricsServer(loop, [&service] { return device::metricsText(service); });
    const kj::Promise<void> answering = setup.metrics.serve(metricsServer).eagerlyEvaluate(nullptr);
    const kj::Promise<void> reaping = reapWhenEnded(loop, setup.measuring).eagerlyEvaluate(nullptr);
    Lifecycle lifecycle(loop, Serving::of(service), setup.manager);
    // All clients wait for the event loop. That of a worker serves one client or user, between
    // which Linux divides the processors.
    if (setup.sources.worker < 0) {
        loop.raisePriority();
    }
    kj::Promise<void> verbosity = switchVerbosity(loop, verboseLogging()).eagerlyEvaluate(nullptr);
    if (setup.sources.listeningSocket() >= 0) {
        kj::Promise<void> accepting =
            service.listen(setup.sources.listeningSocket()).eagerlyEvaluate(nullptr);
        logger().info("serving on {} with {}", nameOf(setup.sources, options),
                      tools::threadsText(options.device.threads));
        return lifecycle.run(kj::NEVER_DONE, options.drainTimeout, [&] {
            accepting = kj::READY_NOW;
            setup.sources.listener.reset();
        });
    }
    kj::Promise<void> gone = kj::NEVER_DONE;
    std::optional<device::WorkerOrders> orders;
    if (setup.sources.worker >= 0) {
        orders.emplace(loop, service, UniqueFd(setup.sources.worker),
                       [&lifecycle] { lifecycle.stop(); });
        gone = orders->follow();
    } else {
        gone = service.serve(
            loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(setup.sources.fd)));
    }
    if (setup.parent) {
        gone = gone.exclusiveJoin(device::whenProcessEnds(loop, std::move(setup.parent)));
    }
    logger().debug("serving for process {}, which started this one", ::getppid());
    return lifecycle.run(kj::mv(gone), options.drainTimeout, [] {});
}

[[noreturn]] void endProcess([[maybe_unused]] bool isSandboxed) {
    logger().debug("ended");
    logger().flush();
#ifdef NNBURST_COVERAGE
    if (!isSandboxed) {
        __gcov_dump();  // _Exit writes no counts
    }
#endif
    std::_Exit(0);
}

/// Returns only if it cannot serve.
Result<> serveInThisProcess(const Options& options, Setup setup) {
    NNBURST_TRY_ASSIGN(device::DeviceSetup deviceSetup, device::DeviceSetup::prepare(setup.device));
    // Now, as the sandbox opens no files. Without a key a driver can do all but cache; one that was
    // named is meant to be there.
    if (const Result<> read = deviceSetup.cache->readKey();
        !read && !setup.device.cacheKeyFile.empty()) {
        return read;
    }
    const bool isSandboxed = device::kHasSandbox && options.hasSandbox && !options.accelerator;
    if (isSandboxed) {
        NNBURST_TRY(giveUpRights(options, deviceSetup));
    }
    std::shared_ptr<device::Scheduler> scheduler;
    NNBURST_TRY_ASSIGN(scheduler,
                       device::Scheduler::create("nnburst-job", device::defaultJobLimits()));
    NNBURST_TRY_ASSIGN(
        std::shared_ptr<device::LocalDevice> device,
        device::LocalDevice::create(std::move(deviceSetup), scheduler,
                                    exec::KernelThreadPlacement::APART, options.accelerator));
    device::EventLoop loop;
    if (isSandboxed) {
        NNBURST_TRY(device::restrictSystemCalls());
    }
    const bool isDrained = serveClients(options, setup, loop, device);
    loop.close();
    setup.metrics.local.reset();
    if (isDrained) {
        // Waits for running jobs. Job threads may still refer to the loop, so the process ends
        // without destroying it.
        device.reset();
        scheduler.reset();
    }
    endProcess(isSandboxed);
}

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

/// Gives the clients to worker processes. Returns only if it cannot serve.
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
        device::MetricsServer metricsServer(loop,
                                            [&broker] { return device::metricsText(broker); });
        const kj::Promise<void> answering =
            setup.metrics.serve(metricsServer).eagerlyEvaluate(nullptr);
        const kj::Promise<void> reaping =
            reapWhenEnded(loop, setup.measuring).eagerlyEvaluate(nullptr);
        Lifecycle lifecycle(loop, Serving::of(broker), setup.manager);
        loop.raisePriority();  // all that connect wait for it
        kj::Promise<void> accepting =
            broker.listen(setup.sources.listeningSocket()).eagerlyEvaluate(nullptr);
        logger().info("serving on {}; each {} has a process of its own",
                      nameOf(setup.sources, options), toString(options.isolation));
        (void)lifecycle.run(kj::NEVER_DONE, options.drainTimeout + kTimeToEndWorkers, [&] {
            accepting = kj::READY_NOW;
            setup.sources.listener.reset();
        });
    }
    loop.close();
    setup.metrics.local.reset();
    endProcess(false);
}

/// Serves until a signal stops it, and then ends the process; returns only if it cannot serve.
Result<> serve(const Options& options) {
    NNBURST_TRY_ASSIGN(Setup setup, setUp(options));
    return options.isolation == device::Isolation::NONE
               ? serveInThisProcess(options, std::move(setup))
               : serveByWorkers(options, std::move(setup));
}

/// Measures on the processors that the driver would use.
Result<> calibrateTo(const Options& options) {
    if (options.accelerator) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       "--calibrate: it measures the kernels of nnburst-driver, which this driver "
                       "does not use; write a file for --capabilities instead");
    }
    NNBURST_TRY(device::checkWritable(options.calibrationFile));
    NNBURST_TRY(useProcessors(options.device.processors));
    NNBURST_TRY_ASSIGN(const Capabilities capabilities,
                       calibrate(options.device, options.calibrationRounds));
    return device::writeCapabilities(capabilities, options.calibrationFile);
}

/// A worker has the command line of its broker, which has sockets that a worker has not.
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

int run(int argc, char** argv, std::shared_ptr<Accelerator> accelerator) {
    Options options;
    options.accelerator = std::move(accelerator);
    options.program = options.accelerator && argc > 0
                          ? std::filesystem::path(argv[0]).filename().string()
                          : "nnburst-driver";
    if (const std::optional<int> status = driver::parse(argc, argv, options)) {
        return *status;
    }

    options.commandLine.assign(argv, argv + argc);
    if (options.workerFd >= 0) {
        becomeWorker(options);
    }
    setLogName(options.device.processName.empty() ? options.program : options.device.processName);
    setLogUnblocked();
    setLogLevel(options.device.logLevel);
    // Before any thread starts, so that all of them have the same signals blocked.
    setUpSignals();
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
    system::openStandardDescriptors();
    return run(argc, argv, std::move(accelerator));
}

}  // namespace nnburst
