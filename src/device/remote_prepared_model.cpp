// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/remote_prepared_model.h"

#include <utility>

#include "device/conversion.h"
#include "device/delivery.h"
#include "device/remote_burst.h"
#include "device/unsupported.h"

namespace nnburst::device {

namespace {

/// How an execution ended.
struct ExecutionEnd {
    Result<> status;
    ExecutionOutcome outcome;
};

using ExecutionDelivery = Delivery<ExecutionEnd>;

/// Reads how an execution ended, and checks that its shapes are those of `outputCount` outputs.
Result<> endFromMessage(rpc::Status::Reader statusReader,
                        rpc::ExecutionOutcome::Reader outcomeReader, std::size_t outputCount,
                        ExecutionOutcome& outcome) {
    const Result<> status = fromMessage(statusReader);
    if (!status && status.error().status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
        return status;
    }
    NNBURST_TRY(fromMessage(outcomeReader, outcome));
    if (outcome.outputShapes.size() != outputCount) {
        const std::size_t shapeCount = outcome.outputShapes.size();
        outcome = {};
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("the driver answered with {} output shapes for {} outputs",
                                   shapeCount, outputCount));
    }
    return status;
}

/// What the driver calls when an asynchronous execution has ended.
class ExecutionCallbackServer final : public rpc::ExecutionCallback::Server {
  public:
    ExecutionCallbackServer(std::shared_ptr<ExecutionDelivery> delivery,
                            std::size_t outputCount) noexcept
        : delivery_(std::move(delivery)), outputCount_(outputCount) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        if (delivery_) {
            const auto params = context.getParams();
            ExecutionEnd end;
            end.status =
                endFromMessage(params.getStatus(), params.getOutcome(), outputCount_, end.outcome);
            delivery_->give(std::move(end));
            delivery_ = nullptr;
        }
        return kj::READY_NOW;
    }

  private:
    std::shared_ptr<ExecutionDelivery> delivery_;
    std::size_t outputCount_;
};

}  // namespace

RemotePreparedModel::RemotePreparedModel(std::shared_ptr<Connection> connection,
                                         rpc::PreparedModel::Client client)
    : model_(std::make_shared<RemoteHandle<rpc::PreparedModel>>(std::move(connection),
                                                                kj::mv(client))) {}

Result<> RemotePreparedModel::executeSynchronously(const Request& request,
                                                   const ExecutionOptions& options,
                                                   ExecutionOutcome& outcome) {
    return executeRemotely(*model_, request, options, outcome);
}

Result<> executeRemotely(RemoteHandle<rpc::PreparedModel>& model, const Request& request,
                         const ExecutionOptions& options, ExecutionOutcome& outcome) {
    outcome.outputShapes.clear();
    outcome.timing = {};
    return model.connection()->call<void>([&]() -> kj::Promise<Result<>> {
        auto call = model.client().executeSynchronouslyRequest();
        toMessage(options, call.initOptions());
        if (Result<> fits = toMessage(request, call.initRequest()); !fits) {
            return fits;
        }
        return call.send().then([&](auto&& response) {
            return endFromMessage(response.getStatus(), response.getOutcome(),
                                  request.outputs.size(), outcome);
        });
    });
}

Result<> RemotePreparedModel::execute(const Request& request, const ExecutionOptions& options,
                                      ExecutionCallback callback) {
    Connection& connection = *model_->connection();
    if (const Result<> reserved = connection.reserveCallback(); !reserved) {
        callback(reserved, ExecutionOutcome());
        return reserved;
    }
    const auto delivery = std::make_shared<ExecutionDelivery>(
        model_->connection(), [callback = std::move(callback)](const ExecutionEnd& end) {
            callback(end.status, end.outcome);
        });
    return connection.call<void>([&, delivery]() -> kj::Promise<Result<>> {
        auto call = model_->client().executeRequest();
        toMessage(options, call.initOptions());
        if (Result<> fits = toMessage(request, call.initRequest()); !fits) {
            delivery->give({.status = fits, .outcome = {}});
            return fits;
        }
        call.setCallback(kj::heap<ExecutionCallbackServer>(delivery, request.outputs.size()));
        return launched(call.send(), delivery);
    });
}

Result<FencedExecution> RemotePreparedModel::executeFenced(
    const Request& /*request*/, std::span<const int> /*waitFor*/,
    const ExecutionOptions& /*options*/, OptionalTimeoutDuration /*timeoutAfterFence*/) {
    return unsupported("executeFenced");
}

Result<std::unique_ptr<Burst>> RemotePreparedModel::configureExecutionBurst(
    const BurstOptions& options) {
    return RemoteBurst::create(model_, options);
}

}  // namespace nnburst::device
