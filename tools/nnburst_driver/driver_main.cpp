// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The main function of driver processes. Serves a device on a socket until it is told to stop.

#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate.h"
#include "device/driver/service.h"
#include "device/local/capabilities_file.h"
#include "device/local/local_device.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/unix_socket.h"
#include "log/logger.h"
#include "machine_capabilities.h"
#include "nnburst/driver.h"
#include "nnburst/logging.h"
#include "nnburst/version.h"
#include "process_setup.h"
#include "support/thread_option.h"
#include "system/realtime.h"

namespace nnburst {
namespace {

/// The first descriptor that systemd passes (sd_listen_fds(3)).
constexpr int kFirstSystemdFd = 3;

struct Options {
    std::string program;  ///< for messages
    std::shared_ptr<Accelerator> accelerator;
    std::string socketPath;
    int fd = -1;
    DriverOptions driver;
    bool noXnnpack = false;
    bool noDotProducts = false;
    std::string verboseTags;
    std::string calibrationFile;
    std::uint32_t calibrationRounds = 10;
    bool noCalibration = false;
};

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
    UniqueFd parent;
    if (options.fd >= 0) {
        NNBURST_TRY(checkSocket(options.fd, false));
        NNBURST_TRY_ASSIGN(parent, endWithParent(options.fd));
    }
    NNBURST_TRY(setProcessName(options.driver.processName));
    NNBURST_TRY(useProcessors(options.driver.processors));
    NNBURST_TRY(limitMemory(options.driver.memoryLimitBytes));
    allowManyDescriptors();
    std::optional<device::UnixListener> listener;
    if (!options.socketPath.empty()) {
        NNBURST_TRY_ASSIGN(auto listening, device::UnixListener::listen(options.socketPath));
        listener.emplace(std::move(listening));
    }
    DriverOptions driver = options.driver;
    findCapabilities(options, driver);  // may fork: no thread has started yet

    std::shared_ptr<device::Scheduler> scheduler;
    NNBURST_TRY_ASSIGN(scheduler,
                       device::Scheduler::create("nnburst-job", device::defaultJobLimits()));
    NNBURST_TRY_ASSIGN(
        std::shared_ptr<device::LocalDevice> device,
        device::LocalDevice::create(driver, scheduler, exec::KernelThreadPlacement::APART,
                                    options.accelerator));

    device::EventLoop loop;
    {
        device::Service service(loop, device);
        const auto signalled = [&loop](int number) {
            return loop.io().unixEventPort.onSignal(number).then(
                [number](auto&&) { logger().info("stopping: {}", ::strsignal(number)); });
        };
        kj::Promise<void> end = signalled(SIGTERM).exclusiveJoin(signalled(SIGINT));
        kj::Promise<void> verbosity =
            switchVerbosity(loop, verboseLogging()).eagerlyEvaluate(nullptr);
        if (options.fd >= 0) {
            auto stream = loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(options.fd));
            end = end.exclusiveJoin(service.serve(kj::mv(stream)));
            if (parent) {
                end = end.exclusiveJoin(endOf(loop, std::move(parent)));
            }
            logger().debug("serving the process that started this one, {}", ::getppid());
        } else {
            end = end.exclusiveJoin(service.listen(listener ? listener->fd() : *systemd));
            logger().info("serving on {} with {}",
                          listener ? options.socketPath : "the socket of systemd",
                          tools::threadsText(options.driver.threads));
        }
        loop.run(kj::mv(end));
    }
    loop.close();
    listener.reset();
    // Waits for running jobs. Job threads may still refer to the loop, so the process ends without
    // destroying it.
    device.reset();
    scheduler.reset();
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
    NNBURST_TRY(useProcessors(options.driver.processors));
    NNBURST_TRY_ASSIGN(const Capabilities capabilities,
                       calibrate(options.driver, options.calibrationRounds));
    return device::writeCapabilities(capabilities, options.calibrationFile);
}

int run(int argc, char** argv, std::shared_ptr<Accelerator> accelerator) {
    Options options;
    options.accelerator = std::move(accelerator);
    options.program = options.accelerator && argc > 0
                          ? std::filesystem::path(argv[0]).filename().string()
                          : "nnburst-driver";
    CLI::App app("The nnburst driver: runs neural networks for other processes.");
    app.set_version_flag("--version", options.accelerator ? options.accelerator->name()
                                                          : "nnburst-driver " NNBURST_VERSION);
    app.add_option("--socket", options.socketPath,
                   "Serve on the Unix socket PATH; its mode is 0660, and it is removed at the end")
        ->type_name("PATH");
    app.add_option("--fd", options.fd,
                   "Serve one client on the connected socket N, which this process inherited, and "
                   "end with it")
        ->type_name("N")
        ->check(CLI::NonNegativeNumber);
    tools::addThreadOption(app, "--threads", options.driver.threads);
    app.add_option("--processors", options.driver.processors,
                   "Processors to run on, such as 0,2; all by default")
        ->type_name("LIST")
        ->delimiter(',');
    app.add_option("--name", options.driver.processName,
                   "Name of the process in ps and top, at most 15 characters")
        ->type_name("NAME");
    app.add_option("--memory-limit", options.driver.memoryLimitBytes,
                   "Private memory that the driver may have, such as 512M, stacks of threads "
                   "included; what needs more is refused")
        ->type_name("BYTES")
        ->transform(CLI::AsSizeValue(false));
    app.add_option("--concurrency-memory", options.driver.concurrencyMemoryBytes,
                   "Memory that one model may take to run several executions at a time, such as "
                   "64M; 0: they follow each other")
        ->type_name("BYTES")
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str();
    app.add_flag("--no-xnnpack", options.noXnnpack, "Run all operations on the reference kernels");
    app.add_flag("--no-dot-products", options.noDotProducts,
                 "Run operations on 8-bit tensors on XNNPACK alone");
    app.add_option("--cache-key", options.driver.cacheKeyFile,
                   "File of the secret of compilation caches; made when it is needed first")
        ->type_name("FILE");
    std::map<std::string, HalVersion> versions;
    std::string versionNames;
    for (const HalVersion version : kHalVersions) {
        versions.emplace(toString(version), version);
        versionNames += (versionNames.empty() ? "" : "|") + std::string(toString(version));
    }
    app.add_option("--hal", options.driver.version, "Act as a driver of HAL VERSION")
        ->type_name(versionNames)
        ->transform(CLI::CheckedTransformer(versions).description(""));
    std::map<std::string, DriverVariant> variants;
    for (const DriverVariant variant : {DriverVariant::FULL, DriverVariant::FLOAT,
                                        DriverVariant::QUANT, DriverVariant::MINIMAL}) {
        variants.emplace(toString(variant), variant);
    }
    app.add_option("--variant", options.driver.variant,
                   "Support only a part of the operations, for tests")
        ->type_name("full|float|quant|minimal")
        ->transform(CLI::CheckedTransformer(variants).description(""));
    app.add_option("--capabilities", options.driver.capabilitiesFile,
                   "Report the capabilities that --calibrate has written to FILE")
        ->type_name("FILE");
    app.add_flag("--no-calibration", options.noCalibration,
                 "Report 1.0 for all capabilities if there is no --capabilities: neither use nor "
                 "measure those of this machine");
    app.add_option("--calibrate", options.calibrationFile,
                   "Measure the capabilities with these options on this machine, write them to "
                   "FILE, and end")
        ->type_name("FILE");
    app.add_option("--calibration-rounds", options.calibrationRounds,
                   "Times to measure each workload")
        ->type_name("N")
        ->check(CLI::Range(1U, 10000U))
        ->capture_default_str();
    app.add_option(
           "--vlog", options.verboseTags,
           "Log verbosely: all, or some of compilation, cpuexe, driver, execution, manager, "
           "model (also NNBURST_VLOG; SIGUSR2 switches all of them on and off)")
        ->type_name("TAGS");
    app.add_option("--extension", options.driver.extensionLibraries,
                   "Load the vendor extension in the shared library FILE; may be given several "
                   "times")
        ->type_name("FILE");
    app.add_option("--realtime", options.driver.realtimePriority,
                   "Serve bursts with real-time priority (SCHED_FIFO): needs CAP_SYS_NICE, or a "
                   "limit of real-time priorities (ulimit -r) of at least PRIORITY")
        ->type_name("PRIORITY")
        ->check(CLI::Range(1U, system::kMaximumRealtimePriority));
    app.add_flag("--lock-memory", options.driver.lockMemory,
                 "Lock all memory that was touched: needs CAP_IPC_LOCK, or no limit of locked "
                 "memory (ulimit -l unlimited)");
    app.add_flag("--huge-pages", options.driver.useHugePages,
                 "Keep weights and temporaries on huge pages: needs madvise or always in "
                 "/sys/kernel/mm/transparent_hugepage/enabled");
    std::int64_t idleMicroseconds = 0;
    const CLI::Option* cpuLatencyLimit =
        app.add_option("--shallow-idle", idleMicroseconds,
                       "Keep processors out of idle states that take longer than MICROSECONDS to "
                       "wake up from: needs write access to /dev/cpu_dma_latency")
            ->type_name("MICROSECONDS")
            ->check(CLI::Range(std::int64_t{0}, std::int64_t{INT32_MAX}));
    std::int64_t idleMilliseconds = options.driver.idleTime.count();
    app.add_option("--idle-time", idleMilliseconds,
                   "Milliseconds after which a model that is not executed gives back the memory of "
                   "its temporaries; 0 for never")
        ->type_name("MS")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    std::map<std::string, LogLevel> levels;
    std::string levelNames;
    for (auto level = LogLevel::TRACE; level <= LogLevel::OFF;
         level = static_cast<LogLevel>(static_cast<int>(level) + 1)) {
        levels.emplace(toString(level), level);
        levelNames += (levelNames.empty() ? "" : "|") + std::string(toString(level));
    }
    app.add_option("--log-level", options.driver.logLevel,
                   "Log messages of this level and above to standard error; info by default")
        ->type_name(levelNames)
        ->transform(CLI::CheckedTransformer(levels).description(""));
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    options.driver.useXnnpack = !options.noXnnpack;
    options.driver.useDotProducts = !options.noDotProducts;
    options.driver.idleTime = std::chrono::milliseconds(idleMilliseconds);
    if (!cpuLatencyLimit->empty()) {
        options.driver.cpuLatencyLimit = std::chrono::microseconds(idleMicroseconds);
    }

    setLogName(options.driver.processName.empty() ? options.program : options.driver.processName);
    setLogLevel(options.driver.logLevel);
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
