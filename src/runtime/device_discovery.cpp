// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/device_discovery.h"

#include <functional>
#include <thread>
#include <utility>

#include "device/client/driver_starter.h"
#include "log/logger.h"
#include "log/verbose.h"
#include "runtime/configuration.h"
#include "system/thread.h"

namespace nnburst::runtime {

namespace {

/// A configured device while it is opened.
struct Attempt {
    ConfiguredDevice configured;
    Result<std::shared_ptr<NamedDevice>> device;
    std::thread thread;

    void run() {
        std::function<Result<SharedDevice>()> open = [path = configured.socket] {
            return connect(path);
        };
        if (configured.socket.empty()) {
            open = device::driverStarter(configured.options, configured.program);
        }
        device = NamedDevice::create(configured.name, std::move(open));
    }
};

}  // namespace

Result<NamedDevices> findDevices(const RuntimeOptions& options) {
    std::vector<Attempt> attempts;
    for (ConfiguredDevice& configured :
         readConfiguration(configurationPaths(options.configuration))) {
        attempts.push_back({.configured = std::move(configured), .device = {}, .thread = {}});
    }
    for (Attempt& attempt : attempts) {
        auto thread = system::startThread("nnburst-open", [&attempt] { attempt.run(); });
        if (thread) {
            attempt.thread = std::move(*thread);
        } else {
            attempt.run();
        }
    }
    NamedDevices devices;
    for (Attempt& attempt : attempts) {
        if (attempt.thread.joinable()) {
            attempt.thread.join();
        }
        if (attempt.device) {
            NNBURST_VLOG(MANAGER, "found device {}", attempt.configured.name);
            devices.push_back(std::move(*attempt.device));
        } else {
            logger().warn("devices: device {} is left out: {}", attempt.configured.name,
                          attempt.device.error().message);
        }
    }
    NNBURST_TRY_ASSIGN(auto reference,
                       NamedDevice::create(kReferenceDeviceName, [its = options.reference] {
                           return makeLocalDevice(its);
                       }));
    devices.push_back(std::move(reference));
    return devices;
}

}  // namespace nnburst::runtime
