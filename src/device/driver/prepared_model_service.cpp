// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/prepared_model_service.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "device/driver/burst_service.h"
#include "device/driver/dispatch_tracked.h"
#include "device/driver/run_on_job_thread.h"
#include "device/local/single_execution.h"
#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/kj_conversions.h"
#include "device/rpc/promise_timeout.h"
#include "device/rpc/rpc_limits.h"
#include "log/assert.h"
#include "model/buffer_outputs.h"
#include "model/version_rules.h"
#include "nnburst/fence.h"

namespace nnburst::device {

namespace {

/// Refuses descriptors that cannot be polled. May block.
Result<> checkFence(int fence) {
    NNBURST_TRY(fenceState(fence));
    return {};
}

/// How an execution ended: what goes back to the client.
struct ExecutionEnd {
    Result<> status;
    ExecutionOutcome outcome;
};

/// Calls a client's callback. On the loop's thread.
void notify(rpc::ExecutionCallback::Client& callback, const Result<>& status,
            const ExecutionOutcome& outcome) {
    auto call = callback.notifyRequest();
    toMessage(status, call.initStatus());
    toMessage(outcome, call.initOutcome());
    call.send().detach([](kj::Exception&&) {});  // the client is gone
}

/// A request, with its charge if it is large.
using SharedRequest = std::shared_ptr<const Request>;

struct FencedRequest {
    SharedRequest request;
    std::vector<PeerFile> waitFor;
};

struct LaunchedEnd {
    std::shared_ptr<FencedEnd> end;
    Charge charge;  ///< for the client's fence
};

/// A client decides how many outputs a request has: the buffers of more are looked up on a job
/// thread.
constexpr std::size_t kFewOutputs = kMaximumPoolsPerMessage;

/// Discards the outputs that `read` reads from a list of `count` in a message. The message must
/// live until the promise resolves, as that of a call does.
template <class Read>
kj::Promise<void> discard(const ClientContext& client,
                          const std::shared_ptr<LocalPreparedModel>& model, std::size_t count,
                          Read read) {
    if (count <= kFewOutputs) {
        model->discardOutputs(read());
        return kj::READY_NOW;
    }
    auto pair = kj::newPromiseAndFulfiller<void>();
    const auto fulfiller = ownedByLoop(client.loop, kj::mv(pair.fulfiller));
    // Not refused: the limit on unanswered calls bounds the number of these jobs.
    client.scheduler->submit([&loop = client.loop, model, fulfiller, read] {
        // What cannot be read names no buffers.
        (void)kj::runCatchingExceptions([&] { model->discardOutputs(read()); });
        (void)loop.post([fulfiller] { (*fulfiller)->fulfill(); });
    });
    return kj::mv(pair.promise);
}

class FencedCallbackService final : public rpc::FencedExecutionCallback::Server {
  public:
    FencedCallbackService(std::shared_ptr<FencedEnd> end,
                          std::shared_ptr<FenceWaiter> waiter) noexcept
        : end_(std::move(end)), waiter_(std::move(waiter)) {
        NNBURST_ASSERT(end_ != nullptr && waiter_ != nullptr,
                       "a fenced execution without an end or without a waiter");
    }

  protected:
    kj::Promise<void> getExecutionInfo(GetExecutionInfoContext context) override {
        Timing launched;
        Timing fenced;
        auto results = context.getResults();
        toMessage(end_->info(launched, fenced), results.initStatus());
        toMessage(launched, results.initLaunched());
        toMessage(fenced, results.initFenced());
        return kj::READY_NOW;
    }

  private:
    const std::shared_ptr<FencedEnd> end_;
    const std::shared_ptr<FenceWaiter> waiter_;  // goes on waiting while the client may ask
};

/// `launch`, or nothing if the client of `model` has gone by then.
template <class T>
std::function<Result<T>()> unlessClientHasGone(std::shared_ptr<LocalPreparedModel> model,
                                               std::function<Result<T>()> launch) {
    return [model = std::move(model), launch = std::move(launch)]() -> Result<T> {
        const std::atomic<bool>* const isCancelled = model->executable().isCancelled();
        if (isCancelled != nullptr && isCancelled->load(std::memory_order_relaxed)) {
            return failure(ErrorStatus::DEVICE_UNAVAILABLE, "the client has gone");
        }
        return launch();
    };
}

class PreparedModelService final : public rpc::PreparedModel::Server {
  public:
    PreparedModelService(SharedClientContext client, std::shared_ptr<LocalPreparedModel> model,
                         Charge charge) noexcept
        : client_(std::move(client)), model_(std::move(model)), charge_(std::move(charge)) {
        NNBURST_ASSERT(model_ != nullptr, "a service of no prepared model");
    }

    [[nodiscard]] const std::shared_ptr<LocalPreparedModel>& model() const noexcept {
        return model_;
    }

    DispatchCallResult dispatchCall(std::uint64_t interfaceId, std::uint16_t methodId,
                                    AnyCallContext context) override {
        return dispatchTracked(*client_->work, [&] {
            return rpc::PreparedModel::Server::dispatchCall(interfaceId, methodId, context);
        });
    }

  protected:
    kj::Promise<void> executeSynchronously(ExecuteSynchronouslyContext context) override {
        const auto params = context.getParams();
        const Result<ExecutionOptions> options = fromMessage(params.getOptions());
        if (!options) {
            return refuse(context, options.error());
        }
        return receive(params.getRequest())
            .then([this, options = *options, arrival = exec::arrivalTime(*options)](
                      Result<SharedRequest>&& request) -> kj::Promise<Result<ExecutionEnd>> {
                if (!request) {
                    return failureOf<ExecutionEnd>(request);
                }
                return runOnJobThread<ExecutionEnd>(
                    *client_, JobKind::EXECUTION, model_->urgencyOf(options),
                    [executable = model_->executable(), request = std::move(*request), options,
                     arrival]() -> Result<ExecutionEnd> {
                        ExecutionEnd end;
                        end.status =
                            executeOnce(executable, *request, options, arrival, end.outcome);
                        return end;
                    });
            })
            .then([this, context](Result<ExecutionEnd>&& end) mutable -> kj::Promise<void> {
                if (!end) {  // it was not executed
                    return refuse(context, end.error());
                }
                auto results = context.getResults();
                toMessage(end->status, results.initStatus());
                toMessage(end->outcome, results.initOutcome());
                return kj::READY_NOW;
            });
    }

    kj::Promise<void> execute(ExecuteContext context) override {
        const auto params = context.getParams();
        const Result<ExecutionOptions> options = fromMessage(params.getOptions());
        const auto callback = ownedByLoop(client_->loop, params.getCallback());
        const auto isNotified = std::make_shared<std::atomic<bool>>(false);
        return (options ? receive(params.getRequest()) : failureOf<SharedRequest>(options))
            .then([this, options, callback,
                   isNotified](Result<SharedRequest>&& request) -> kj::Promise<Result<>> {
                if (!request) {
                    return failureOf<void>(request);
                }
                const auto ended = [&loop = client_->loop, callback, isNotified,
                                    token = client_->work->begin()](
                                       const Result<>& status, const ExecutionOutcome& outcome) {
                    isNotified->store(true, std::memory_order_relaxed);  // loop.post orders it
                    (void)loop.post(
                        [callback, status, outcome, token] { notify(*callback, status, outcome); });
                };
                return launchOf<void>(**request, 0, *options,
                                      [model = model_, request = *request, options = *options,
                                       ended] { return model->execute(*request, options, ended); });
            })
            .then([this, context, callback,
                   isNotified](Result<>&& result) mutable -> kj::Promise<void> {
                const Result<> launched = knownTo(model_->executable().version, std::move(result));
                // The callback comes in every case; it is sent before the answer to this call.
                if (!launched && !isNotified->load(std::memory_order_relaxed)) {
                    return refuse(context, launched.error()).then([callback, launched] {
                        notify(*callback, launched, {});
                    });
                }
                toMessage(launched, context.getResults().initStatus());
                return kj::READY_NOW;
            });
    }

    kj::Promise<void> executeFenced(ExecuteFencedContext context) override {
        const auto params = context.getParams();
        const Result<ExecutionOptions> options = fromMessage(params.getOptions());
        if (!options) {
            return refuse(context, options.error());
        }
        const auto isBegun = std::make_shared<std::atomic<bool>>(false);
        auto fences = receiveFiles(params.getWaitFor(), kMaximumFences, client_->peer, checkFence);
        return receive(params.getRequest())
            .then([fences = kj::mv(fences)](Result<SharedRequest>&& request) mutable {
                return fences.then(
                    [request = std::move(request)](
                        Result<std::vector<PeerFile>>&& received) mutable -> Result<FencedRequest> {
                        NNBURST_TRY_ASSIGN(SharedRequest good, std::move(request));
                        NNBURST_TRY_ASSIGN(std::vector<PeerFile> waitFor, std::move(received));
                        return FencedRequest{std::move(good), std::move(waitFor)};
                    });
            })
            .then([this, context, options = *options, isBegun](
                      Result<FencedRequest>&& request) mutable -> kj::Promise<Result<LaunchedEnd>> {
                if (!request) {
                    return failureOf<LaunchedEnd>(request);
                }
                const OptionalTimeoutDuration timeout =
                    durationFromMessage(context.getParams().getTimeoutAfterFence());
                const SharedRequest launched = request->request;
                const std::size_t fenceCount = request->waitFor.size();
                return launchOf<LaunchedEnd>(
                    *launched, fenceCount, options,
                    [this, fenced = std::make_shared<FencedRequest>(std::move(*request)), options,
                     timeout, isBegun] {
                        isBegun->store(true, std::memory_order_relaxed);  // loop.post orders it
                        return launch(*fenced, options, timeout);
                    });
            })
            .then([this, context,
                   isBegun](Result<LaunchedEnd>&& launched) mutable -> kj::Promise<void> {
                if (!launched && !isBegun->load(std::memory_order_relaxed)) {
                    return refuse(context, launched.error());
                }
                answerFenced(context, std::move(launched));
                return kj::READY_NOW;
            });
    }

    kj::Promise<void> configureExecutionBurst(ConfigureExecutionBurstContext context) override {
        return receiveRegion(context.getParams().getChannel(), client_->peer)
            .then([this, context](Result<SharedRegion>&& channel) mutable {
                const auto params = context.getParams();
                auto served = [&]() -> Result<ServedBurst> {
                    NNBURST_TRY_ASSIGN(SharedRegion region, std::move(channel));
                    NNBURST_TRY_ASSIGN(const WaitPolicy wait, fromMessage(params.getDriverWait()));
                    return serveBurst(client_, std::move(region), model_->executable(),
                                      params.getCallback(), wait);
                }();
                auto results = context.getResults();
                if (!served) {
                    answer(served.error(), results.initStatus());
                    return;
                }
                toMessage(Result<>(), results.initStatus());
                results.setBurst(kj::mv(served->burst));
                results.setDoorbell(kj::mv(served->doorbell));
                results.setRingsBack(true);
                results.setKernelThreads(model_->executable().model->kernelThreads());
            });
    }

    kj::Promise<void> discardOutputs(DiscardOutputsContext context) override {
        const auto outputs = context.getParams().getOutputs();
        return discard(*client_, model_, std::min<std::size_t>(outputs.size(), outputCount()),
                       [outputs, limit = outputCount()] { return fromMessage(outputs, limit); });
    }

  private:
    [[nodiscard]] std::size_t outputCount() const noexcept {
        return model_->executable().model->outputs().size();
    }

    /// Answers with an error, whose status is converted to one that the HAL version has.
    void answer(const Error& error, rpc::Status::Builder status) const {
        toMessage(knownTo(model_->executable().version, Result<>(tl::unexpected<Error>(error))),
                  status);
    }

    /// Answers an execution that failed before it reached the model. Its outputs lose their
    /// contents before that.
    template <class Context>
    kj::Promise<void> refuse(Context& context, const Error& error) {
        const rpc::Request::Reader request = context.getParams().getRequest();
        const std::size_t count = std::min<std::size_t>(request.getOutputs().size(), outputCount());
        return discard(*client_, model_, count,
                       [request, count] { return bufferOutputsFromMessage(request, count); })
            .then([this, context, error]() mutable {
                answer(error, context.getResults().initStatus());
            });
    }

    /// A client decides how many arguments a request has: more are read and checked on a job
    /// thread, and charged while the request waits.
    static constexpr std::size_t kFewArguments = 1024;
    /// Each fence is looked at, duplicated and watched, some 10 us.
    static constexpr std::size_t kFewFences = 4;

    /// Receives the request of a call.
    kj::Promise<Result<SharedRequest>> receive(rpc::Request::Reader reader) {
        const RequestLists lists(reader);
        const auto complete = [this, pools = lists.pools](Request request, Charge charge) {
            return receiveRequest(std::move(request), pools, client_->peer)
                .then([charge = std::move(charge)](
                          Result<Request>&& received) mutable -> Result<SharedRequest> {
                    NNBURST_TRY_ASSIGN(Request whole, std::move(received));
                    return chargedFor(std::make_shared<const Request>(std::move(whole)),
                                      std::move(charge));
                });
        };
        if (lists.argumentBytes() <= kFewArguments * sizeof(RequestArgument)) {
            Result<Request> request = requestWithoutMemory(lists);
            return request ? complete(std::move(*request), {}) : failureOf<SharedRequest>(request);
        }
        auto charge = client_->peer->account()->charge(Resource::MEMORY, lists.argumentBytes());
        if (!charge) {
            return failureOf<SharedRequest>(charge);
        }
        return readOnJobThread<Request>(*client_, [lists] { return requestWithoutMemory(lists); })
            .then([complete, charge = std::move(*charge)](
                      Result<Request>&& request) mutable -> kj::Promise<Result<SharedRequest>> {
                if (!request) {
                    return failureOf<SharedRequest>(request);
                }
                return complete(std::move(*request), std::move(charge));
            });
    }

    /// Calls `launch`, which checks `request`, on a job thread if that may take long: if there are
    /// many arguments or fences, or if some arguments are left out, so that subgraphs are looked
    /// through. The job ends at once if the client has gone.
    template <class T>
    kj::Promise<Result<T>> launchOf(const Request& request, std::size_t fences,
                                    const ExecutionOptions& options,
                                    std::function<Result<T>()> launch) {
        const bool isLong =
            fences > kFewFences || request.inputs.size() + request.outputs.size() > kFewArguments ||
            std::any_of(request.inputs.begin(), request.inputs.end(),
                        [](const RequestArgument& input) { return input.hasNoValue; });
        if (!isLong) {
            return launch();
        }
        return runOnJobThread<T>(*client_, JobKind::CONTROL, model_->urgencyOf(options),
                                 unlessClientHasGone(model_, std::move(launch)));
    }

    Result<LaunchedEnd> launch(const FencedRequest& request, const ExecutionOptions& options,
                               OptionalTimeoutDuration timeoutAfterFence) const {
        std::vector<int> waitFor;
        for (const PeerFile& fence : request.waitFor) {
            waitFor.push_back(fence.get());
        }
        // Charged before the launch: an execution whose fence may not be sent must not run.
        Result<Charge> charge = chargeTo(client_->peer->account(), Resource::DESCRIPTORS, 1);
        if (!charge) {
            model_->discardOutputs(bufferOutputs(*request.request));
            return tl::unexpected<Error>(std::move(charge.error()));
        }
        NNBURST_TRY_ASSIGN(std::shared_ptr<FencedEnd> end,
                           model_->launch(*request.request, waitFor, options, timeoutAfterFence));
        return LaunchedEnd{.end = std::move(end), .charge = std::move(*charge)};
    }

    void answerFenced(ExecuteFencedContext& context, Result<LaunchedEnd> launched) {
        auto results = context.getResults();
        Result<rpc::File::Client> fence =
            launched ? fileToMessage(launched->end->fence(), std::move(launched->charge))
                     : tl::unexpected<Error>(launched.error());
        if (!fence) {
            answer(fence.error(), results.initStatus());
            return;
        }
        toMessage(Result<>(), results.initStatus());
        results.setFence(kj::mv(*fence));
        client_->work->add(launched->end);
        results.setCallback(kj::heap<FencedCallbackService>(
            launched->end, droppedOnJobThread(client_->scheduler, model_->waiter())));
    }

    const SharedClientContext client_;
    const std::shared_ptr<LocalPreparedModel> model_;
    const Charge charge_;
};

}  // namespace

rpc::PreparedModel::Client PreparedModelServices::serve(std::shared_ptr<LocalPreparedModel> model,
                                                        Charge charge) {
    return served_.add(kj::heap<PreparedModelService>(
        client_, droppedOnJobThread(client_->scheduler, std::move(model)), std::move(charge)));
}

kj::Promise<Result<PreparedModels>> PreparedModelServices::find(
    capnp::List<rpc::PreparedModel>::Reader list) {
    auto charge = chargeForListed(client_->peer, list.size());
    if (!charge) {
        return failureOf<PreparedModels>(charge);
    }
    auto models = kj::heapArrayBuilder<kj::Promise<Found>>(list.size());
    for (auto&& model : list) {
        models.add(find(model));
    }
    return kj::joinPromises(models.finish())
        .exclusiveJoin(resolutionTimeout<kj::Array<Found>>(client_->loop))
        .then([](const kj::Array<Found>& found) -> Result<PreparedModels> {
            return PreparedModels(found.begin(), found.end());
        })
        .attach(kj::heap(std::move(*charge)));
}

kj::Promise<PreparedModelServices::Found> PreparedModelServices::find(
    rpc::PreparedModel::Client client) {
    auto resolved = served_.getLocalServer(client);
    return resolved.then([](const kj::Maybe<rpc::PreparedModel::Server&>& server) -> Found {
        KJ_IF_MAYBE (found, server) {
            return kj::downcast<PreparedModelService>(*found).model();
        }
        return nullptr;
    });
}

}  // namespace nnburst::device
