// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The device of a driver process, called over a connection.

#include <memory>

#include "device/client/connection.h"
#include "nnburst/device.h"

namespace nnburst::device {

class RemoteDevice final : public Device {
  public:
    explicit RemoteDevice(std::shared_ptr<Connection> connection) noexcept;

    [[nodiscard]] const std::shared_ptr<Connection>& connection() const noexcept {
        return connection_;
    }

    [[nodiscard]] HalVersion getHalVersion() const noexcept override;
    [[nodiscard]] Result<Capabilities> getCapabilities() override;
    [[nodiscard]] Result<DeviceType> getType() override;
    [[nodiscard]] Result<std::string> getVersionString() override;
    [[nodiscard]] Result<std::vector<Extension>> getSupportedExtensions() override;
    [[nodiscard]] Result<NumberOfCacheFiles> getNumberOfCacheFilesNeeded() override;
    [[nodiscard]] DeviceStatus getStatus() override;
    [[nodiscard]] Result<std::vector<bool>> getSupportedOperations(const Model& model) override;
    [[nodiscard]] Result<> prepareModel(const Model& model, const PrepareOptions& options,
                                        PreparedModelCallback callback) override;
    [[nodiscard]] Result<> prepareModelFromCache(const PrepareOptions& options,
                                                 PreparedModelCallback callback) override;
    [[nodiscard]] Result<AllocatedBuffer> allocate(
        const BufferDesc& desc, std::span<const SharedPreparedModel> preparedModels,
        std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles) override;

  private:
    std::shared_ptr<Connection> connection_;
};

}  // namespace nnburst::device
