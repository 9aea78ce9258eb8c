// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/device_service.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>
#include <vector>

#include "device/driver/buffer_service.h"
#include "device/driver/dispatch_tracked.h"
#include "device/driver/model_receiver.h"
#include "device/driver/prepared_model_service.h"
#include "device/driver/run_on_job_thread.h"
#include "device/rpc/conversion.h"
#include "device/rpc/kj_conversions.h"
#include "device/rpc/message_lists.h"
#include "device/rpc/rpc_limits.h"
#include "log/assert.h"
#include "log/client_log.h"
#include "model/buffer_status.h"
#include "model/version_rules.h"
#include "nnburst/validation.h"

namespace nnburst::device {

namespace {

using Prepared = Result<std::shared_ptr<LocalPreparedModel>>;
using Callback = std::shared_ptr<rpc::PreparedModelCallback::Client>;

/// Calls a client's callback. On the loop's thread. `charge` is for the prepared model.
void notify(PreparedModelServices& models, const Callback& callback, Prepared prepared,
            Charge charge) {
    auto call = callback->notifyRequest();
    if (prepared) {
        toMessage(Result<>(), call.initStatus());
        NNBURST_ASSERT(*prepared != nullptr, "a preparation succeeded without a model");
        call.setPreparedModel(models.serve(std::move(*prepared), std::move(charge)));
    } else {
        toMessage(tl::unexpected<Error>(prepared.error()), call.initStatus());
    }
    call.send().detach([](kj::Exception&&) {});  // the client is gone
}

/// The options of a preparation, with the files that came in the message.
struct ReceivedOptions {
    PrepareOptions options;
    std::vector<PeerFile> modelCache;
    std::vector<PeerFile> dataCache;
    Result<> cacheFiles;  ///< why there are no files although the client sent some

    /// Borrows the files.
    [[nodiscard]] PrepareOptions complete() const {
        PrepareOptions complete = options;
        for (const PeerFile& file : modelCache) {
            complete.modelCache.push_back(file.get());
        }
        for (const PeerFile& file : dataCache) {
            complete.dataCache.push_back(file.get());
        }
        return complete;
    }
};

using SharedOptions = std::shared_ptr<const ReceivedOptions>;  // functions of jobs are copied
using PrepareCallback = LocalDevice::PrepareCallback;

class DeviceService final : public rpc::Device::Server {
  public:
    DeviceService(SharedClientContext client, std::shared_ptr<LocalDevice> device)
        : client_(std::move(client)),
          device_(std::move(device)),
          models_(std::make_shared<PreparedModelServices>(client_)),
          receiver_(client_, device_) {}

    DispatchCallResult dispatchCall(std::uint64_t interfaceId, std::uint16_t methodId,
                                    AnyCallContext context) override {
        return dispatchTracked(*client_->work, [&] {
            return rpc::Device::Server::dispatchCall(interfaceId, methodId, context);
        });
    }

  protected:
    kj::Promise<void> getCapabilities(GetCapabilitiesContext context) override {
        return answer(context, device_->getCapabilities(), [](auto results, const auto& value) {
            toMessage(value, results.initCapabilities());
        });
    }

    kj::Promise<void> getType(GetTypeContext context) override {
        return answer(context, device_->getType(), [](auto results, DeviceType value) {
            results.setType(static_cast<std::int32_t>(value));
        });
    }

    kj::Promise<void> getVersionString(GetVersionStringContext context) override {
        return answer(context, device_->getVersionString(),
                      [](auto results, const auto& value) { results.setVersion(value.c_str()); });
    }

    kj::Promise<void> getSupportedExtensions(GetSupportedExtensionsContext context) override {
        return answer(
            context, device_->getSupportedExtensions(), [](auto results, const auto& value) {
                toMessage(value, results.initExtensions(static_cast<unsigned>(value.size())));
            });
    }

    kj::Promise<void> getNumberOfCacheFilesNeeded(
        GetNumberOfCacheFilesNeededContext context) override {
        return answer(context, device_->getNumberOfCacheFilesNeeded(),
                      [](auto results, const NumberOfCacheFiles& value) {
                          results.setNumModelCache(value.numModelCache);
                          results.setNumDataCache(value.numDataCache);
                      });
    }

    kj::Promise<void> getHalVersion(GetHalVersionContext context) override {
        context.getResults().setHalVersion(static_cast<std::uint8_t>(device_->getHalVersion()));
        return kj::READY_NOW;
    }

    kj::Promise<void> getStatus(GetStatusContext context) override {
        context.getResults().setDeviceStatus(static_cast<std::int32_t>(device_->getStatus()));
        return kj::READY_NOW;
    }

    kj::Promise<void> getSupportedOperations(GetSupportedOperationsContext context) override {
        return receiver_
            .receive<std::vector<bool>>(
                context.getParams().getModel(),
                [device = device_](const Model& model,
                                   const ModelReceiver::SharedCharges& /*charges*/) {
                    return device->getSupportedOperations(model);
                })
            .then([this, context](Result<std::vector<bool>>&& supported) mutable {
                return answer(context, std::move(supported), [](auto results, const auto& value) {
                    auto list = results.initSupported(static_cast<unsigned>(value.size()));
                    for (unsigned i = 0; i < list.size(); ++i) {
                        list.set(i, value[i]);
                    }
                });
            });
    }

    kj::Promise<void> prepareModel(PrepareModelContext context) override {
        return launchPreparation(context, [this, context](SharedOptions options,
                                                          const PrepareCallback& callback) mutable {
            if (!options->cacheFiles) {
                clientLog().write(LogLevel::WARNING, "a model is prepared without its cache: " +
                                                         options->cacheFiles.error().message);
            }
            // The model is checked on a job thread. If it is refused, the callback is posted to
            // this loop before the answer is, so the client gets it first.
            return receiver_.receive<void>(
                context.getParams().getModel(),
                [device = device_, options = std::move(options), callback](
                    Model model, const ModelReceiver::SharedCharges& charges) {
                    // While the model waits for its preparation, it is charged to its client.
                    return device->prepare(
                        std::move(model), std::move(charges->operandValues), options->complete(),
                        [callback, charges](Prepared prepared) { callback(std::move(prepared)); });
                });
        });
    }

    kj::Promise<void> prepareModelFromCache(PrepareModelFromCacheContext context) override {
        return launchPreparation(
            context,
            [this](SharedOptions options,
                   const PrepareCallback& callback) -> kj::Promise<Result<>> {
                if (!options->cacheFiles) {
                    return Result<>(options->cacheFiles);
                }
                const exec::Urgency urgency = device_->urgencyOf(options->options);
                // A preparation, because it reads the files.
                return runOnJobThread<void>(
                    *client_, JobKind::PREPARATION, urgency,
                    [device = device_, options = std::move(options), callback] {
                        return device->prepareFromCache(options->complete(), callback);
                    });
            });
    }

    kj::Promise<void> allocate(AllocateContext context) override {
        const auto params = context.getParams();
        // All of it is read on this thread.
        if (const auto few = checkCounts(params); !few) {
            toMessage(few, context.getResults().initStatus());
            return kj::READY_NOW;
        }
        return models_->find(params.getPreparedModels())
            .then([this, context](Result<PreparedModels>&& found) mutable
                  -> kj::Promise<Result<std::shared_ptr<LocalBuffer>>> {
                if (!found) {
                    return failureOf<std::shared_ptr<LocalBuffer>>(found);
                }
                return runOnJobThread<std::shared_ptr<LocalBuffer>>(
                    *client_, JobKind::CONTROL, {},
                    allocation(context.getParams(), std::move(*found)));
            })
            .then([this, context](Result<std::shared_ptr<LocalBuffer>>&& buffer) mutable {
                // It may have been refused with RESOURCE_EXHAUSTED_* before it was a job.
                return answer(context, toBufferStatus(std::move(buffer)),
                              [this](auto results, const auto& allocated) {
                                  results.setBuffer(serveBuffer(client_, allocated));
                                  results.setToken(static_cast<std::uint32_t>(allocated->token()));
                              });
            });
    }

  private:
    /// A preparation that a client has requested: calls the client's callback once.
    struct Launch {
        Result<> charged;  ///< an error if the client has as many prepared models as it may have
        Callback client;
        std::shared_ptr<std::atomic<bool>> isNotified;
        PrepareCallback callback;
    };

    Launch launchOf(rpc::PreparedModelCallback::Client client) {
        auto charged = client_->peer->account()->charge(Resource::PREPARED_MODELS, 1);
        const auto charge = std::make_shared<Charge>(charged ? std::move(*charged) : Charge());
        Launch launch{.charged = charged ? Result<>() : tl::unexpected<Error>(charged.error()),
                      .client = ownedByLoop(client_->loop, kj::mv(client)),
                      .isNotified = std::make_shared<std::atomic<bool>>(false),
                      .callback = {}};
        launch.callback = [&loop = client_->loop, models = ownedByLoop(client_->loop, models_),
                           client = launch.client, token = client_->work->begin(),
                           isNotified = launch.isNotified, charge](Prepared prepared) {
            const bool wasNotified =
                isNotified->exchange(true, std::memory_order_relaxed);  // loop.post orders it
            NNBURST_ASSERT(!wasNotified, "a preparation has ended twice");
            (void)loop.post(
                [models, client, token, charge, prepared = std::move(prepared)]() mutable {
                    notify(**models, client, std::move(prepared), std::move(*charge));
                });
        };
        return launch;
    }

    /// Calls the callback if the launch failed before it was called. Gives the status of the
    /// launch.
    Result<> finish(const Launch& launch, Result<> launched) {
        launched = knownTo(device_->getHalVersion(), std::move(launched));
        if (!launched && !launch.isNotified->load(std::memory_order_relaxed)) {
            notify(*models_, launch.client, tl::unexpected<Error>(launched.error()), {});
        }
        return launched;
    }

    /// Answers a call that launches a preparation. `start` gets the options of the call and the
    /// callback of the preparation, and gives the result of the launch.
    template <class Context, class Start>
    kj::Promise<void> launchPreparation(Context context, Start start) {
        const auto params = context.getParams();
        const auto launch = launchOf(params.getCallback());
        if (!launch.charged) {
            toMessage(finish(launch, launch.charged), context.getResults().initStatus());
            return kj::READY_NOW;
        }
        return receiveOptions(params.getOptions())
            .then([callback = launch.callback, start = std::move(start)](
                      Result<ReceivedOptions>&& options) mutable -> kj::Promise<Result<>> {
                if (!options) {
                    return failureOf<void>(options);
                }
                return start(std::make_shared<const ReceivedOptions>(std::move(*options)),
                             callback);
            })
            .then([this, context, launch](Result<>&& launched) mutable {
                toMessage(finish(launch, launched), context.getResults().initStatus());
            });
    }

    kj::Promise<Result<ReceivedOptions>> receiveOptions(rpc::PrepareOptions::Reader reader) {
        auto dataCache =
            receiveFiles(reader.getDataCache(), kMaximumCacheFiles, client_->peer, checkCacheFile);
        return receiveFiles(reader.getModelCache(), kMaximumCacheFiles, client_->peer,
                            checkCacheFile)
            .then([options = fromMessage(reader), dataCache = kj::mv(dataCache)](
                      Result<std::vector<PeerFile>>&& modelCache) mutable {
                return dataCache.then(
                    [options = std::move(options), modelCache = std::move(modelCache)](
                        Result<std::vector<PeerFile>>&& files) mutable -> Result<ReceivedOptions> {
                        ReceivedOptions received;
                        NNBURST_TRY_ASSIGN(received.options, std::move(options));
                        for (const auto* list : {&modelCache, &files}) {
                            if (!*list) {
                                if (list->error().status == ErrorStatus::INVALID_ARGUMENT) {
                                    return tl::unexpected<Error>(list->error());
                                }
                                received.cacheFiles = tl::unexpected<Error>(list->error());
                            }
                        }
                        if (received.cacheFiles) {
                            received.modelCache = std::move(*modelCache);
                            received.dataCache = std::move(*files);
                        }
                        return received;
                    });
            });
    }

    static Result<> checkCounts(rpc::Device::AllocateParams::Reader params) {
        NNBURST_TRY(checkCount(params.getPreparedModels().size(), kMaximumRoles,
                               "prepared models of a buffer"));
        NNBURST_TRY(
            checkCount(std::size_t{params.getInputRoles().size()} + params.getOutputRoles().size(),
                       kMaximumRoles, "roles of a buffer"));
        return checkCount(params.getDimensions().size(), kMaximumDimensions,
                          "dimensions of a buffer");
    }

    /// A function that allocates the buffer that `params` describes.
    std::function<Result<std::shared_ptr<LocalBuffer>>()> allocation(
        rpc::Device::AllocateParams::Reader params, PreparedModels models) {
        const auto roles = [](capnp::List<rpc::BufferRole>::Reader reader) {
            std::vector<BufferRole> read;
            for (const auto role : reader) {
                read.push_back({.modelIndex = role.getModelIndex(),
                                .ioIndex = role.getIoIndex(),
                                .frequency = role.getFrequency()});
            }
            return read;
        };
        return [device = device_,
                desc = BufferDesc{numbersFromMessage<std::uint32_t>(params.getDimensions())},
                preparedModels = std::move(models), inputRoles = roles(params.getInputRoles()),
                outputRoles =
                    roles(params.getOutputRoles())]() -> Result<std::shared_ptr<LocalBuffer>> {
            for (std::size_t i = 0; i < preparedModels.size(); ++i) {
                if (!preparedModels[i]) {
                    return failure(
                        ErrorStatus::INVALID_ARGUMENT,
                        fmt::format("allocate: prepared model {} is null or belongs to another "
                                    "device; must be one of this device",
                                    i));
                }
            }
            return device->allocateFor(desc, preparedModels, inputRoles, outputRoles);
        };
    }

    /// Answers a call with the status of `result` and, if it has one, its value.
    template <class Context, class T, class Fill>
    kj::Promise<void> answer(Context& context, Result<T> given, Fill fill) const {
        const Result<T> result = knownTo(device_->getHalVersion(), std::move(given));
        auto results = context.getResults();
        if (!result) {
            toMessage(tl::unexpected<Error>(result.error()), results.initStatus());
            return kj::READY_NOW;
        }
        toMessage(Result<>(), results.initStatus());
        fill(results, *result);
        return kj::READY_NOW;
    }

    const SharedClientContext client_;
    const std::shared_ptr<LocalDevice> device_;
    const std::shared_ptr<PreparedModelServices> models_;  // shared with callbacks that are posted
    const ModelReceiver receiver_;
};

}  // namespace

rpc::Device::Client serveDevice(SharedClientContext client, std::shared_ptr<LocalDevice> device) {
    return kj::heap<DeviceService>(std::move(client), std::move(device));
}

}  // namespace nnburst::device
