// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Clients and drivers of different versions find the version of the protocol that both speak. The
/// peers of release 1.0 are here as they were: they must be served for as long as version 4 is.

#include <capnp/rpc-twoparty.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "device/client/connection.h"
#include "device/driver/service.h"
#include "device/local/local_device.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/protocol_version.h"
#include "device/rpc/rpc_limits.h"

namespace nnburst::device {
namespace {

constexpr ProtocolVersions kRelease{.oldest = 4, .newest = 4};
constexpr ProtocolVersions kNext{.oldest = 4, .newest = 5};
constexpr ProtocolVersions kFarAhead{.oldest = 6, .newest = 7};

/// A socket with two ends.
struct SocketPair {
    SocketPair() {
        ::signal(SIGPIPE, SIG_IGN);  // as drivers have it
        int ends[2] = {-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        client = UniqueFd(ends[0]);
        driver = UniqueFd(ends[1]);
    }

    UniqueFd client;
    UniqueFd driver;
};

/// The driver of release 1.0, as far as it opens connections.
class Release10Driver final : public rpc::Driver::Server {
  protected:
    kj::Promise<void> open(OpenContext context) override {
        auto results = context.getResults();
        results.setProtocolVersion(4);
        auto status = results.initStatus();
        if (context.getParams().getProtocolVersion() != 4) {
            status.setCode(static_cast<std::int32_t>(ErrorStatus::DEVICE_UNAVAILABLE));
            status.setMessage("open with another version of the protocol: must be 4");
            return kj::READY_NOW;
        }
        results.setDevice(kj::heap<Release10Device>());
        return kj::READY_NOW;
    }

    kj::Promise<void> ping(PingContext /*context*/) override { return kj::READY_NOW; }

  private:
    class Release10Device final : public rpc::Device::Server {
      protected:
        kj::Promise<void> getHalVersion(GetHalVersionContext context) override {
            context.getResults().setHalVersion(static_cast<std::uint8_t>(HalVersion::V1_3));
            return kj::READY_NOW;
        }
    };
};

/// A driver on a thread of its own, which serves one client until it has gone.
class DriverThread {
  public:
    /// The driver of this library, if it spoke `versions`.
    DriverThread(UniqueFd socket, const ProtocolVersions& versions)
        : thread_([fd = socket.release(), versions] {
              const std::shared_ptr<Scheduler> scheduler =
                  *Scheduler::create("nnburst-job", defaultJobLimits());
              const auto device = LocalDevice::create(*DeviceSetup::prepare({}), scheduler,
                                                      exec::KernelThreadPlacement::ANYWHERE);
              EventLoop loop;
              {
                  Service service(
                      loop, *device,
                      {.admission = {.access = {}, .userNames = {}, .versions = versions},
                       .limits = limitsOfOwnDriver(MachineSize::get())});
                  loop.run(service.serve(
                      loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(fd))));
              }
              loop.close();
          }) {}

    /// The driver of release 1.0.
    explicit DriverThread(UniqueFd socket)
        : thread_([fd = socket.release()] {
              EventLoop loop;
              {
                  auto stream = loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(fd));
                  capnp::TwoPartyVatNetwork network(*stream, kMaximumFdsPerMessage,
                                                    capnp::rpc::twoparty::Side::SERVER);
                  auto system = capnp::makeRpcServer(network, kj::heap<Release10Driver>());
                  loop.run(network.onDisconnect());
              }
              loop.close();
          }) {}

    ~DriverThread() { thread_.join(); }
    DriverThread(const DriverThread&) = delete;
    DriverThread& operator=(const DriverThread&) = delete;

  private:
    std::thread thread_;
};

/// What a client of this library gets, if it speaks `client` and the driver speaks `driver`.
Result<HalVersion> openBetween(const ProtocolVersions& client, const ProtocolVersions& driver) {
    SocketPair sockets;
    const DriverThread thread(std::move(sockets.driver), driver);
    NNBURST_TRY_ASSIGN(const auto connection,
                       Connection::open(std::move(sockets.client), "a driver", nullptr, client));
    NNBURST_TRY(connection->ping());
    return connection->halVersion();
}

TEST(ProtocolVersion, aNewClientAndTheDriverOfTheVersionBeforeOpen) {
    const Result<HalVersion> opened = openBetween(kNext, kRelease);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(*opened, kLatestHalVersion);
}

TEST(ProtocolVersion, theClientOfTheVersionBeforeAndANewDriverOpen) {
    const Result<HalVersion> opened = openBetween(kRelease, kNext);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(*opened, kLatestHalVersion);
}

TEST(ProtocolVersion, equalVersionsOpen) {
    EXPECT_TRUE(openBetween(kRelease, kRelease));
    EXPECT_TRUE(openBetween(kNext, kNext));
}

TEST(ProtocolVersion, sidesWithoutACommonVersionSayWhatTheySpeak) {
    const Result<HalVersion> tooOld = openBetween(kNext, kFarAhead);
    ASSERT_FALSE(tooOld);
    EXPECT_EQ(tooOld.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_EQ(tooOld.error().message,
              "a driver: it speaks version 6 of the protocol, this library versions 4 to 5");
    const Result<HalVersion> tooNew = openBetween(kFarAhead, kNext);
    ASSERT_FALSE(tooNew);
    EXPECT_EQ(tooNew.error().message,
              "a driver: it speaks version 5 of the protocol, this library versions 6 to 7");
}

TEST(ProtocolVersion, theDriverOfRelease10ServesANewClient) {
    SocketPair sockets;
    const DriverThread thread(std::move(sockets.driver));
    const auto connection =
        Connection::open(std::move(sockets.client), "the driver of release 1.0", nullptr, kNext);
    ASSERT_TRUE(connection) << connection.error().message;
    EXPECT_EQ((*connection)->halVersion(), HalVersion::V1_3);
}

/// The client of release 1.0, as far as it opens connections: what it accepts as an answer.
void expectThatTheClientOfRelease10IsServed(UniqueFd socket) {
    EventLoop loop;
    {
        auto stream =
            loop.io().lowLevelProvider->wrapUnixSocketFd(kj::AutoCloseFd(socket.release()));
        capnp::TwoPartyVatNetwork network(*stream, kMaximumFdsPerMessage,
                                          capnp::rpc::twoparty::Side::CLIENT);
        auto system = capnp::makeRpcClient(network);
        capnp::MallocMessageBuilder message;
        auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
        server.setSide(capnp::rpc::twoparty::Side::SERVER);
        auto driver = system.bootstrap(server).castAs<rpc::Driver>();
        auto call = driver.openRequest();
        call.setProtocolVersion(4);
        loop.run(call.send().then([](auto&& response) -> kj::Promise<void> {
            EXPECT_EQ(response.getProtocolVersion(), 4U);
            EXPECT_EQ(response.getStatus().getCode(), static_cast<std::int32_t>(ErrorStatus::NONE));
            return response.getDevice().getHalVersionRequest().send().then([](auto&& answer) {
                EXPECT_EQ(answer.getHalVersion(), static_cast<std::uint8_t>(HalVersion::V1_3));
            });
        }));
    }
    loop.close();
}

TEST(ProtocolVersion, theClientOfRelease10IsServedByThisDriverAndByANewOne) {
    for (const ProtocolVersions& versions : {ProtocolVersions(), kNext}) {
        SocketPair sockets;
        const DriverThread thread(std::move(sockets.driver), versions);
        expectThatTheClientOfRelease10IsServed(std::move(sockets.client));
    }
}

TEST(ProtocolVersion, theOldestVersionIsNotNewerThanThatOfRelease10) {
    EXPECT_LE(ProtocolVersions().oldest, 4U);
    EXPECT_GE(ProtocolVersions().newest, 4U);
}

}  // namespace
}  // namespace nnburst::device
