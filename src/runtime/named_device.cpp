// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/named_device.h"

#include <fmt/format.h>

#include <utility>

#include "log/verbose.h"

namespace nnburst::runtime {

namespace {

Result<DeviceInfo> ask(Device& device, std::string name) {
    DeviceInfo info{.name = std::move(name), .version = device.getHalVersion()};
    NNBURST_TRY_ASSIGN(info.versionString, device.getVersionString());
    NNBURST_TRY_ASSIGN(info.type, device.getType());
    NNBURST_TRY_ASSIGN(info.capabilities, device.getCapabilities());
    NNBURST_TRY_ASSIGN(info.extensions, device.getSupportedExtensions());
    NNBURST_TRY_ASSIGN(info.cacheFiles, device.getNumberOfCacheFilesNeeded());
    return info;
}

}  // namespace

NamedDevice::NamedDevice(DeviceInfo info, Open open, SharedDevice device) noexcept
    : info_(std::move(info)), open_(std::move(open)), device_(std::move(device)) {}

Result<std::shared_ptr<NamedDevice>> NamedDevice::create(std::string name, Open open) {
    NNBURST_TRY_ASSIGN(SharedDevice device, open());
    NNBURST_TRY_ASSIGN(DeviceInfo info, ask(*device, std::move(name)));
    return std::shared_ptr<NamedDevice>(
        new NamedDevice(std::move(info), std::move(open), std::move(device)));
}

Result<SharedDevice> NamedDevice::reopenIfLost() {
    const system::MutexLock lock(mutex_);
    if (device_->getStatus() != DeviceStatus::OFFLINE) {
        return device_;
    }
    const auto now = std::chrono::steady_clock::now();
    if (nextAttempt_ && now < *nextAttempt_) {
        return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                       fmt::format("the driver of device {} is lost", info_.name));
    }
    auto opened = open_();
    if (opened && (*opened)->getHalVersion() != info_.version) {
        opened =
            failure(ErrorStatus::DEVICE_UNAVAILABLE,
                    fmt::format("its driver is of HAL {} now, and was of {}",
                                toString((*opened)->getHalVersion()), toString(info_.version)));
    }
    if (!opened) {
        nextAttempt_ = std::chrono::steady_clock::now() + kPauseBetweenAttempts;
        return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                       fmt::format("device {} cannot be opened again: {}", info_.name,
                                   opened.error().message));
    }
    NNBURST_VLOG(MANAGER, "device {} was opened again", info_.name);
    nextAttempt_.reset();
    device_ = std::move(*opened);
    return device_;
}

SharedDevice NamedDevice::latest() {
    const system::MutexLock lock(mutex_);
    return device_;
}

}  // namespace nnburst::runtime
