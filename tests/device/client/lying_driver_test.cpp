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

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "device/client/connection.h"
#include "device/client/driver_messages.h"
#include "device/client/remote_device.h"
#include "device/driver_process.h"
#include "device/rpc/descriptors.h"
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

/// Answers getType with this code.
class DeviceOfType final : public rpc::Device::Server {
  public:
    explicit DeviceOfType(std::int32_t type) : type_(type) {}

  protected:
    kj::Promise<void> getHalVersion(GetHalVersionContext context) override {
        context.getResults().setHalVersion(static_cast<std::uint8_t>(HalVersion::V1_3));
        return kj::READY_NOW;
    }
    kj::Promise<void> getType(GetTypeContext context) override {
        context.getResults().setType(type_);
        return kj::READY_NOW;
    }

  private:
    const std::int32_t type_;
};

/// Answers neither getType nor the launch of a preparation.
class SilentDevice final : public rpc::Device::Server {
  protected:
    kj::Promise<void> getHalVersion(GetHalVersionContext context) override {
        context.getResults().setHalVersion(static_cast<std::uint8_t>(HalVersion::V1_3));
        return kj::READY_NOW;
    }
    kj::Promise<void> getType(GetTypeContext /*context*/) override { return kj::NEVER_DONE; }
    kj::Promise<void> prepareModel(PrepareModelContext /*context*/) override {
        return kj::NEVER_DONE;
    }
    kj::Promise<void> prepareModelFromCache(PrepareModelFromCacheContext /*context*/) override {
        return kj::NEVER_DONE;
    }
};

/// What a driver gets from a burst, and may keep.
struct Hoard {
    bool keeps = false;
    std::optional<rpc::BurstCallback::Client> callback;
    std::vector<capnp::Response<rpc::BurstCallback::GetMemoriesResults>> answers;
    std::uint32_t refusals = 0;

    /// Asks `times` times for slot 0, as often at once as a message may if the answers are kept.
    kj::Promise<void> ask(int times) {
        if (times == 0) {
            return kj::READY_NOW;
        }
        auto call = callback->getMemoriesRequest();
        call.initSlots(keeps ? kMaximumPoolsPerMessage : 1);
        return call.send().then([this, times](auto&& answer) {
            refusals += answer.getMemories().size() == 0 ? 1 : 0;
            if (keeps) {
                answers.push_back(kj::mv(answer));
            }
            return ask(times - 1);
        });
    }
};

class HoardingModel final : public rpc::PreparedModel::Server {
  public:
    explicit HoardingModel(std::shared_ptr<Hoard> hoard) : hoard_(std::move(hoard)) {}

  protected:
    kj::Promise<void> configureExecutionBurst(ConfigureExecutionBurstContext context) override {
        hoard_->callback = context.getParams().getCallback();
        std::array<int, 2> ends{-1, -1};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        doorbells_ = {UniqueFd(ends[0]), UniqueFd(ends[1])};
        auto results = context.getResults();
        results.initStatus();
        results.setBurst(KJ_EXCEPTION(FAILED, "it is not served"));
        results.setDoorbell(*fileToMessage(ends[0]));
        return kj::READY_NOW;
    }

  private:
    const std::shared_ptr<Hoard> hoard_;
    std::array<UniqueFd, 2> doorbells_;
};

/// Asks `times` times for the memory of a burst when the client calls getNumberOfCacheFilesNeeded,
/// and answers that with the number of refusals.
class HoardingDevice final : public rpc::Device::Server {
  public:
    HoardingDevice(int times, bool keeps)
        : times_(times), hoard_(std::make_shared<Hoard>(Hoard{.keeps = keeps})) {}

  protected:
    kj::Promise<void> getHalVersion(GetHalVersionContext context) override {
        context.getResults().setHalVersion(static_cast<std::uint8_t>(HalVersion::V1_3));
        return kj::READY_NOW;
    }
    kj::Promise<void> prepareModel(PrepareModelContext context) override {
        context.getResults().initStatus();
        auto call = context.getParams().getCallback().notifyRequest();
        call.initStatus();
        call.setPreparedModel(kj::heap<HoardingModel>(hoard_));
        return call.send().ignoreResult();
    }
    kj::Promise<void> getNumberOfCacheFilesNeeded(
        GetNumberOfCacheFilesNeededContext context) override {
        return hoard_->ask(times_).then(
            [this, context]() mutable { context.getResults().setNumDataCache(hoard_->refusals); });
    }

  private:
    const int times_;
    const std::shared_ptr<Hoard> hoard_;
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

TEST(LyingDriver, cannotHaveADeviceTypeThatTheHalDoesNotHave) {
    const auto typeOf = [](std::int32_t code) {
        return askDevice<DeviceType>(
            [&] { return kj::heap<LyingDriver>(kj::heap<DeviceOfType>(code)); },
            [](Device& device) { return device.getType(); });
    };
    for (const DeviceType known : {DeviceType::OTHER, DeviceType::ACCELERATOR}) {
        const auto type = typeOf(static_cast<std::int32_t>(known));
        ASSERT_TRUE(type) << type.error().message;
        EXPECT_EQ(*type, known);
    }
    for (const std::int32_t unknown : {static_cast<std::int32_t>(DeviceType::OTHER) - 1,
                                       static_cast<std::int32_t>(DeviceType::ACCELERATOR) + 1}) {
        const auto type = typeOf(unknown);
        ASSERT_FALSE(type) << unknown;
        EXPECT_NE(type.error().message.find(std::to_string(unknown)), std::string::npos)
            << type.error().message;
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

TEST(LyingDriver, endsThePreparationsThatItDoesNotLaunchAtTheirDeadlines) {
    const auto prepared = askDevice<SharedPreparedModel>(
        [] { return kj::heap<LyingDriver>(kj::heap<SilentDevice>()); },
        [](Device& device) -> Result<SharedPreparedModel> {
            const PrepareOptions options{.deadline = TimePoint(std::chrono::steady_clock::now())};
            const auto cached = prepareModelFromCache(device, options);
            EXPECT_FALSE(cached);
            EXPECT_EQ(cached.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
            return prepareModel(device, test::makeAddModel(), options);
        });
    ASSERT_FALSE(prepared);
    EXPECT_EQ(prepared.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    EXPECT_NE(prepared.error().message.find("has not answered the launch"), std::string::npos)
        << prepared.error().message;
}

/// How often a driver is refused memory of a burst.
std::uint32_t refusals(int times, bool keeps) {
    const auto files = askDevice<NumberOfCacheFiles>(
        [&] { return kj::heap<LyingDriver>(kj::heap<HoardingDevice>(times, keeps)); },
        [](Device& device) -> Result<NumberOfCacheFiles> {
            NNBURST_TRY_ASSIGN(const SharedPreparedModel prepared,
                               prepareModel(device, test::makeAddModel()));
            NNBURST_TRY_ASSIGN(const std::unique_ptr<Burst> burst,
                               prepared->configureExecutionBurst({}));
            const test::AddRequest add;
            NNBURST_TRY(burst->submit(add.request, {}));  // its memory has slot 0 now
            return device.getNumberOfCacheFilesNeeded();
        });
    EXPECT_TRUE(files) << files.error().message;
    return files ? files->numDataCache : 0;
}

TEST(LyingDriver, getsNoMoreMemoryOfABurstWhileItKeepsMuch) {
    EXPECT_EQ(refusals(10, true), 6U);
}

TEST(HonestDriver, mayAskForMemoryAsOftenAsItReleasesIt) {
    EXPECT_EQ(refusals(DriverMessages::kMaximumUnfinished + 1, false), 0U);
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

/// Calls that are more than a client and a socket hold, and fewer than a client gets before it
/// takes a driver for gone that does not answer its pings.
constexpr std::uint32_t kManyCalls = 2 * DriverMessages::kMaximumUnfinished;

/// Sends calls until the client has closed the socket, at most kManyCalls; returns how many. Each
/// is finished at once, or never. Reads the answers, or none.
std::uint32_t flood(int socket, bool finishes, bool reads) {
    for (std::uint32_t number = 0; number < kManyCalls; ++number) {
        capnp::MallocMessageBuilder call;
        call.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(number);
        capnp::MallocMessageBuilder finish;
        finish.initRoot<capnp::rpc::Message>().initFinish().setQuestionId(number);
        for (capnp::MallocMessageBuilder* const message : {&call, &finish}) {
            const kj::Array<capnp::word> words = capnp::messageToFlatArray(*message);
            const auto bytes = words.asBytes();
            if ((message == &call || finishes) &&
                ::send(socket, bytes.begin(), bytes.size(), MSG_NOSIGNAL) < 0) {
                return number;
            }
        }
        std::array<std::byte, 4096> received{};
        while (reads && ::recv(socket, received.data(), received.size(), MSG_DONTWAIT) > 0) {
        }
    }
    return kManyCalls;
}

/// The number of calls after which a client closes the connection.
std::uint32_t callsUntilLost(bool finishes, bool reads) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    std::uint32_t calls = 0;
    std::thread driver(
        [&, socket = UniqueFd(ends[1])] { calls = flood(socket.get(), finishes, reads); });
    const auto connection = Connection::open(UniqueFd(ends[0]), "a driver", nullptr);
    driver.join();
    EXPECT_FALSE(connection);
    return calls;
}

TEST(LyingDriver, isLostIfItDoesNotFinishItsCalls) {
    EXPECT_LT(callsUntilLost(false, true), kManyCalls);
}

TEST(LyingDriver, isLostIfItDoesNotReadTheAnswersToItsCalls) {
    EXPECT_LT(callsUntilLost(true, false), kManyCalls);
}

TEST(LyingDriver, isLostIfItSendsAMessageThatNoDriverSends) {
    constexpr std::string_view kMark = "a text that a client would send back";
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    std::string received;
    std::thread driver([&, socket = UniqueFd(ends[1])] {
        capnp::MallocMessageBuilder join;
        join.initRoot<capnp::rpc::Message>().initJoin().getKeyPart().setAs<capnp::Text>(
            kMark.data());
        send(socket.get(), join);
        std::array<char, 4096> part{};
        for (ssize_t size = 1; size > 0;
             received.append(part.data(), static_cast<std::size_t>(size))) {
            size = std::max<ssize_t>(::recv(socket.get(), part.data(), part.size(), 0), 0);
        }
    });
    EXPECT_FALSE(Connection::open(UniqueFd(ends[0]), "a driver", nullptr));
    driver.join();
    EXPECT_EQ(received.find(kMark), std::string::npos);
}

}  // namespace
}  // namespace nnburst::device
