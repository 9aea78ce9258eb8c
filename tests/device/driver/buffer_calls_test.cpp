// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// What a driver does with buffers and memory by itself: the calls are made without the client of
/// this library, which refuses wrong ones first and repeats what the driver has to do.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "device/client/connection.h"
#include "device/driver_process.h"
#include "device/rpc/conversion.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/unix_socket.h"
#include "nnburst/validation.h"

namespace nnburst::device {
namespace {

using test::DriverProcess;
using test::eventually;

constexpr std::uint64_t kBytes = 16;  // of an operand of makeAddModel()

SharedRegion regionOf(const std::array<float, 4>& values) {
    SharedRegion region = *Region::create(kBytes);
    EXPECT_TRUE(region->write(0, std::as_bytes(std::span(values))));
    return region;
}

class PreparedCallback final : public rpc::PreparedModelCallback::Server {
  public:
    PreparedCallback(std::optional<rpc::PreparedModel::Client>& prepared, std::atomic<bool>& done)
        : prepared_(prepared), done_(done) {}

  protected:
    kj::Promise<void> notify(NotifyContext context) override {
        prepared_ = context.getParams().getPreparedModel();
        done_ = true;
        return kj::READY_NOW;
    }

  private:
    std::optional<rpc::PreparedModel::Client>& prepared_;
    std::atomic<bool>& done_;
};

class ClientsModel final : public rpc::PreparedModel::Server {};

/// A driver with makeAddModel() and a buffer for its output.
class BufferCallsTest : public testing::Test {
  protected:
    void SetUp() override {
        auto opened = Connection::open(std::move(*connectUnixSocket(driver_.socketPath())),
                                       "the driver of a test", nullptr);
        ASSERT_TRUE(opened) << opened.error().message;
        connection_ = std::move(*opened);
        std::atomic<bool> isPrepared{false};
        ASSERT_TRUE(connection_->call<void>([&]() -> kj::Promise<Result<>> {
            auto request = connection_->device().prepareModelRequest();
            const Model model = test::makeAddModel();
            EXPECT_TRUE(toMessage(model, *shareMemory(model), request.initModel()));
            toMessage(PrepareOptions(), request.initOptions());
            request.setCallback(kj::heap<PreparedCallback>(prepared_, isPrepared));
            return request.send().then(
                [](auto&& response) { return fromMessage(response.getStatus()); });
        }));
        ASSERT_TRUE(eventually([&] { return isPrepared.load(); }));
        ASSERT_TRUE(allocate());
    }

    void TearDown() override {
        if (connection_ != nullptr) {  // capabilities end on the loop's thread
            EXPECT_TRUE(connection_->call<void>([this]() -> kj::Promise<Result<>> {
                prepared_ = std::nullopt;
                buffer_ = std::nullopt;
                return Result<>();
            }));
        }
    }

    Result<> copyFrom(const SharedRegion& source, std::uint64_t announcedBytes = kBytes,
                      unsigned dimensionCount = 1) {
        return connection_->call<void>([&]() -> kj::Promise<Result<>> {
            auto request = buffer_->copyFromRequest();
            toMessage(source, request.initSource());
            request.getSource().setSizeBytes(announcedBytes);
            auto dimensions = request.initDimensions(dimensionCount);
            dimensions.set(0, 4);
            for (unsigned i = 1; i < dimensionCount; ++i) {
                dimensions.set(i, 1);
            }
            return request.send().then(
                [](auto&& response) { return fromMessage(response.getStatus()); });
        });
    }

    /// Whether the buffer has contents.
    bool isFull() {
        const Result<> copied = connection_->call<void>([&]() -> kj::Promise<Result<>> {
            auto request = buffer_->copyToRequest();
            toMessage(*Region::create(kBytes), request.initDestination());
            return request.send().then(
                [](auto&& response) { return fromMessage(response.getStatus()); });
        });
        EXPECT_TRUE(copied || copied.error().status == ErrorStatus::GENERAL_FAILURE)
            << copied.error().message;
        return static_cast<bool>(copied);
    }

    /// A request whose output is the whole buffer.
    [[nodiscard]] Request intoBuffer(const test::AddRequest& add) const {
        Request request = add.request;
        request.pools.emplace_back(token_);
        request.outputs = {RequestArgument{.location = {.poolIndex = 1}}};
        return request;
    }

    /// `sizeOfPool` is what the message says about pool 0.
    Result<> executeFenced(const Request& request, std::uint64_t sizeOfPool) {
        return connection_->call<void>([&]() -> kj::Promise<Result<>> {
            auto call = prepared_->executeFencedRequest();
            EXPECT_TRUE(toMessage(request, call.initRequest()));
            call.getRequest().getPools()[0].getMemory().setSizeBytes(sizeOfPool);
            toMessage(ExecutionOptions(), call.initOptions());
            return call.send().then(
                [](auto&& response) { return fromMessage(response.getStatus()); });
        });
    }

    Result<> execute(const Request& request, const ExecutionOptions& options = {}) {
        return connection_->call<void>([&]() -> kj::Promise<Result<>> {
            auto call = prepared_->executeSynchronouslyRequest();
            EXPECT_TRUE(toMessage(request, call.initRequest()));
            toMessage(options, call.initOptions());
            return call.send().then(
                [](auto&& response) { return fromMessage(response.getStatus()); });
        });
    }

    enum class NoModel : std::uint8_t { NOTHING, ANOTHER_OBJECT, OBJECT_OF_THE_CLIENT };

    /// Asks for a buffer of something that is not a prepared model of the driver.
    Result<> allocateFor(NoModel what) {
        return connection_->call<void>([&]() -> kj::Promise<Result<>> {
            auto request = connection_->device().allocateRequest();
            auto models = request.initPreparedModels(1);
            if (what == NoModel::ANOTHER_OBJECT) {
                models.set(0, connection_->device().castAs<rpc::PreparedModel>());
            } else if (what == NoModel::OBJECT_OF_THE_CLIENT) {
                models.set(0, kj::heap<ClientsModel>());
            }
            request.initOutputRoles(1)[0].setFrequency(1.0F);
            return request.send().then(
                [](auto&& response) { return fromMessage(response.getStatus()); });
        });
    }

    Result<> configureBurstWithoutChannel() {
        return connection_->call<void>([&]() -> kj::Promise<Result<>> {
            return prepared_->configureExecutionBurstRequest().send().then(
                [](auto&& response) { return fromMessage(response.getStatus()); });
        });
    }

    static constexpr ExecutionOptions kUnknownMeasure{.measure = static_cast<MeasureTiming>(7)};

  private:
    Result<> allocate() {
        return connection_->call<void>([&]() -> kj::Promise<Result<>> {
            auto request = connection_->device().allocateRequest();
            request.initPreparedModels(1).set(0, *prepared_);
            request.initOutputRoles(1)[0].setFrequency(1.0F);
            return request.send().then([this](auto&& response) {
                buffer_ = response.getBuffer();
                token_ = BufferToken{response.getToken()};
                return fromMessage(response.getStatus());
            });
        });
    }

    DriverProcess driver_;
    std::shared_ptr<Connection> connection_;
    std::optional<rpc::PreparedModel::Client> prepared_;  // used by the loop's thread
    std::optional<rpc::Buffer::Client> buffer_;           // as prepared_
    BufferToken token_{};
};

TEST_F(BufferCallsTest, aCopyWhoseMemoryIsRefusedLeavesNoContents) {
    ASSERT_TRUE(copyFrom(regionOf({1, 2, 3, 4})));
    ASSERT_TRUE(isFull());
    EXPECT_FALSE(copyFrom(regionOf({5, 6, 7, 8}), 2 * kBytes));
    EXPECT_FALSE(isFull());
}

TEST_F(BufferCallsTest, aCopyWithTooManyDimensionsLeavesNoContents) {
    ASSERT_TRUE(copyFrom(regionOf({1, 2, 3, 4})));
    const Result<> copied = copyFrom(regionOf({5, 6, 7, 8}), kBytes, kMaximumDimensions + 1);
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().status, ErrorStatus::INVALID_ARGUMENT) << copied.error().message;
    EXPECT_FALSE(isFull());
}

TEST_F(BufferCallsTest, buffersAreForPreparedModelsOfTheDriverAlone) {
    for (const NoModel what :
         {NoModel::NOTHING, NoModel::ANOTHER_OBJECT, NoModel::OBJECT_OF_THE_CLIENT}) {
        const Result<> allocated = allocateFor(what);
        ASSERT_FALSE(allocated);
        EXPECT_EQ(allocated.error().status, ErrorStatus::INVALID_ARGUMENT)
            << allocated.error().message;
    }
    ASSERT_TRUE(copyFrom(regionOf({1, 2, 3, 4}))) << "the driver serves on";
}

TEST_F(BufferCallsTest, aBurstNeedsAChannel) {
    const Result<> configured = configureBurstWithoutChannel();
    ASSERT_FALSE(configured);
    EXPECT_EQ(configured.error().status, ErrorStatus::INVALID_ARGUMENT)
        << configured.error().message;
}

TEST_F(BufferCallsTest, aFencedRequestWhoseMemoryIsRefusedLeavesNoContents) {
    ASSERT_TRUE(copyFrom(regionOf({1, 2, 3, 4})));
    const test::AddRequest add;
    const Request request = intoBuffer(add);
    EXPECT_FALSE(executeFenced(request, 2 * add.pool.region()->sizeBytes()));
    EXPECT_FALSE(isFull());
}

TEST_F(BufferCallsTest, aRefusedRequestLeavesNoContentsInTheBufferOfItsOutput) {
    ASSERT_TRUE(copyFrom(regionOf({1, 2, 3, 4})));
    const test::AddRequest add;
    EXPECT_FALSE(execute(intoBuffer(add), kUnknownMeasure));
    EXPECT_FALSE(isFull());
}

TEST_F(BufferCallsTest, aRefusedRequestChangesNoBufferOfAnOmittedOutput) {
    ASSERT_TRUE(copyFrom(regionOf({1, 2, 3, 4})));
    const test::AddRequest add;
    Request request = intoBuffer(add);
    request.outputs[0].hasNoValue = true;
    EXPECT_FALSE(execute(request, kUnknownMeasure));
    EXPECT_TRUE(isFull());
}

TEST_F(BufferCallsTest, memoryOfARefusedRequestIsNotTakenForThatOfALaterOne) {
    // Two descriptors that are not claimed: the number of one of their stand-ins is used again.
    test::AddRequest refused;
    const test::AddRequest other;
    refused.request.pools.emplace_back(other.pool.region());
    for (int i = 0; i < 8; ++i) {
        EXPECT_FALSE(execute(refused.request, kUnknownMeasure));
        const test::AddRequest add;
        for (int element = 0; element < 4; ++element) {
            add.a()[element] = 1;
            add.b()[element] = 2;
            add.out()[element] = 0;
        }
        ASSERT_TRUE(execute(add.request));
        EXPECT_EQ(add.out()[0], 3) << "round " << i;
    }
}

}  // namespace
}  // namespace nnburst::device
