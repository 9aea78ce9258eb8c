// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/prepared_model_service.h"

#include <utility>

#include "device/burst_service.h"
#include "device/conversion.h"
#include "device/descriptors.h"
#include "device/loop_work.h"
#include "device/request_execution.h"
#include "device/unsupported.h"

namespace nnburst::device {

namespace {

/// How an execution ended: what goes back to the client.
struct ExecutionEnd {
    Result<> status;
    ExecutionOutcome outcome;
};

class PreparedModelService final : public rpc::PreparedModel::Server {
  public:
    PreparedModelService(EventLoop& loop, std::shared_ptr<Scheduler::Client> scheduler,
                         std::shared_ptr<LocalPreparedModel> model) noexcept
        : loop_(loop), scheduler_(std::move(scheduler)), model_(std::move(model)) {}

    [[nodiscard]] const std::shared_ptr<LocalPreparedModel>& model() const noexcept {
        return model_;
    }

  protected:
    kj::Promise<void> executeSynchronously(ExecuteSynchronouslyContext context) override {
        const auto params = context.getParams();
        const Result<ExecutionOptions> options = fromMessage(params.getOptions());
        if (!options) {
            toMessage(tl::unexpected<Error>(options.error()), context.getResults().initStatus());
            return kj::READY_NOW;
        }
        return receiveRequest(params.getRequest())
            .then([this, options = *options, arrival = arrivalTime(*options)](
                      Result<Request>&& request) -> kj::Promise<Result<ExecutionEnd>> {
                if (!request) {
                    return Result<ExecutionEnd>(tl::unexpected<Error>(request.error()));
                }
                return onWorker<ExecutionEnd>(
                    loop_, *scheduler_, model_->urgencyOf(options),
                    [executable = model_->executable(),
                     request = std::make_shared<Request>(std::move(*request)), options,
                     arrival]() -> Result<ExecutionEnd> {
                        ExecutionEnd end;
                        end.status = RequestExecution(executable)
                                         .execute(*request, options, arrival, end.outcome);
                        return end;
                    });
            })
            .then([context](Result<ExecutionEnd>&& end) mutable {
                auto results = context.getResults();
                toMessage(end ? end->status : tl::unexpected<Error>(end.error()),
                          results.initStatus());
                toMessage(end ? end->outcome : ExecutionOutcome(), results.initOutcome());
            });
    }

    kj::Promise<void> execute(ExecuteContext context) override {
        const auto params = context.getParams();
        const Result<ExecutionOptions> options = fromMessage(params.getOptions());
        const auto callback = ownedByLoop(loop_, params.getCallback());
        return (options ? receiveRequest(params.getRequest())
                        : kj::Promise<Result<Request>>(
                              Result<Request>(tl::unexpected<Error>(options.error()))))
            .then([this, context, options, callback](Result<Request>&& request) mutable {
                // The callback comes in every case; it is sent before the answer to this call.
                const auto notify = [&loop = loop_, callback](const Result<>& status,
                                                              const ExecutionOutcome& outcome) {
                    (void)loop.post([callback, status, outcome] {
                        auto call = callback->notifyRequest();
                        toMessage(status, call.initStatus());
                        toMessage(outcome, call.initOutcome());
                        call.send().detach([](kj::Exception&&) {});  // the client is gone
                    });
                };
                Result<> launched;
                if (request) {
                    launched = model_->execute(*request, *options, notify);
                } else {
                    launched = tl::unexpected<Error>(request.error());
                    notify(launched, {});
                }
                toMessage(launched, context.getResults().initStatus());
            });
    }

    kj::Promise<void> executeFenced(ExecuteFencedContext context) override {
        toMessage(unsupported("executeFenced"), context.getResults().initStatus());
        return kj::READY_NOW;
    }

    kj::Promise<void> configureExecutionBurst(ConfigureExecutionBurstContext context) override {
        return receiveRegion(context.getParams().getChannel())
            .then([this, context](Result<SharedRegion>&& channel) mutable {
                const auto params = context.getParams();
                auto served = [&]() -> Result<rpc::Burst::Client> {
                    if (!channel) {
                        return tl::unexpected<Error>(channel.error());
                    }
                    return serveBurst(loop_, scheduler_, std::move(*channel), model_->executable(),
                                      params.getCallback(),
                                      std::chrono::nanoseconds(params.getDriverSpinNanoseconds()));
                }();
                auto results = context.getResults();
                if (!served) {
                    toMessage(tl::unexpected<Error>(served.error()), results.initStatus());
                    return;
                }
                toMessage(Result<>(), results.initStatus());
                results.setBurst(kj::mv(*served));
            });
    }

  private:
    EventLoop& loop_;
    const std::shared_ptr<Scheduler::Client> scheduler_;
    const std::shared_ptr<LocalPreparedModel> model_;
};

}  // namespace

rpc::PreparedModel::Client PreparedModelServices::serve(std::shared_ptr<LocalPreparedModel> model) {
    return served_.add(kj::heap<PreparedModelService>(loop_, scheduler_, std::move(model)));
}

kj::Promise<std::shared_ptr<LocalPreparedModel>> PreparedModelServices::find(
    rpc::PreparedModel::Client client) {
    return served_.getLocalServer(client).then(
        [](kj::Maybe<rpc::PreparedModel::Server&> server) -> std::shared_ptr<LocalPreparedModel> {
            KJ_IF_MAYBE (found, server) {
                return kj::downcast<PreparedModelService>(*found).model();
            }
            return nullptr;
        });
}

}  // namespace nnburst::device
