// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The main function of driver processes. Serves a device on a socket until a signal stops it.

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "calibrate.h"
#include "client_source.h"
#include "device/driver/sandbox.h"
#include "device/driver/service.h"
#include "device/driver/worker_orders.h"
#include "device/local/capabilities_file.h"
#include "device/local/local_device.h"
#include "device/rpc/event_loop.h"
#include "driver_setup.h"
#include "log/logger.h"
#include "nnburst/driver.h"
#include "nnburst/logging.h"
#include "options.h"
#include "process_setup.h"
#include "serving_frame.h"
#include "support/thread_option.h"
#include "system/standard_descriptors.h"
#include "workers.h"

namespace nnburst {
namespace {

using driver::Options;

/// SIGUSR2 switches verbose logging: to all tags, and then back to those of the start.
kj::Promise<void> switchVerbosity(device::EventLoop& loop, const std::string& tags) {
    return loop.io().unixEventPort.onSignal(SIGUSR2).then([&loop, tags](auto&&) {
        setVerboseLogging(verboseLogging() == tags ? "all" : tags);
        logger().info("verbose logging: {}", verboseLogging().empty() ? "off" : verboseLogging());
        return switchVerbosity(loop, tags);
    });
}

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

/// Serves the clients of `setup` until a signal stops it, or until the one that it belongs to is
/// gone. Returns whether all work is finished.
bool serveClients(const Options& options, Setup& setup, device::EventLoop& loop,
                  const std::shared_ptr<device::LocalDevice>& device) {
    device::Service service(
        loop, device, {.admission = std::move(setup.admission), .limits = std::move(setup.limits)});
    ServingFrame frame(loop, setup, service);
    // All clients wait for the event loop. That of a worker serves one client or user, between
    // which Linux divides the processors.
    if (setup.source.worker < 0) {
        loop.raisePriority();
    }
    kj::Promise<void> verbosity = switchVerbosity(loop, verboseLogging()).eagerlyEvaluate(nullptr);
    if (setup.source.listeningSocket() >= 0) {
        logger().info("serving on {} with {}", nameOf(setup.source, options),
                      tools::threadsText(options.device.threads));
        return frame.runAccepting(service.listen(setup.source.listeningSocket()),
                                  options.drainTimeout);
    }
    kj::Promise<void> gone = kj::NEVER_DONE;
    std::optional<device::WorkerOrders> orders;
    if (setup.source.worker >= 0) {
        orders.emplace(loop, service, UniqueFd(setup.source.worker),
                       [&frame] { frame.lifecycle().stop(); });
        gone = orders->follow();
    } else {
        gone = service.serve(
            loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(setup.source.fd)));
    }
    if (setup.parent) {
        gone = gone.exclusiveJoin(device::whenProcessEnds(loop, std::move(setup.parent)));
    }
    logger().debug("serving for process {}, which started this one", ::getppid());
    return frame.lifecycle().run(kj::mv(gone), options.drainTimeout, [] {});
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
    const bool hasOneClient = setup.source.fd >= 0;
    NNBURST_TRY_ASSIGN(scheduler, device::Scheduler::create(
                                      "nnburst-job", hasOneClient ? device::jobLimitsOfProgram()
                                                                  : device::defaultJobLimits()));
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
    setLogNonblocking();
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
