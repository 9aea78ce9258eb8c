// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Executions outside bursts that the driver does not answer.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/timerfd.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "device/client/connection.h"
#include "device/client/remote_prepared_model.h"
#include "device/devices.h"
#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/unix_socket.h"
#include "driver_process.h"
#include "hal_models.h"
#include "nnburst/fence.h"

namespace nnburst::device {
namespace {

using namespace std::chrono_literals;
using test::DriverProcess;
using test::eventually;

OptionalTimePoint soon() {
    return TimePoint(std::chrono::steady_clock::now() + 2ms);
}

/// A prepared model that answers no execution before it is told to. Lives on the event loop's
/// thread of the client.
class SilentModel final : public rpc::PreparedModel::Server {
  public:
    void answer() {
        for (auto& fulfiller : std::exchange(held_, {})) {
            fulfiller->fulfill();
        }
    }
    /// Answers the next fenced launches at once, with this fence.
    void giveFence(rpc::File::Client fence) { fence_ = kj::mv(fence); }

  protected:
    kj::Promise<void> executeSynchronously(ExecuteSynchronouslyContext context) override {
        return whenTold().then([context]() mutable {
            auto results = context.getResults();
            toMessage(Result<>(), results.initStatus());
            toMessage(outcome(), results.initOutcome());
        });
    }
    kj::Promise<void> execute(ExecuteContext context) override {
        return whenTold().then([context]() mutable {
            toMessage(Result<>(), context.getResults().initStatus());
            auto call = context.getParams().getCallback().notifyRequest();
            toMessage(Result<>(), call.initStatus());
            toMessage(outcome(), call.initOutcome());
            return call.send().ignoreResult();
        });
    }
    kj::Promise<void> executeFenced(ExecuteFencedContext context) override {
        auto launched = fence_ ? kj::Promise<void>(kj::READY_NOW) : whenTold();
        return launched.then([this, context]() mutable {
            auto results = context.getResults();
            toMessage(Result<>(), results.initStatus());
            results.setCallback(KJ_EXCEPTION(FAILED, "nobody asks how it ended"));
            results.setFence(*fence_);
        });
    }
    kj::Promise<void> discardOutputs(DiscardOutputsContext /*context*/) override {
        return kj::NEVER_DONE;
    }

  private:
    static ExecutionOutcome outcome() {
        return {.outputShapes = {{.dimensions = {4}, .isSufficient = true}}, .timing = {}};
    }
    kj::Promise<void> whenTold() {
        auto pair = kj::newPromiseAndFulfiller<void>();
        held_.push_back(kj::mv(pair.fulfiller));
        return kj::mv(pair.promise);
    }

    std::vector<kj::Own<kj::PromiseFulfiller<void>>> held_;
    std::optional<rpc::File::Client> fence_;
};

class UnansweredExecutionTest : public testing::Test {
  protected:
    UnansweredExecutionTest() {
        auto opened = Connection::open(std::move(*connectUnixSocket(driver.socketPath())),
                                       "the driver of a test", nullptr);
        EXPECT_TRUE(opened) << opened.error().message;
        connection_ = std::move(*opened);
        onLoop([this] {
            auto server = kj::heap<SilentModel>();
            server_ = server.get();
            model = std::make_unique<RemotePreparedModel>(connection_, kj::mv(server));
        });
    }

    void answer() {
        onLoop([this] { server_->answer(); });
    }
    void giveFence(int fence) {
        onLoop([&] { server_->giveFence(*fileToMessage(fence)); });
    }
    void promiseFence() {
        onLoop([this] { server_->giveFence(kj::Promise<rpc::File::Client>(kj::NEVER_DONE)); });
    }

    /// The launch of a fenced execution ends with `status`.
    void expectFencedLaunch(ErrorStatus status) {
        const auto launched = model->executeFenced(add.request, {}, {.deadline = soon()}, {});
        ASSERT_FALSE(launched);
        EXPECT_EQ(launched.error().status, status) << launched.error().message;
    }

    DriverProcess driver;
    std::unique_ptr<RemotePreparedModel> model;
    test::AddRequest add;
    ExecutionOutcome outcome;

  private:
    void onLoop(const std::function<void()>& job) {
        EXPECT_TRUE(connection_->call<void>([&]() -> kj::Promise<Result<>> {
            job();
            return Result<>();
        }));
    }

    std::shared_ptr<Connection> connection_;
    SilentModel* server_ = nullptr;
};

TEST_F(UnansweredExecutionTest, isGivenUpAndKeepsItsMemoryUntilItIsAnswered) {
    const Result<> result = model->executeSynchronously(add.request, {.deadline = soon()}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << result.error().message;
    EXPECT_TRUE(model->isMemoryInUse());

    const Result<> refused = model->executeSynchronously(add.request, {}, outcome);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    const Result<> waited = model->waitForMemory(soon());
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);

    answer();
    EXPECT_TRUE(model->waitForMemory(TimePoint(std::chrono::steady_clock::now() + 20s)));
    EXPECT_FALSE(model->isMemoryInUse());
}

TEST_F(UnansweredExecutionTest, keepsItsMemoryFromAsynchronousAndFencedExecutions) {
    ASSERT_FALSE(model->executeSynchronously(add.request, {.deadline = soon()}, outcome));
    ErrorStatus end = ErrorStatus::NONE;
    const Result<> launched = model->execute(
        add.request, {}, [&](const Result<>& status, const ExecutionOutcome& /*outcome*/) {
            end = status ? ErrorStatus::NONE : status.error().status;
        });
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(end, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT) << "called back";
    const auto fenced = model->executeFenced(add.request, {}, {}, {});
    ASSERT_FALSE(fenced);
    EXPECT_EQ(fenced.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    answer();
}

TEST_F(UnansweredExecutionTest, isNotLaunchedWithoutAnAnswerAndCallsBackOnceWhenItHasEnded) {
    std::atomic<int> calls{0};
    const Result<> launched = model->execute(
        add.request, {.deadline = soon()},
        [&](const Result<>& /*status*/, const ExecutionOutcome& /*outcome*/) { ++calls; });
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << launched.error().message;
    EXPECT_EQ(calls, 0) << "it may still write its outputs";
    answer();
    EXPECT_TRUE(eventually([&] { return calls == 1; }));
}

TEST_F(UnansweredExecutionTest, keepsItsMemoryUntilTheFenceOfALateLaunchIsSignalled) {
    expectFencedLaunch(ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE(model->isMemoryInUse());
    const UniqueFd fence = std::move(*makeFence());
    giveFence(fence.get());
    answer();
    EXPECT_FALSE(model->waitForMemory(soon()));

    signalFence(fence.get());
    EXPECT_TRUE(model->waitForMemory(TimePoint(std::chrono::steady_clock::now() + 20s)));
}

TEST_F(UnansweredExecutionTest, givesItsMemoryBackAtTheFenceOfALateLaunchWhileAnotherIsAwaited) {
    expectFencedLaunch(ErrorStatus::DEVICE_UNAVAILABLE);
    const UniqueFd fence = std::move(*makeFence());
    giveFence(fence.get());
    answer();
    const test::AddRequest other;
    std::atomic<bool> hasEnded{false};
    EXPECT_FALSE(model->execute(
        other.request, {.deadline = soon()},
        [&](const Result<>& /*status*/, const ExecutionOutcome& /*outcome*/) { hasEnded = true; }));

    signalFence(fence.get());
    EXPECT_TRUE(model->waitForMemory(TimePoint(std::chrono::steady_clock::now() + 20s)));
    EXPECT_FALSE(hasEnded);
    answer();
    EXPECT_TRUE(eventually([&] { return hasEnded.load(); }));
}

TEST_F(UnansweredExecutionTest, isGivenUpIfItsFenceStaysAPromise) {
    promiseFence();
    expectFencedLaunch(ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE(model->isMemoryInUse());
}

TEST_F(UnansweredExecutionTest, isRefusedAFenceThatCouldNotBeFailed) {
    giveFence(UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)).get());
    expectFencedLaunch(ErrorStatus::GENERAL_FAILURE);
}

TEST_F(UnansweredExecutionTest, leavesOtherMemoryAlone) {
    ASSERT_FALSE(model->executeSynchronously(add.request, {.deadline = soon()}, outcome));
    test::AddRequest other;
    const Result<> result =
        model->executeSynchronously(other.request, {.deadline = soon()}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << "it was sent";
}

TEST_F(UnansweredExecutionTest, keepsNoMemoryOnceTheDriverIsTakenForGone) {
    ASSERT_FALSE(model->executeSynchronously(add.request, {.deadline = soon()}, outcome));
    driver.signal(SIGSTOP);
    EXPECT_TRUE(model->waitForMemory({}));
    driver.signal(SIGCONT);
    EXPECT_FALSE(model->isMemoryInUse());
}

TEST_F(UnansweredExecutionTest, endsThoughTheDriverDoesNotHearOfARefusedRequest) {
    add.request.pools.resize(200, add.request.pools[0]);  // no message may have so many
    add.request.pools.emplace_back(BufferToken{1});
    add.request.outputs[0].location = {.poolIndex = 200};
    const Result<> result = model->executeSynchronously(add.request, {.deadline = soon()}, outcome);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT)
        << result.error().message;
}

TEST(Execution, callsBackWhenTheDriverIsTakenForGone) {
    const DriverProcess driver;
    const auto prepared = prepareModel(*driver.connect(), test::makeEndlessModel());
    ASSERT_TRUE(prepared);
    test::SmallRequest request;
    request.input<float>({1.0F}, {1}).output(4, {1});
    std::atomic<ErrorStatus> status{ErrorStatus::NONE};
    ASSERT_TRUE((*prepared)->execute(request.request, {.loopTimeout = 15s},
                                     [&](const Result<>& end, const ExecutionOutcome&) {
                                         status = end ? ErrorStatus::NONE : end.error().status;
                                     }));
    driver.signal(SIGSTOP);
    EXPECT_TRUE(eventually([&] { return status == ErrorStatus::DEVICE_UNAVAILABLE; }));
    driver.signal(SIGCONT);
}

/// An execution that waits for a fence that is never signalled.
struct EndlessFencedExecution : ::testing::Test {
    void SetUp() override {
        const auto prepared = prepareModel(*driver.connect(), test::makeAddModel());
        ASSERT_TRUE(prepared) << prepared.error().message;
        auto launched = (*prepared)->executeFenced(add.request, std::array{never.get()}, {}, {});
        ASSERT_TRUE(launched) << launched.error().message;
        execution = std::move(*launched);
    }

    const DriverProcess driver;
    const test::AddRequest add;
    const UniqueFd never = std::move(*makeFence());
    FencedExecution execution;
};

TEST_F(EndlessFencedExecution, failsWhenTheDriverIsTakenForGone) {
    driver.signal(SIGSTOP);
    EXPECT_TRUE(
        eventually([&] { return fenceState(execution.fence.get()) == FenceState::FAILED; }));
    driver.signal(SIGCONT);
}

TEST_F(EndlessFencedExecution, failsWithTheDriverAlsoIfNoDescriptorWasFreeToLookAtItsFence) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{.rlim_cur = 1, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    std::this_thread::sleep_for(2500ms);  // the link looks at its fences once a second
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    driver.signal(SIGKILL);
    EXPECT_TRUE(
        eventually([&] { return fenceState(execution.fence.get()) == FenceState::FAILED; }));
}

}  // namespace
}  // namespace nnburst::device
