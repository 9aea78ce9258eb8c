// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "driver_setup.h"

#include <algorithm>
#include <string>

#include "device/driver/access_list.h"
#include "device/local/capabilities_file.h"
#include "log/logger.h"
#include "machine_capabilities.h"
#include "process_setup.h"
#include "system/control_group.h"
#include "system/memory_reserve.h"

namespace nnburst {

using driver::Options;

namespace {

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

}  // namespace

Result<Setup> setUp(const Options& options) {
    Setup setup;
    NNBURST_TRY_ASSIGN(setup.source, chooseSource(options));
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
    NNBURST_TRY(openSocket(options, setup.source));
    NNBURST_TRY_ASSIGN(setup.metrics, MetricsSockets::open(options));
    setup.device = options.device;
    setup.measuring = findCapabilities(options, setup.device);  // before any thread starts
    return setup;
}

}  // namespace nnburst
