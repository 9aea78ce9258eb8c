// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A device for tests that forwards to another one.

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nnburst/device.h"

namespace nnburst::test {

/// A device that leaves all to another one. Tests derive devices that do some things otherwise.
class ForwardingDevice : public Device {
  public:
    explicit ForwardingDevice(SharedDevice inner) : inner_(std::move(inner)) {}

    [[nodiscard]] HalVersion getHalVersion() const noexcept override {
        return inner_->getHalVersion();
    }
    [[nodiscard]] Result<Capabilities> getCapabilities() override {
        return inner_->getCapabilities();
    }
    [[nodiscard]] Result<DeviceType> getType() override { return inner_->getType(); }
    [[nodiscard]] Result<std::string> getVersionString() override {
        return inner_->getVersionString();
    }
    [[nodiscard]] Result<std::vector<Extension>> getSupportedExtensions() override {
        return inner_->getSupportedExtensions();
    }
    [[nodiscard]] Result<NumberOfCacheFiles> getNumberOfCacheFilesNeeded() override {
        return inner_->getNumberOfCacheFilesNeeded();
    }
    [[nodiscard]] DeviceStatus getStatus() override { return inner_->getStatus(); }
    [[nodiscard]] Result<std::vector<bool>> getSupportedOperations(const Model& model) override {
        return inner_->getSupportedOperations(model);
    }
    [[nodiscard]] Result<> prepareModel(const Model& model, const PrepareOptions& options,
                                        PreparedModelCallback callback) override {
        return inner_->prepareModel(model, options, std::move(callback));
    }
    [[nodiscard]] Result<> prepareModelFromCache(const PrepareOptions& options,
                                                 PreparedModelCallback callback) override {
        return inner_->prepareModelFromCache(options, std::move(callback));
    }
    [[nodiscard]] Result<AllocatedBuffer> allocate(
        const BufferDesc& desc, std::span<const SharedPreparedModel> preparedModels,
        std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles) override {
        return inner_->allocate(desc, preparedModels, inputRoles, outputRoles);
    }

  private:
    const SharedDevice inner_;
};

}  // namespace nnburst::test
