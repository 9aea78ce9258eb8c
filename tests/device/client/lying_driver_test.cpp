// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A driver whose answers on the control plane break rules of the HAL, or do not come: the client
/// refuses them, and does not wait for ever.

#include <capnp/rpc-twoparty.h>
#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "device/client/connection.h"
#include "device/client/remote_device.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/nnburst.capnp.h"
#include "device/rpc/rpc_limits.h"

namespace nnburst::device {
namespace {

class LyingDevice final : public rpc::Device::Server {
  public:
    explicit LyingDevice(const NumberOfCacheFiles& files) : files_(files) {}

  protected:
    kj::Promise<void> getHalVersion(GetHalVersionContext context) override {
        context.getResults().setHalVersion(static_cast<std::uint8_t>(HalVersion::V1_3));
        return kj::READY_NOW;
    }
    kj::Promise<void> getNumberOfCacheFilesNeeded(
        GetNumberOfCacheFilesNeededContext context) override {
        context.getResults().setNumModelCache(files_.numModelCache);
        context.getResults().setNumDataCache(files_.numDataCache);
        return kj::READY_NOW;
    }

  private:
    const NumberOfCacheFiles files_;
};

/// Does not answer getType.
class SilentDevice final : public rpc::Device::Server {
  protected:
    kj::Promise<void> getHalVersion(GetHalVersionContext context) override {
        context.getResults().setHalVersion(static_cast<std::uint8_t>(HalVersion::V1_3));
        return kj::READY_NOW;
    }
    kj::Promise<void> getType(GetTypeContext /*context*/) override { return kj::NEVER_DONE; }
};

enum class Pings : std::uint8_t { ANSWERED, ONE_FAILS_THEN_SILENCE };

class LyingDriver final : public rpc::Driver::Server {
  public:
    explicit LyingDriver(rpc::Device::Client device, Pings pings = Pings::ANSWERED)
        : device_(kj::mv(device)), pings_(pings) {}

  protected:
    kj::Promise<void> open(OpenContext context) override {
        auto results = context.getResults();
        results.setProtocolVersion(context.getParams().getProtocolVersion());
        results.initStatus();
        results.setDevice(device_);
        return kj::READY_NOW;
    }
    kj::Promise<void> ping(PingContext /*context*/) override {
        if (pings_ == Pings::ANSWERED) {
            return kj::READY_NOW;
        }
        if (std::exchange(isFirstPing_, false)) {
            return KJ_EXCEPTION(FAILED, "the first ping");
        }
        return kj::NEVER_DONE;
    }

  private:
    rpc::Device::Client device_;
    const Pings pings_;
    bool isFirstPing_ = true;
};

using MakeDriver = std::function<rpc::Driver::Client()>;

void serve(int socket, const MakeDriver& makeDriver) {
    EventLoop loop;
    {
        auto stream = loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(socket));
        capnp::TwoPartyVatNetwork network(*stream, kMaximumFdsPerMessage,
                                          capnp::rpc::twoparty::Side::SERVER);
        auto system = capnp::makeRpcServer(network, makeDriver());
        loop.run(network.onDisconnect());
    }
    loop.close();
}

/// What `ask` gets from a device of the driver.
template <class T>
Result<T> askDevice(const MakeDriver& makeDriver, const std::function<Result<T>(Device&)>& ask) {
    ::signal(SIGPIPE, SIG_IGN);  // as drivers have it
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    std::thread driver([&] { serve(ends[1], makeDriver); });
    Result<T> answer = [&]() -> Result<T> {
        NNBURST_TRY_ASSIGN(auto connection,
                           Connection::open(UniqueFd(ends[0]), "a driver", nullptr));
        RemoteDevice device(std::move(connection));
        return ask(device);
    }();
    driver.join();
    return answer;
}

/// What a client gets from a driver that answers with `files`.
Result<NumberOfCacheFiles> askFor(const NumberOfCacheFiles& files) {
    return askDevice<NumberOfCacheFiles>(
        [&] { return kj::heap<LyingDriver>(kj::heap<LyingDevice>(files)); },
        [](Device& device) { return device.getNumberOfCacheFilesNeeded(); });
}

TEST(LyingDriver, cannotMakeAClientMakeMoreCacheFilesThanTheHalAllows) {
    EXPECT_TRUE(askFor({.numModelCache = 32, .numDataCache = 32}));
    for (const std::uint32_t count : {33U, UINT32_MAX}) {
        for (const NumberOfCacheFiles& files :
             {NumberOfCacheFiles{.numModelCache = count, .numDataCache = 1},
              NumberOfCacheFiles{.numModelCache = 1, .numDataCache = count}}) {
            const auto answer = askFor(files);
            ASSERT_FALSE(answer) << count;
            EXPECT_EQ(answer.error().status, ErrorStatus::GENERAL_FAILURE);
        }
    }
}

TEST(LyingDriver, isLostThoughItsFirstPingIsAnsweredWithAnException) {
    const Result<DeviceType> type = askDevice<DeviceType>(
        [] {
            return kj::heap<LyingDriver>(kj::heap<SilentDevice>(), Pings::ONE_FAILS_THEN_SILENCE);
        },
        [](Device& device) { return device.getType(); });
    ASSERT_FALSE(type);
    EXPECT_EQ(type.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << type.error().message;
}

void send(int socket, capnp::MallocMessageBuilder& message) {
    const kj::Array<capnp::word> words = capnp::messageToFlatArray(message);
    const auto bytes = words.asBytes();
    EXPECT_EQ(::send(socket, bytes.begin(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
}

/// A driver that is a promise, which it resolves to the same promise.
void promiseItself(const UniqueFd& socket) {
    std::array<std::byte, 4096> received{};
    EXPECT_GT(::recv(socket.get(), received.data(), received.size(), 0), 0);
    capnp::MallocMessageBuilder answer;
    auto results = answer.initRoot<capnp::rpc::Message>().initReturn().initResults();
    capnp::BuilderCapabilityTable table;
    table.imbue(results.getContent())
        .setAs<rpc::Driver>(rpc::Driver::Client(KJ_EXCEPTION(FAILED, "stands for the promise")));
    results.initCapTable(1)[0].setSenderPromise(0);
    send(socket.get(), answer);
    capnp::MallocMessageBuilder resolve;
    resolve.initRoot<capnp::rpc::Message>().initResolve().initCap().setSenderPromise(0);
    send(socket.get(), resolve);
    while (::recv(socket.get(), received.data(), received.size(), 0) > 0) {
    }
}

TEST(LyingDriver, isLostIfItResolvesAPromiseToThatPromise) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    std::thread driver([socket = UniqueFd(ends[1])] { promiseItself(socket); });
    const auto connection = Connection::open(UniqueFd(ends[0]), "a driver", nullptr);
    driver.join();
    ASSERT_FALSE(connection);
    EXPECT_EQ(connection.error().status, ErrorStatus::DEVICE_UNAVAILABLE)
        << connection.error().message;
}

}  // namespace
}  // namespace nnburst::device
