// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/supervised_device.h"

#include <utility>

#include "device/supervised/supervised_model.h"
#include "device/supervised/supervisor.h"
#include "model/callback_check.h"
#include "system/standard_descriptors.h"

namespace nnburst::device {

namespace {

class SupervisedDeviceImpl final : public SupervisedDevice {
  public:
    SupervisedDeviceImpl(std::shared_ptr<Supervisor> supervisor, HalVersion version) noexcept
        : supervisor_(std::move(supervisor)), version_(version) {}

    [[nodiscard]] HalVersion getHalVersion() const noexcept override { return version_; }

    Result<Capabilities> getCapabilities() override {
        return ask([](Device& device) { return device.getCapabilities(); });
    }
    Result<DeviceType> getType() override {
        return ask([](Device& device) { return device.getType(); });
    }
    Result<std::string> getVersionString() override {
        return ask([](Device& device) { return device.getVersionString(); });
    }
    Result<std::vector<Extension>> getSupportedExtensions() override {
        return ask([](Device& device) { return device.getSupportedExtensions(); });
    }
    Result<NumberOfCacheFiles> getNumberOfCacheFilesNeeded() override {
        return ask([](Device& device) { return device.getNumberOfCacheFilesNeeded(); });
    }
    DeviceStatus getStatus() override {
        const auto driver = supervisor_->awaitDriver({});
        return driver ? driver->device->getStatus() : DeviceStatus::OFFLINE;
    }
    Result<std::vector<bool>> getSupportedOperations(const Model& model) override {
        return ask([&model](Device& device) { return device.getSupportedOperations(model); });
    }

    Result<> prepareModel(const Model& model, const PrepareOptions& options,
                          PreparedModelCallback callback) override {
        return prepare(&model, options, std::move(callback));
    }
    Result<> prepareModelFromCache(const PrepareOptions& options,
                                   PreparedModelCallback callback) override {
        return prepare(nullptr, options, std::move(callback));
    }

    Result<AllocatedBuffer> allocate(const BufferDesc& /*desc*/,
                                     std::span<const SharedPreparedModel> /*preparedModels*/,
                                     std::span<const BufferRole> /*inputRoles*/,
                                     std::span<const BufferRole> /*outputRoles*/) override {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "allocate on a supervised device: the contents of a driver's buffers are "
                       "lost with the driver; use a MemoryPool");
    }

    [[nodiscard]] DriverState state() const noexcept override { return supervisor_->driverState(); }
    [[nodiscard]] int stateDescriptor() const noexcept override {
        return supervisor_->stateDescriptor();
    }
    DriverState acknowledgeState() noexcept override { return supervisor_->acknowledgeState(); }
    [[nodiscard]] SupervisionStats supervisionStats() const override {
        return supervisor_->stats();
    }

  private:
    template <class Question>
    auto ask(const Question& question) -> decltype(question(std::declval<Device&>())) {
        NNBURST_TRY_ASSIGN(const Supervisor::Driver driver, supervisor_->awaitDriver({}));
        return question(*driver.device);
    }

    /// From the cache if `model` is null.
    Result<> prepare(const Model* model, const PrepareOptions& options,
                     PreparedModelCallback callback) {
        NNBURST_TRY(
            checkCallback(callback, model == nullptr ? "prepareModelFromCache" : "prepareModel"));
        const auto driver = supervisor_->awaitDriver(options.deadline);
        auto source = driver ? ModelSource::create(model, options)
                             : Result<ModelSource>(tl::unexpected<Error>(driver.error()));
        if (!source) {
            callback(tl::unexpected<Error>(source.error()));
            return tl::unexpected<Error>(source.error());
        }
        auto supervised = [supervisor = supervisor_, generation = driver->generation,
                           shared = std::make_shared<ModelSource>(std::move(*source)),
                           callback = std::move(callback)](Result<SharedPreparedModel> prepared) {
            if (prepared) {
                *prepared = SupervisedModel::create(supervisor, std::move(*shared),
                                                    std::move(*prepared), generation);
            }
            callback(std::move(prepared));
        };
        return model == nullptr
                   ? driver->device->prepareModelFromCache(options, std::move(supervised))
                   : driver->device->prepareModel(*model, options, std::move(supervised));
    }

    const std::shared_ptr<Supervisor> supervisor_;
    const HalVersion version_;
};

}  // namespace

}  // namespace nnburst::device

namespace nnburst {

Result<SharedSupervisedDevice> superviseDriver(const SupervisionOptions& options) {
    system::openStandardDescriptors();
    NNBURST_TRY_ASSIGN(std::shared_ptr<device::Supervisor> supervisor,
                       device::Supervisor::create(options));
    const HalVersion version = supervisor->halVersion();
    return std::make_shared<device::SupervisedDeviceImpl>(std::move(supervisor), version);
}

}  // namespace nnburst
