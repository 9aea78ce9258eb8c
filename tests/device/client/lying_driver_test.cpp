// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A driver whose answers on the control plane break rules of the HAL: the client refuses them.

#include <capnp/rpc-twoparty.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
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

class LyingDriver final : public rpc::Driver::Server {
  public:
    explicit LyingDriver(const NumberOfCacheFiles& files) : files_(files) {}

  protected:
    kj::Promise<void> open(OpenContext context) override {
        auto results = context.getResults();
        results.setProtocolVersion(context.getParams().getProtocolVersion());
        results.initStatus();
        results.setDevice(kj::heap<LyingDevice>(files_));
        return kj::READY_NOW;
    }
    kj::Promise<void> ping(PingContext /*context*/) override { return kj::READY_NOW; }

  private:
    const NumberOfCacheFiles files_;
};

void serve(int socket, const NumberOfCacheFiles& files) {
    EventLoop loop;
    {
        auto stream = loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(socket));
        capnp::TwoPartyVatNetwork network(*stream, kMaximumFdsPerMessage,
                                          capnp::rpc::twoparty::Side::SERVER);
        auto system = capnp::makeRpcServer(network, kj::heap<LyingDriver>(files));
        loop.run(network.onDisconnect());
    }
    loop.close();
}

/// What a client gets from a driver that answers with `files`.
Result<NumberOfCacheFiles> askFor(const NumberOfCacheFiles& files) {
    ::signal(SIGPIPE, SIG_IGN);  // as drivers have it
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    std::thread driver([&] { serve(ends[1], files); });
    Result<NumberOfCacheFiles> answer = [&]() -> Result<NumberOfCacheFiles> {
        NNBURST_TRY_ASSIGN(auto connection,
                           Connection::open(UniqueFd(ends[0]), "a driver", nullptr));
        return RemoteDevice(std::move(connection)).getNumberOfCacheFilesNeeded();
    }();
    driver.join();
    return answer;
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

}  // namespace
}  // namespace nnburst::device
