// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Callbacks come once: each side is looked at without the other, which would hide a second call.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>

#include "device/client/connection.h"
#include "device/client/pending_callback.h"
#include "device/rpc/conversion.h"
#include "device/rpc/unix_socket.h"
#include "driver_process.h"

namespace nnburst::device {
namespace {

using test::DriverProcess;
using test::eventually;

/// What a callback of a client was called with.
struct Calls {
    std::atomic<int> count{0};
    std::atomic<ErrorStatus> status{ErrorStatus::NONE};

    void add(const Result<>& result) {
        status = result ? ErrorStatus::NONE : result.error().status;
        ++count;
    }
};

class CallbackCountTest : public testing::Test {
  protected:
    CallbackCountTest() {
        auto opened = Connection::open(std::move(*connectUnixSocket(driver.socketPath())),
                                       "the driver of a test", nullptr);
        EXPECT_TRUE(opened) << opened.error().message;
        connection = std::move(*opened);
    }

    /// Waits for the first call, and then long enough for a second one.
    void expectOneCall(const Calls& calls, ErrorStatus status) {
        EXPECT_TRUE(eventually([&] { return calls.count > 0; }));
        for (int i = 0; i < 10; ++i) {
            EXPECT_TRUE(connection->ping());
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_EQ(calls.count, 1);
        EXPECT_EQ(calls.status, status);
    }

    DriverProcess driver;
    std::shared_ptr<Connection> connection;
};

TEST_F(CallbackCountTest, aClientIgnoresTheSecondAnswerOfADriver) {
    Calls calls;
    ASSERT_TRUE(connection->reserveCallback());
    const auto pending = std::make_shared<PendingCallback<Result<>>>(
        connection, [&](const Result<>& result) { calls.add(result); });
    connection->post([pending] {
        pending->give({});
        pending->give(failure(ErrorStatus::GENERAL_FAILURE, "once more"));
    });
    expectOneCall(calls, ErrorStatus::NONE);
}

TEST_F(CallbackCountTest, aClientIsToldOfADriverThatDoesNotAnswer) {
    Calls calls;
    ASSERT_TRUE(connection->reserveCallback());
    {
        const PendingCallback<Result<>> pending(connection,
                                                [&](const Result<>& result) { calls.add(result); });
    }
    expectOneCall(calls, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(CallbackCountTest, aCallbackThatHasThrownIsNotOutstanding) {
    for (std::size_t i = 0; i < Connection::kMaximumPendingCallbacks; ++i) {
        ASSERT_TRUE(connection->reserveCallback());
        Connection::deliver(connection, [] { throw std::runtime_error("a callback of a test"); });
    }
    EXPECT_TRUE(eventually([&] { return connection->reserveCallback().has_value(); }));
}

/// What a driver calls with a prepared model.
class PrepareCallback final : public rpc::PreparedModelCallback::Server {
  public:
    PrepareCallback(Calls& calls, std::optional<rpc::PreparedModel::Client>& prepared)
        : calls_(calls), prepared_(prepared) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        const auto params = context.getParams();
        if (params.hasPreparedModel()) {
            prepared_ = context.getParams().getPreparedModel();
        }
        calls_.add(fromMessage(params.getStatus()));
        return kj::READY_NOW;
    }

  private:
    Calls& calls_;
    std::optional<rpc::PreparedModel::Client>& prepared_;
};

class ExecuteCallback final : public rpc::ExecutionCallback::Server {
  public:
    explicit ExecuteCallback(Calls& calls) : calls_(calls) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        calls_.add(fromMessage(context.getParams().getStatus()));
        return kj::READY_NOW;
    }

  private:
    Calls& calls_;
};

/// A client that counts the calls of a real driver.
class DriverCallbackCountTest : public CallbackCountTest {
  protected:
    ~DriverCallbackCountTest() override {
        // A capability ends on the loop's thread.
        (void)connection->call<void>([this]() -> kj::Promise<Result<>> {
            prepared = std::nullopt;
            return Result<>();
        });
    }

    Result<> prepare(const Model& model, Calls& calls, bool isFromCache = false) {
        return connection->call<void>([&]() -> kj::Promise<Result<>> {
            auto& device = connection->device();
            const auto status = [](auto&& response) { return fromMessage(response.getStatus()); };
            if (isFromCache) {
                auto request = device.prepareModelFromCacheRequest();
                toMessage(PrepareOptions(), request.initOptions());
                request.setCallback(kj::heap<PrepareCallback>(calls, prepared));
                return request.send().then(status);
            }
            auto request = device.prepareModelRequest();
            const Result<> built = toMessage(model, *shareMemory(model), request.initModel());
            if (!built) {
                return built;
            }
            toMessage(PrepareOptions(), request.initOptions());
            request.setCallback(kj::heap<PrepareCallback>(calls, prepared));
            return request.send().then(status);
        });
    }

    Result<> execute(const Request& request, Calls& calls, const ExecutionOptions& options = {}) {
        return connection->call<void>([&]() -> kj::Promise<Result<>> {
            auto call = prepared->executeRequest();
            const Result<> built = toMessage(request, call.initRequest());
            if (!built) {
                return built;
            }
            toMessage(options, call.initOptions());
            call.setCallback(kj::heap<ExecuteCallback>(calls));
            return call.send().then(
                [](auto&& response) { return fromMessage(response.getStatus()); });
        });
    }

    std::optional<rpc::PreparedModel::Client> prepared;  // used by the loop's thread
};

TEST_F(DriverCallbackCountTest, aPreparationCallsBackOnce) {
    Calls calls;
    EXPECT_TRUE(prepare(test::makeAddModel(), calls));
    expectOneCall(calls, ErrorStatus::NONE);
}

TEST_F(DriverCallbackCountTest, aPreparationThatIsRefusedCallsBackOnce) {
    Model model = test::makeAddModel();
    model.main.operations[0].inputs[0] = 99;
    Calls calls;
    EXPECT_FALSE(prepare(model, calls));
    expectOneCall(calls, ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(DriverCallbackCountTest, aPreparationOfWhatIsNoModelCallsBackOnce) {
    Model model = test::makeAddModel();
    model.main.operands[0].dimensions.resize(100'000);  // no message may have so many
    Calls calls;
    EXPECT_FALSE(prepare(model, calls));
    expectOneCall(calls, ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(DriverCallbackCountTest, aPreparationFromNoCacheCallsBackOnce) {
    Calls calls;
    EXPECT_FALSE(prepare({}, calls, true));
    expectOneCall(calls, ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(DriverCallbackCountTest, anExecutionCallsBackOnceWhetherItIsRefusedOrNot) {
    Calls preparation;
    ASSERT_TRUE(prepare(test::makeAddModel(), preparation));
    ASSERT_TRUE(eventually([&] { return preparation.count > 0; }));
    test::AddRequest add;
    Calls good;
    EXPECT_TRUE(execute(add.request, good));
    expectOneCall(good, ErrorStatus::NONE);
    Calls invalid;
    EXPECT_FALSE(execute(add.request, invalid, {.measure = static_cast<MeasureTiming>(7)}));
    expectOneCall(invalid, ErrorStatus::INVALID_ARGUMENT);
    add.request.outputs.clear();
    Calls refused;
    EXPECT_FALSE(execute(add.request, refused));
    expectOneCall(refused, ErrorStatus::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace nnburst::device
