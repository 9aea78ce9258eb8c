// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/remote_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "device/client/pending_callback.h"
#include "device/client/remote_buffer.h"
#include "device/client/remote_prepared_model.h"
#include "device/local/local_buffer.h"
#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/message_lists.h"
#include "device/rpc/rpc_limits.h"
#include "model/callback_check.h"
#include "nnburst/validation.h"

namespace nnburst::device {

namespace {

using PendingPreparation = PendingCallback<Result<SharedPreparedModel>>;

/// What the driver calls when a model is prepared or cannot be.
class PreparedModelCallbackServer final : public rpc::PreparedModelCallback::Server {
  public:
    explicit PreparedModelCallbackServer(std::shared_ptr<PendingPreparation> pending) noexcept
        : pending_(std::move(pending)) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        const auto pending = std::exchange(pending_, nullptr);
        if (pending && pending->connection() != nullptr) {  // the first answer
            pending->give(preparedModel(context.getParams(), pending->connection()));
        }
        return kj::READY_NOW;
    }

  private:
    static Result<SharedPreparedModel> preparedModel(
        rpc::PreparedModelCallback::NotifyParams::Reader params,
        const std::shared_ptr<Connection>& connection) {
        NNBURST_TRY(fromMessage(params.getStatus()));
        if (!params.hasPreparedModel()) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           "the driver announced a prepared model without giving it");
        }
        return std::make_shared<RemotePreparedModel>(connection, params.getPreparedModel());
    }

    std::shared_ptr<PendingPreparation> pending_;
};

/// Launches a preparation by `call`. It ends with MISSED_DEADLINE_TRANSIENT if the driver, which
/// may be busy, has not answered the launch kDeadlineGrace after `deadline`. On the event loop's
/// thread.
template <class Call>
kj::Promise<Result<>> launch(Connection& connection, Call call,
                             const std::shared_ptr<PendingPreparation>& pending,
                             const OptionalTimePoint& deadline) {
    call.setCallback(kj::heap<PreparedModelCallbackServer>(pending));
    return reportLaunch(
               connection, call.send(), pending, connection.giveUpAt(deadline),
               {ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                fmt::format("the driver has not answered the launch {} ms after the deadline of "
                            "the preparation",
                            kDeadlineGrace.count())})
        .then([pending](Result<>&& status) {
            if (!status) {
                pending->give(tl::unexpected<Error>(status.error()));
            }
            return status;
        });
}

/// Sends the cache files of a preparation. Invalid descriptors, and files beyond the limit, are
/// left out: the driver then refuses the wrong number of files.
void setCacheFiles(const PrepareOptions& options, rpc::PrepareOptions::Builder builder) {
    const auto files = [](const std::vector<int>& fds) {
        std::vector<rpc::File::Client> sent;
        for (const int fd : fds) {
            if (auto file = fileToMessage(fd); file && sent.size() < kMaximumCacheFiles) {
                sent.push_back(kj::mv(*file));
            }
        }
        return sent;
    };
    const auto set = [](std::vector<rpc::File::Client> sent, capnp::List<rpc::File>::Builder list) {
        for (unsigned i = 0; i < list.size(); ++i) {
            list.set(i, kj::mv(sent[i]));
        }
    };
    auto modelCache = files(options.modelCache);
    auto dataCache = files(options.dataCache);
    const auto modelCount = static_cast<unsigned>(modelCache.size());
    const auto dataCount = static_cast<unsigned>(dataCache.size());
    set(std::move(modelCache), builder.initModelCache(modelCount));
    set(std::move(dataCache), builder.initDataCache(dataCount));
}

}  // namespace

RemoteDevice::RemoteDevice(std::shared_ptr<Connection> connection) noexcept
    : connection_(std::move(connection)) {}

HalVersion RemoteDevice::getHalVersion() const noexcept {
    return connection_->halVersion();
}

Result<Capabilities> RemoteDevice::getCapabilities() {
    return connection_->call<Capabilities>([this] {
        return connection_->device().getCapabilitiesRequest().send().then(
            [](auto&& response) -> Result<Capabilities> {
                NNBURST_TRY(fromMessage(response.getStatus()));
                return fromMessage(response.getCapabilities());
            });
    });
}

Result<DeviceType> RemoteDevice::getType() {
    return connection_->call<DeviceType>([this] {
        return connection_->device().getTypeRequest().send().then(
            [](auto&& response) -> Result<DeviceType> {
                NNBURST_TRY(fromMessage(response.getStatus()));
                return deviceTypeFromMessage(response.getType());
            });
    });
}

Result<std::string> RemoteDevice::getVersionString() {
    return connection_->call<std::string>([this] {
        return connection_->device().getVersionStringRequest().send().then(
            [](auto&& response) -> Result<std::string> {
                NNBURST_TRY(fromMessage(response.getStatus()));
                return fromMessage(response.getVersion());
            });
    });
}

Result<std::vector<Extension>> RemoteDevice::getSupportedExtensions() {
    return connection_->call<std::vector<Extension>>([this] {
        return connection_->device().getSupportedExtensionsRequest().send().then(
            [](auto&& response) -> Result<std::vector<Extension>> {
                NNBURST_TRY(fromMessage(response.getStatus()));
                return fromMessage(response.getExtensions());
            });
    });
}

Result<NumberOfCacheFiles> RemoteDevice::getNumberOfCacheFilesNeeded() {
    return connection_->call<NumberOfCacheFiles>([this] {
        return connection_->device().getNumberOfCacheFilesNeededRequest().send().then(
            [](auto&& response) -> Result<NumberOfCacheFiles> {
                NNBURST_TRY(fromMessage(response.getStatus()));
                const NumberOfCacheFiles files{.numModelCache = response.getNumModelCache(),
                                               .numDataCache = response.getNumDataCache()};
                if (std::max(files.numModelCache, files.numDataCache) > kMaximumCacheFiles) {
                    return failure(
                        ErrorStatus::GENERAL_FAILURE,
                        fmt::format("the driver needs {} model and {} data cache files: "
                                    "must be at most {} of each kind",
                                    files.numModelCache, files.numDataCache, kMaximumCacheFiles));
                }
                return files;
            });
    });
}

DeviceStatus RemoteDevice::getStatus() {
    const Result<DeviceStatus> status = connection_->call<DeviceStatus>([this] {
        return connection_->device().getStatusRequest().send().then(
            [](auto&& response) -> Result<DeviceStatus> {
                return deviceStatusFromMessage(response.getDeviceStatus());
            });
    });
    return status ? *status : DeviceStatus::OFFLINE;
}

Result<std::vector<bool>> RemoteDevice::getSupportedOperations(const Model& model) {
    NNBURST_TRY_ASSIGN(const SharedModelMemory memory, shareMemory(model));
    NNBURST_TRY_ASSIGN(
        std::vector<bool> supported,
        connection_->call<std::vector<bool>>([&]() -> kj::Promise<Result<std::vector<bool>>> {
            auto call = connection_->device().getSupportedOperationsRequest();
            if (Result<> fits = toMessage(model, memory, call.initModel()); !fits) {
                return failureOf<std::vector<bool>>(fits);
            }
            return call.send().then([](auto&& response) -> Result<std::vector<bool>> {
                NNBURST_TRY(fromMessage(response.getStatus()));
                std::vector<bool> answers;
                for (const bool answer : response.getSupported()) {
                    answers.push_back(answer);
                }
                return answers;
            });
        }));
    if (supported.size() != model.main.operations.size()) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("the driver answered for {} operations of {}", supported.size(),
                                   model.main.operations.size()));
    }
    return supported;
}

Result<> RemoteDevice::prepareModel(const Model& model, const PrepareOptions& options,
                                    PreparedModelCallback callback) {
    NNBURST_TRY(checkCallback(callback, "prepareModel"));
    const auto memory = [&]() -> Result<SharedModelMemory> {
        NNBURST_TRY_ASSIGN(SharedModelMemory shared, shareMemory(model));
        NNBURST_TRY(connection_->reserveCallback());
        return shared;
    }();
    if (!memory) {
        callback(tl::unexpected<Error>(memory.error()));
        return tl::unexpected<Error>(memory.error());
    }
    const auto pending = std::make_shared<PendingPreparation>(connection_, std::move(callback));
    return connection_->call<void>([&, pending]() -> kj::Promise<Result<>> {
        auto call = connection_->device().prepareModelRequest();
        toMessage(options, call.initOptions());
        setCacheFiles(options, call.getOptions());
        if (Result<> fits = toMessage(model, *memory, call.initModel()); !fits) {
            pending->give(tl::unexpected<Error>(fits.error()));
            return fits;
        }
        return launch(*connection_, kj::mv(call), pending, options.deadline);
    });
}

Result<> RemoteDevice::prepareModelFromCache(const PrepareOptions& options,
                                             PreparedModelCallback callback) {
    NNBURST_TRY(checkCallback(callback, "prepareModelFromCache"));
    if (const Result<> reserved = connection_->reserveCallback(); !reserved) {
        callback(tl::unexpected<Error>(reserved.error()));
        return reserved;
    }
    const auto pending = std::make_shared<PendingPreparation>(connection_, std::move(callback));
    return connection_->call<void>([&, pending]() -> kj::Promise<Result<>> {
        auto call = connection_->device().prepareModelFromCacheRequest();
        toMessage(options, call.initOptions());
        setCacheFiles(options, call.getOptions());
        return launch(*connection_, kj::mv(call), pending, options.deadline);
    });
}

Result<AllocatedBuffer> RemoteDevice::allocate(const BufferDesc& desc,
                                               std::span<const SharedPreparedModel> preparedModels,
                                               std::span<const BufferRole> inputRoles,
                                               std::span<const BufferRole> outputRoles) {
    // A message with more capabilities, or one that is too large, would end the connection.
    NNBURST_TRY(checkCount(preparedModels.size(), kMaximumRoles, "prepared models"));
    NNBURST_TRY(checkCount(inputRoles.size() + outputRoles.size(), kMaximumRoles, "roles"));
    NNBURST_TRY(checkCount(desc.dimensions.size(), kMaximumDimensions, "dimensions of a buffer"));
    std::vector<RemotePreparedModel*> models;
    for (std::size_t i = 0; i < preparedModels.size(); ++i) {
        auto* model = dynamic_cast<RemotePreparedModel*>(preparedModels[i].get());
        if (model == nullptr || model->handle()->connection() != connection_) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("allocate: prepared model {} is {}", i,
                                       preparedModels[i] ? "of another device" : "null"));
        }
        models.push_back(model);
    }
    const auto setRoles = [](std::span<const BufferRole> roles,
                             capnp::List<rpc::BufferRole>::Builder builder) {
        for (unsigned i = 0; i < builder.size(); ++i) {
            builder[i].setModelIndex(roles[i].modelIndex);
            builder[i].setIoIndex(roles[i].ioIndex);
            builder[i].setFrequency(roles[i].frequency);
        }
    };
    return connection_->call<AllocatedBuffer>([&] {
        auto call = connection_->device().allocateRequest();
        numbersToMessage(desc.dimensions,
                         call.initDimensions(static_cast<unsigned>(desc.dimensions.size())));
        auto list = call.initPreparedModels(static_cast<unsigned>(models.size()));
        for (unsigned i = 0; i < list.size(); ++i) {
            list.set(i, models[i]->handle()->client());
        }
        setRoles(inputRoles, call.initInputRoles(static_cast<unsigned>(inputRoles.size())));
        setRoles(outputRoles, call.initOutputRoles(static_cast<unsigned>(outputRoles.size())));
        return call.send().then([this](auto&& response) -> Result<AllocatedBuffer> {
            NNBURST_TRY(fromMessage(response.getStatus()));
            if (!response.hasBuffer() || response.getToken() == 0) {
                return failure(ErrorStatus::GENERAL_FAILURE,
                               "the driver allocated a buffer without giving it");
            }
            return AllocatedBuffer{
                .buffer = std::make_shared<RemoteBuffer>(connection_, response.getBuffer()),
                .token = BufferToken{response.getToken()}};
        });
    });
}

}  // namespace nnburst::device
