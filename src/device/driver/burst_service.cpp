// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/burst_service.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "burst/server.h"
#include "device/driver/run_on_job_thread.h"
#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/kj_conversions.h"
#include "device/rpc/rpc_limits.h"
#include "log/assert.h"
#include "nnburst/device.h"

namespace nnburst::device {

namespace {

/// The driver's end. The client's is charged while the client has its capability.
constexpr std::uint64_t kDescriptorsOfDoorbell = 1;

static_assert(burst::kMaximumSlotsAskedFor <= kMaximumPoolsPerMessage);

/// Asks the client for memory, from the thread that serves the burst.
class RpcDriverControlPlane final : public burst::DriverControlPlane {
  public:
    RpcDriverControlPlane(EventLoop& loop, rpc::BurstCallback::Client callback, SharedPeer peer)
        : loop_(loop),
          account_(peer->account()),
          callback_(ownedByLoop(loop, kj::mv(callback))),
          peer_(ownedByLoop(loop, kj::mv(peer))),
          question_(ownedByLoop(loop, Question())) {}

    /// Ends the burst: no thread waits for the client's answer any more. On the loop's thread.
    void stop() {
        question_->isStopped = true;
        if (question_->answer.get() != nullptr) {
            question_->answer->fulfill(stopped());
        }
    }

    [[nodiscard]] Result<std::vector<SharedRegion>> getMemories(
        std::span<const std::int32_t> slots) override {
        NNBURST_TRY_ASSIGN(const Charge blocked, account_->charge(Resource::BLOCKED_THREADS, 1));
        return loop_.call<std::vector<SharedRegion>>([&]() -> kj::Promise<Memories> {
            if (question_->isStopped) {
                return stopped();
            }
            auto pair = kj::newPromiseAndFulfiller<Memories>();
            question_->answer = kj::mv(pair.fulfiller);
            auto call = callback_->getMemoriesRequest();
            auto message = call.initSlots(static_cast<unsigned>(slots.size()));
            for (unsigned i = 0; i < message.size(); ++i) {
                message.set(i, slots[i]);
            }
            auto memories = call.send().then(
                [peer = *peer_](auto&& response) -> kj::Promise<Result<std::vector<SharedRegion>>> {
                    if (const Result<> status = fromMessage(response.getStatus()); !status) {
                        return failureOf<std::vector<SharedRegion>>(status);
                    }
                    auto received = receiveRegions(response.getMemories(), peer);
                    return received.attach(kj::mv(response));
                });
            return memories.exclusiveJoin(kj::mv(pair.promise))
                .exclusiveJoin(loop_.timer()
                                   .afterDelay(toKj(kHangTimeout))
                                   .then([]() -> Result<std::vector<SharedRegion>> {
                                       return failure(
                                           ErrorStatus::GENERAL_FAILURE,
                                           fmt::format("getMemories: no answer from the client "
                                                       "within {} ms",
                                                       kHangTimeout.count()));
                                   }));
        });
    }

  private:
    using Memories = Result<std::vector<SharedRegion>>;

    /// The last request to the client. Used on the loop's thread only.
    struct Question {
        kj::Own<kj::PromiseFulfiller<Memories>> answer;
        bool isStopped = false;
    };

    static Memories stopped() {
        return failure(ErrorStatus::GENERAL_FAILURE, "the client has dropped the burst");
    }

    EventLoop& loop_;
    const SharedAccount account_;
    const std::shared_ptr<rpc::BurstCallback::Client> callback_;
    const std::shared_ptr<SharedPeer> peer_;
    const std::shared_ptr<Question> question_;
};

class BurstService final : public rpc::Burst::Server {
  public:
    BurstService(SharedClientContext client, std::shared_ptr<RpcDriverControlPlane> controlPlane,
                 std::shared_ptr<burst::Server> server)
        : client_(std::move(client)),
          controlPlane_(std::move(controlPlane)),
          server_(std::move(server)),
          stoppable_(client_->work, [this](WorkTracker::Token token) { end(std::move(token)); }) {
        NNBURST_ASSERT(server_ != nullptr, "a burst without a server");
    }

    /// The client is gone or has dropped the burst.
    ~BurstService() noexcept { end(nullptr); }

  protected:
    kj::Promise<void> freeMemory(FreeMemoryContext context) override {
        if (server_) {
            server_->freeMemory(context.getParams().getSlot());
        }
        return kj::READY_NOW;
    }

  private:
    /// Nothing is served after the execution that is running; `token` is released when it has
    /// ended. Its thread may be asking this loop for memory: a job thread waits for it.
    void end(WorkTracker::Token token) {
        if (server_) {
            server_->stop();
            controlPlane_->stop();
            client_->scheduler->submit(
                [server = std::move(server_), token = std::move(token)]() mutable {
                    server = nullptr;
                    token = nullptr;
                });
        }
    }

    const SharedClientContext client_;
    const std::shared_ptr<RpcDriverControlPlane> controlPlane_;
    std::shared_ptr<burst::Server> server_;  // shared, because a job has to be copyable
    const WorkTracker::Stoppable stoppable_;
};

}  // namespace

Result<ServedBurst> serveBurst(SharedClientContext client, SharedRegion channel,
                               exec::Executable executable, rpc::BurstCallback::Client callback,
                               const WaitPolicy& wait) {
    if (!channel) {
        return failure(ErrorStatus::INVALID_ARGUMENT, "configureExecutionBurst without a channel");
    }
    const SharedAccount& account = client->peer->account();
    NNBURST_TRY_ASSIGN(Charge burst, account->charge(Resource::BURSTS, 1));
    NNBURST_TRY_ASSIGN(Charge doorbell,
                       account->charge(Resource::DESCRIPTORS, kDescriptorsOfDoorbell));
    NNBURST_TRY_ASSIGN(Charge clientsDoorbell, account->charge(Resource::DESCRIPTORS, 1));
    const auto controlPlane =
        std::make_shared<RpcDriverControlPlane>(client->loop, kj::mv(callback), client->peer);
    NNBURST_TRY_ASSIGN(
        auto created, burst::Server::create(std::move(channel), std::move(executable), controlPlane,
                                            wait, client->servingThreads));
    const UniqueFd clientsEnd = created->takeDoorbell();
    auto server =
        chargedFor(chargedFor(std::shared_ptr<burst::Server>(std::move(created)), std::move(burst)),
                   std::move(doorbell));
    // Made before anything can fail: a thread may serve the burst already and ask this loop for
    // memory, so the loop must not wait for the burst's end.
    auto service = kj::heap<BurstService>(std::move(client), controlPlane, std::move(server));
    NNBURST_TRY_ASSIGN(rpc::File::Client file,
                       fileToMessage(clientsEnd.get(), std::move(clientsDoorbell)));
    return ServedBurst{.burst = kj::mv(service), .doorbell = kj::mv(file)};
}

}  // namespace nnburst::device
