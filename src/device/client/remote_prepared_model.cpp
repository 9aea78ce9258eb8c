// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/remote_prepared_model.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "burst/burst_errors.h"
#include "burst/give_up_time.h"
#include "device/client/pending_callback.h"
#include "device/client/remote_burst.h"
#include "device/local/fence_waiter.h"
#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "model/callback_check.h"
#include "model/outcome.h"
#include "nnburst/fence.h"
#include "system/event_fd.h"

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

/// Sends the driver the driver-managed buffers of a request that was refused here: they lose their
/// contents, as with any failed execution. Waits for the answer until `giveUpAt` at most. On the
/// event loop's thread. Does not fail: a connection that is lost has freed all buffers.
kj::Promise<void> sendDiscardOutputs(RemoteHandle<rpc::PreparedModel>& model,
                                     const Request& request, const OptionalTimePoint& giveUpAt) {
    const std::vector<BufferOutput> outputs = bufferOutputs(request);
    if (outputs.empty()) {
        return kj::READY_NOW;
    }
    auto call = model.client().discardOutputsRequest();
    toMessage(outputs, call.initOutputs(static_cast<unsigned>(outputs.size())));
    return model.connection()
        ->waitUntil(giveUpAt, call.send().then([](auto&&) {}, [](kj::Exception&&) {}))
        .ignoreResult();
}

/// The error of `execute` if the driver has not answered the launch.
Error launchNotAnswered() {
    return {ErrorStatus::DEVICE_UNAVAILABLE,
            fmt::format("the driver has not answered the launch {} ms after the deadline of the "
                        "execution: the callback comes when the execution has ended or the "
                        "connection is lost, and the memory of the request is in use until then",
                        kDeadlineGrace.count())};
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

/// Sets a flag when it is dropped: after the answer, or after the end of the execution, or when
/// neither can come any more.
class AnswerFlagSetter {
  public:
    explicit AnswerFlagSetter(std::shared_ptr<std::atomic<bool>> flag) noexcept
        : flag_(std::move(flag)) {}
    AnswerFlagSetter(AnswerFlagSetter&&) noexcept = default;
    AnswerFlagSetter& operator=(AnswerFlagSetter&&) = delete;
    ~AnswerFlagSetter() {
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

FencedExecution fencedExecution(const std::shared_ptr<Connection>& connection, UniqueFd fence,
                                rpc::FencedExecutionCallback::Client client) {
    const auto callback = std::make_shared<FencedCallbackHandle>(connection, kj::mv(client));
    return {.fence = std::move(fence), .callback = [callback](Timing& launched, Timing& fenced) {
                return fencedInfo(*callback, launched, fenced);
            }};
}

/// What the driver has answered to a fenced launch.
struct FencedAnswer {
    Result<UniqueFd> fence = UniqueFd();
    std::optional<rpc::FencedExecutionCallback::Client> callback;
};

/// Receives the fence of a launched execution, which fails when the connection is lost. `end` is
/// dropped when no execution was launched, or at its end. Does not keep the connection.
template <class Response>
kj::Promise<Result<UniqueFd>> receiveFence(DriverLink& link, Response& response,
                                           std::shared_ptr<const AnswerFlagSetter> end) {
    const Result<> status = fromMessage(response.getStatus());
    if (!status) {
        return failureOf<UniqueFd>(status);
    }
    if (!response.hasFence() || !response.hasCallback()) {
        return Result<UniqueFd>(
            failure(ErrorStatus::GENERAL_FAILURE,
                    "the driver launched an execution without giving its fence or callback"));
    }
    return receiveFile(response.getFence())
        .then([&link, end = std::move(end)](Result<UniqueFd>&& received) -> Result<UniqueFd> {
            NNBURST_TRY_ASSIGN(UniqueFd fence, std::move(received));
            if (!system::isEventFd(fence.get())) {
                return failure(ErrorStatus::GENERAL_FAILURE,
                               "the driver gave a fence that is not an eventfd: it could not be "
                               "failed if the connection is lost");
            }
            NNBURST_TRY_ASSIGN(UniqueFd ours, UniqueFd::duplicate(fence.get()));
            link.failOnLoss(std::move(ours), end);
            return fence;
        });
}

}  // namespace

RemotePreparedModel::RemotePreparedModel(std::shared_ptr<Connection> connection,
                                         rpc::PreparedModel::Client client)
    : model_(std::make_shared<RemoteHandle<rpc::PreparedModel>>(std::move(connection),
                                                                kj::mv(client))) {}

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
    burst::UnansweredOutputs::Entry outputs = burst::UnansweredOutputs::entryOf(request);
    burst::AnswerFlag answered;
    const Result<> end =
        executeRemotely(*model_, request, options, model_->connection()->giveUpAt(options.deadline),
                        outcome, answered);
    if (answered != nullptr) {
        const system::MutexLock lock(mutex_);
        unanswered_.add(std::move(outputs), std::move(answered));
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
        return sendDiscardOutputs(model, request, giveUpAt).then([] { return Result<>(); });
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
            return sendDiscardOutputs(model, request, giveUpAt).then([fits] { return fits; });
        }
        auto answer = call.send().then([end, shapes = shapeCountOf(request, *model.connection()),
                                        setter = AnswerFlagSetter(flag)](auto&& response) {
            end->status =
                endFromMessage(response.getStatus(), response.getOutcome(), shapes, end->outcome);
        });
        return model.connection()->waitUntil(giveUpAt, kj::mv(answer)).then([&](bool hasAnswer) {
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
    Connection& connection = *model_->connection();
    const OptionalTimePoint giveUpAt = connection.giveUpAt(options.deadline);
    if (const Result<> checked = checkCallback(callback); !checked) {
        discardOutputs(*model_, request, giveUpAt);
        return checked;
    }
    if (usesMemoryInUse(request)) {
        const Result<> refused = burst::memoryInUse();
        callback(refused, ExecutionOutcome());
        return refused;
    }
    if (const Result<> reserved = connection.reserveCallback(); !reserved) {
        discardOutputs(*model_, request, giveUpAt);
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
            return sendDiscardOutputs(*model_, request, giveUpAt).then([pending, fits] {
                pending->give({.status = fits, .outcome = {}});
                return fits;
            });
        }
        call.setCallback(
            kj::heap<ExecutionCallbackServer>(pending, shapeCountOf(request, connection)));
        return reportLaunch(connection, call.send(), pending, giveUpAt, launchNotAnswered());
    });
}

Result<FencedExecution> RemotePreparedModel::executeFenced(
    const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
    OptionalTimeoutDuration timeoutAfterFence) {
    if (usesMemoryInUse(request)) {
        return burst::memoryInUse();
    }
    const std::shared_ptr<Connection>& connection = model_->connection();
    const OptionalTimePoint giveUpAt = connection->giveUpAt(options.deadline);
    if (Result<> checked = checkFences(waitFor); !checked) {
        discardOutputs(*model_, request, giveUpAt);
        return tl::unexpected<Error>(std::move(checked.error()));
    }
    burst::UnansweredOutputs::Entry outputs = burst::UnansweredOutputs::entryOf(request);
    const auto hasEnded = std::make_shared<std::atomic<bool>>(false);
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
            return sendDiscardOutputs(*model_, request, giveUpAt).then([fits] {
                return Result<FencedExecution>(tl::unexpected<Error>(fits.error()));
            });
        }
        const auto answer = std::make_shared<FencedAnswer>();
        auto received = call.send().then(
            [answer, &link = connection->link(),
             end = std::make_shared<const AnswerFlagSetter>(hasEnded)](auto&& response) {
                answer->callback = response.getCallback();
                return receiveFence(link, response, end).then([answer](Result<UniqueFd>&& fence) {
                    answer->fence = std::move(fence);
                });
            });
        return connection->waitUntil(giveUpAt, kj::mv(received))
            .then([&, answer](bool hasAnswer) -> Result<FencedExecution> {
                if (!hasAnswer) {
                    const system::MutexLock lock(mutex_);
                    unanswered_.add(std::move(outputs), hasEnded);
                    return burst::notAnswered(kDeadlineGrace);
                }
                NNBURST_TRY_ASSIGN(UniqueFd fence, std::move(answer->fence));
                return fencedExecution(connection, std::move(fence), *answer->callback);
            });
    });
}

Result<std::unique_ptr<Burst>> RemotePreparedModel::configureExecutionBurst(
    const BurstOptions& options) {
    return RemoteBurst::create(model_, options);
}

}  // namespace nnburst::device
