// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/remote_burst.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/message_lists.h"
#include "device/rpc/rpc_limits.h"

namespace nnburst::device {

namespace {

using BurstHandle = std::shared_ptr<RemoteHandle<rpc::Burst>>;

/// Answers the driver's requests for the memory of slots.
class BurstCallbackServer final : public rpc::BurstCallback::Server {
  public:
    /// Limit on the regions of answers that the driver has not released. One of this library
    /// releases an answer before it asks again.
    static constexpr std::size_t kMaximumHeldRegions = 4 * kMaximumPoolsPerMessage;

    explicit BurstCallbackServer(std::weak_ptr<burst::Controller> controller) noexcept
        : controller_(std::move(controller)) {}

  protected:
    kj::Promise<void> getMemories(GetMemoriesContext context) override {
        const auto slots = context.getParams().getSlots();
        const Result<> allowed = checkSlots(slots.size());
        const auto controller = controller_.lock();
        toMessage(allowed, context.getResults().initStatus());
        if (!allowed || !controller) {
            return kj::READY_NOW;
        }
        const std::vector<SharedRegion> regions =
            controller->getMemories(numbersFromMessage<std::int32_t>(slots));
        auto memories = context.getResults().initMemories(static_cast<unsigned>(regions.size()));
        for (unsigned i = 0; i < memories.size(); ++i) {
            toMessage(held(regions[i]), memories[i]);
        }
        return kj::READY_NOW;
    }

  private:
    struct Held {};

    [[nodiscard]] Result<> checkSlots(std::size_t count) const {
        NNBURST_TRY(checkCount(count, kMaximumPoolsPerMessage, "slots"));
        const auto heldCount = static_cast<std::size_t>(held_.use_count() - 1);
        if (heldCount + count > kMaximumHeldRegions) {
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                fmt::format("getMemories of {} slots while {} regions of earlier answers are not "
                            "released: must be at most {} together",
                            count, heldCount, kMaximumHeldRegions));
        }
        return {};
    }

    /// `region`, which counts as held until the driver has released it.
    [[nodiscard]] SharedRegion held(const SharedRegion& region) const {
        using Parts = std::pair<SharedRegion, std::shared_ptr<const Held>>;
        return {std::make_shared<const Parts>(region, held_), region.get()};
    }

    std::weak_ptr<burst::Controller> controller_;
    const std::shared_ptr<const Held> held_ = std::make_shared<Held>();  // copied on this thread
};

/// The calls of the controller to the driver beside the queues.
class RemoteControlPlane final : public burst::ClientControlPlane {
  public:
    RemoteControlPlane(PreparedModelHandle model, BurstHandle burst) noexcept
        : model_(std::move(model)), burst_(std::move(burst)) {}

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                const OptionalTimePoint& giveUpAt,
                                                ExecutionOutcome& outcome,
                                                burst::AnswerFlag& answered) override {
        return executeRemotely(*model_, request, options, giveUpAt, outcome, answered);
    }

    void discardOutputs(const Request& request, const OptionalTimePoint& giveUpAt) override {
        device::discardOutputs(*model_, request, giveUpAt);
    }

    void freeMemory(std::int32_t slot, std::function<void()> forgotten) override {
        // The handle drops its client on the event loop's thread, after this job. The job does not
        // keep the handle, and with it the connection, which must not end on that thread.
        burst_->connection()->send([client = &burst_->client(), slot,
                                    forgotten = std::move(forgotten)]() mutable {
            auto call = client->freeMemoryRequest();
            call.setSlot(slot);
            return call.send().then([forgotten = std::move(forgotten)](auto&&) { forgotten(); });
        });
    }

    [[nodiscard]] Result<> checkAlive() override { return model_->connection()->ping(); }

  private:
    PreparedModelHandle model_;
    BurstHandle burst_;
};

}  // namespace

RemoteBurst::RemoteBurst(std::shared_ptr<burst::Controller> controller) noexcept
    : controller_(std::move(controller)) {}

Result<std::unique_ptr<Burst>> RemoteBurst::create(const PreparedModelHandle& model,
                                                   const BurstOptions& options) {
    const std::shared_ptr<Connection>& connection = model->connection();
    NNBURST_TRY_ASSIGN(const std::shared_ptr<burst::Controller> controller,
                       burst::Controller::create(options, connection->halVersion()));
    burst::BurstSetup setup;
    NNBURST_TRY_ASSIGN(const BurstHandle burst, connection->call<BurstHandle>([&] {
        auto call = model->client().configureExecutionBurstRequest();
        toMessage(controller->channel(), call.initChannel());
        call.setCallback(kj::heap<BurstCallbackServer>(controller));
        toMessage(options.driverWait, call.initDriverWait());
        return call.send().then([&](auto&& response) -> kj::Promise<Result<BurstHandle>> {
            const Result<> status = fromMessage(response.getStatus());
            if (!status) {
                return failureOf<BurstHandle>(status);
            }
            if (!response.hasBurst() || !response.hasDoorbell()) {
                return Result<BurstHandle>(
                    failure(ErrorStatus::GENERAL_FAILURE,
                            "the driver accepted a burst without giving it or its doorbell"));
            }
            connection->notifyOfLoss(controller);
            setup.ringsBack = response.getRingsBack();
            setup.kernelThreads = response.getKernelThreads();
            const auto handle =
                std::make_shared<RemoteHandle<rpc::Burst>>(connection, response.getBurst());
            return receiveFile(response.getDoorbell())
                .then([&setup, handle](Result<UniqueFd>&& doorbell) -> Result<BurstHandle> {
                    NNBURST_TRY_ASSIGN(setup.doorbell, std::move(doorbell));
                    return handle;
                });
        });
    }));
    controller->attach(std::make_shared<RemoteControlPlane>(model, burst), std::move(setup));
    return std::unique_ptr<Burst>(new RemoteBurst(controller));
}

Result<> RemoteBurst::execute(const Request& request, const ExecutionOptions& options,
                              ExecutionOutcome& outcome) {
    return controller_->execute(request, options, outcome);
}

Result<std::unique_ptr<ReusableExecution>> RemoteBurst::createReusableExecution(
    const Request& request, const ExecutionOptions& options) {
    return controller_->createReusableExecution(request, options);
}

Result<Submission> RemoteBurst::submit(const Request& request, const ExecutionOptions& options) {
    return controller_->submit(request, options);
}

Result<> RemoteBurst::wait(Submission submission, ExecutionOutcome& outcome) {
    return controller_->wait(submission, outcome);
}

Result<int> RemoteBurst::completionDescriptor() {
    return controller_->completionDescriptor();
}

Result<bool> RemoteBurst::armCompletion() {
    return controller_->armCompletion();
}

bool RemoteBurst::isDone(Submission submission) {
    return controller_->isDone(submission);
}

bool RemoteBurst::isMemoryInUse() {
    return controller_->isMemoryInUse();
}

Result<> RemoteBurst::waitForMemory(const OptionalTimePoint& deadline) {
    return controller_->waitForMemory(deadline);
}

void RemoteBurst::freeMemory(const SharedRegion& region) {
    controller_->freeMemory(region);
}

BurstWaitStats RemoteBurst::waitStats() const {
    return controller_->waitStats();
}

}  // namespace nnburst::device
