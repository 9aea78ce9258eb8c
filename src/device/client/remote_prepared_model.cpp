// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/remote_prepared_model.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "burst/burst_errors.h"
#include "device/client/pending_callback.h"
#include "device/client/remote_burst.h"
#include "device/local/fence_waiter.h"
#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "model/invalid.h"
#include "model/outcome.h"
#include "nnburst/fence.h"

namespace nnburst::device {

namespace {

/// How an execution ended.
struct ExecutionEnd {
    Result<> status;
    ExecutionOutcome outcome;
};

using PendingExecutionCallback = PendingCallback<ExecutionEnd>;

/// The shapes that an answer to `request` has, if it has any.
std::size_t shapeCountOf(const Request& request, const Connection& connection) {
    return supportsOutputShapes(connection.halVersion()) ? request.outputs.size() : 0;
}

/// Reads how an execution ended, and checks that it has `shapeCount` shapes.
Result<> endFromMessage(rpc::Status::Reader statusReader,
                        rpc::ExecutionOutcome::Reader outcomeReader, std::size_t shapeCount,
                        ExecutionOutcome& outcome) {
    const Result<> status = fromMessage(statusReader);
    if (!status && status.error().status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
        return status;
    }
    NNBURST_TRY(fromMessage(outcomeReader, outcome));
    if (outcome.outputShapes.size() != shapeCount) {
        const std::size_t received = outcome.outputShapes.size();
        outcome = {};
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("the driver answered with {} output shapes; must be {}",
                                   received, shapeCount));
    }
    return status;
}

/// Tells the driver of a request that was refused here: the driver-managed buffers of its outputs
/// lose their contents, as with any failed execution. On the event loop's thread. Does not fail: a
/// connection that is lost has freed all buffers.
kj::Promise<void> tellRefused(RemoteHandle<rpc::PreparedModel>& model, const Request& request) {
    const std::vector<BufferOutput> outputs = bufferOutputs(request);
    if (outputs.empty()) {
        return kj::READY_NOW;
    }
    auto call = model.client().discardOutputsRequest();
    toMessage(outputs, call.initOutputs(static_cast<unsigned>(outputs.size())));
    return call.send().then([](auto&&) {}, [](kj::Exception&&) {});
}

/// Waits for `answer`, until `giveUpAt` at most; returns whether it has come. On the event loop's
/// thread.
kj::Promise<bool> waitUntil(RemoteHandle<rpc::PreparedModel>& model,
                            const OptionalTimePoint& giveUpAt, kj::Promise<void> answer) {
    return giveUpAt ? model.connection()->waitUntil(*giveUpAt, kj::mv(answer))
                    : answer.then([] { return true; });
}

/// What the driver calls when an asynchronous execution has ended.
class ExecutionCallbackServer final : public rpc::ExecutionCallback::Server {
  public:
    ExecutionCallbackServer(std::shared_ptr<PendingExecutionCallback> pending,
                            std::size_t shapeCount) noexcept
        : pending_(std::move(pending)), shapeCount_(shapeCount) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        if (pending_) {
            const auto params = context.getParams();
            ExecutionEnd end;
            end.status =
                endFromMessage(params.getStatus(), params.getOutcome(), shapeCount_, end.outcome);
            pending_->give(std::move(end));
            pending_ = nullptr;
        }
        return kj::READY_NOW;
    }

  private:
    std::shared_ptr<PendingExecutionCallback> pending_;
    std::size_t shapeCount_;
};

/// Sets a flag when an answer has come, or when its promise is dropped and it never will.
class AnswerTeller {
  public:
    explicit AnswerTeller(std::shared_ptr<std::atomic<bool>> flag) noexcept
        : flag_(std::move(flag)) {}
    AnswerTeller(AnswerTeller&&) noexcept = default;
    AnswerTeller& operator=(AnswerTeller&&) = delete;
    ~AnswerTeller() {
        if (flag_ != nullptr) {
            flag_->store(true, std::memory_order_release);  // sync [late-answer]
        }
    }

  private:
    std::shared_ptr<std::atomic<bool>> flag_;
};

/// Refuses fences that could not be sent, or that the driver would refuse.
Result<> checkFences(std::span<const int> fences) {
    for (const int fence : fences) {
        NNBURST_TRY(fenceState(fence));
    }
    return checkFenceCount(fences.size());
}

using FencedCallbackHandle = RemoteHandle<rpc::FencedExecutionCallback>;

/// Asks the driver how a fenced execution ended.
Result<> fencedInfo(FencedCallbackHandle& callback, Timing& launched, Timing& fenced) {
    launched = {};
    fenced = {};
    return callback.connection()->call<void>([&] {
        return callback.client().getExecutionInfoRequest().send().then(
            [&](auto&& response) -> Result<> {
                NNBURST_TRY(fromMessage(response.getStatus()));
                launched = fromMessage(response.getLaunched());
                fenced = fromMessage(response.getFenced());
                return {};
            });
    });
}

/// Receives the fence and the callback of a launched execution. The fence fails when the connection
/// is lost.
template <class Response>
kj::Promise<Result<FencedExecution>> receiveFenced(const std::shared_ptr<Connection>& connection,
                                                   Response& response) {
    const Result<> status = fromMessage(response.getStatus());
    if (!status) {
        return Result<FencedExecution>(tl::unexpected<Error>(status.error()));
    }
    if (!response.hasFence() || !response.hasCallback()) {
        return Result<FencedExecution>(
            failure(ErrorStatus::GENERAL_FAILURE,
                    "the driver launched an execution without giving its fence or callback"));
    }
    const auto callback =
        std::make_shared<FencedCallbackHandle>(connection, response.getCallback());
    return receiveFile(response.getFence())
        .then([connection, callback](Result<UniqueFd>&& received) -> Result<FencedExecution> {
            NNBURST_TRY_ASSIGN(UniqueFd fence, std::move(received));
            NNBURST_TRY(fenceState(fence.get()));
            NNBURST_TRY_ASSIGN(UniqueFd ours, UniqueFd::duplicate(fence.get()));
            connection->failOnLoss(std::move(ours));
            return FencedExecution{.fence = std::move(fence),
                                   .callback = [callback](Timing& launched, Timing& fenced) {
                                       return fencedInfo(*callback, launched, fenced);
                                   }};
        });
}

}  // namespace

RemotePreparedModel::RemotePreparedModel(std::shared_ptr<Connection> connection,
                                         rpc::PreparedModel::Client client)
    : model_(std::make_shared<RemoteHandle<rpc::PreparedModel>>(std::move(connection),
                                                                kj::mv(client))) {}

OptionalTimePoint RemotePreparedModel::answerAwaitedUntil(const OptionalTimePoint& deadline) const {
    // No wait ends at a deadline that the driver does not know.
    return supportsDeadlines(model_->connection()->halVersion())
               ? burst::answerAwaitedUntil(deadline, kDeadlineGrace)
               : std::nullopt;
}

bool RemotePreparedModel::usesMemoryInUse(const Request& request) {
    const system::MutexLock lock(mutex_);
    unanswered_.dropAnswered();
    return !unanswered_.isEmpty() && unanswered_.overlapWith(burst::memoryOf(request));
}

Result<> RemotePreparedModel::executeSynchronously(const Request& request,
                                                   const ExecutionOptions& options,
                                                   ExecutionOutcome& outcome) {
    if (usesMemoryInUse(request)) {
        clearOutcome(outcome);
        return burst::memoryInUse();
    }
    burst::AnswerFlag answered;
    const Result<> end = executeRemotely(*model_, request, options,
                                         answerAwaitedUntil(options.deadline), outcome, answered);
    if (answered != nullptr) {
        const system::MutexLock lock(mutex_);
        unanswered_.add(request, std::move(answered));
        return burst::notAnswered(kDeadlineGrace);
    }
    return end;
}

bool RemotePreparedModel::isMemoryInUse() {
    const system::MutexLock lock(mutex_);
    unanswered_.dropAnswered();
    return !unanswered_.isEmpty();
}

Result<> RemotePreparedModel::waitForMemory(const OptionalTimePoint& deadline) {
    while (isMemoryInUse()) {
        const TimePoint now = std::chrono::steady_clock::now();
        if (deadline && now >= *deadline) {
            return burst::memoryStillInUse();
        }
        std::this_thread::sleep_until(
            std::min(deadline.value_or(TimePoint::max()), now + burst::kAnswerPollInterval));
    }
    return {};
}

void discardOutputs(RemoteHandle<rpc::PreparedModel>& model, const Request& request,
                    const OptionalTimePoint& giveUpAt) {
    (void)model.connection()->call<void>([&] {
        return waitUntil(model, giveUpAt, tellRefused(model, request)).then([](bool) {
            return Result<>();
        });
    });
}

Result<> executeRemotely(RemoteHandle<rpc::PreparedModel>& model, const Request& request,
                         const ExecutionOptions& options, const OptionalTimePoint& giveUpAt,
                         ExecutionOutcome& outcome, burst::AnswerFlag& answered) {
    clearOutcome(outcome);
    const auto flag = std::make_shared<std::atomic<bool>>(false);
    const auto end = std::make_shared<ExecutionEnd>();
    return model.connection()->call<void>([&]() -> kj::Promise<Result<>> {
        auto call = model.client().executeSynchronouslyRequest();
        toMessage(options, call.initOptions());
        if (Result<> fits = toMessage(request, call.initRequest()); !fits) {
            return waitUntil(model, giveUpAt, tellRefused(model, request)).then([fits](bool) {
                return fits;
            });
        }
        auto answer = call.send().then([end, shapes = shapeCountOf(request, *model.connection()),
                                        teller = AnswerTeller(flag)](auto&& response) {
            end->status =
                endFromMessage(response.getStatus(), response.getOutcome(), shapes, end->outcome);
        });
        return waitUntil(model, giveUpAt, kj::mv(answer)).then([&](bool hasAnswer) {
            if (!hasAnswer) {
                answered = flag;
                return Result<>();
            }
            outcome = std::move(end->outcome);
            return std::move(end->status);
        });
    });
}

Result<> RemotePreparedModel::execute(const Request& request, const ExecutionOptions& options,
                                      ExecutionCallback callback) {
    if (!callback) {
        discardOutputs(*model_, request, answerAwaitedUntil(options.deadline));
        return invalid("execute without a callback: give one, or use executeSynchronously");
    }
    if (usesMemoryInUse(request)) {
        const Result<> refused = burst::memoryInUse();
        callback(refused, ExecutionOutcome());
        return refused;
    }
    Connection& connection = *model_->connection();
    if (const Result<> reserved = connection.reserveCallback(); !reserved) {
        discardOutputs(*model_, request, answerAwaitedUntil(options.deadline));
        callback(reserved, ExecutionOutcome());
        return reserved;
    }
    const auto pending = std::make_shared<PendingExecutionCallback>(
        model_->connection(), [callback = std::move(callback)](const ExecutionEnd& end) {
            callback(end.status, end.outcome);
        });
    return connection.call<void>([&, pending]() -> kj::Promise<Result<>> {
        auto call = model_->client().executeRequest();
        toMessage(options, call.initOptions());
        if (Result<> fits = toMessage(request, call.initRequest()); !fits) {
            return tellRefused(*model_, request).then([pending, fits] {
                pending->give({.status = fits, .outcome = {}});
                return fits;
            });
        }
        call.setCallback(
            kj::heap<ExecutionCallbackServer>(pending, shapeCountOf(request, connection)));
        return launched(call.send(), pending);
    });
}

Result<FencedExecution> RemotePreparedModel::executeFenced(
    const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
    OptionalTimeoutDuration timeoutAfterFence) {
    if (usesMemoryInUse(request)) {
        return burst::memoryInUse();
    }
    if (Result<> checked = checkFences(waitFor); !checked) {
        discardOutputs(*model_, request, answerAwaitedUntil(options.deadline));
        return tl::unexpected<Error>(std::move(checked.error()));
    }
    const std::shared_ptr<Connection>& connection = model_->connection();
    return connection->call<FencedExecution>([&]() -> kj::Promise<Result<FencedExecution>> {
        auto call = model_->client().executeFencedRequest();
        toMessage(options, call.initOptions());
        toMessage(timeoutAfterFence, call.initTimeoutAfterFence());
        Result<> fits = toMessage(request, call.initRequest());
        auto fences = call.initWaitFor(static_cast<unsigned>(waitFor.size()));
        for (unsigned i = 0; fits && i < fences.size(); ++i) {
            if (Result<rpc::File::Client> fence = fileToMessage(waitFor[i])) {
                fences.set(i, kj::mv(*fence));
            } else {
                fits = tl::unexpected<Error>(fence.error());
            }
        }
        if (!fits) {
            return tellRefused(*model_, request).then([fits] {
                return Result<FencedExecution>(tl::unexpected<Error>(fits.error()));
            });
        }
        return call.send().then(
            [connection](auto&& response) { return receiveFenced(connection, response); });
    });
}

Result<std::unique_ptr<Burst>> RemotePreparedModel::configureExecutionBurst(
    const BurstOptions& options) {
    return RemoteBurst::create(model_, options);
}

}  // namespace nnburst::device
