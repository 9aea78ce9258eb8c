// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Clients that send a driver more than it can answer, or do not read what it answers. Its memory
/// must stay within their limits, and others must be served.

#include <capnp/any.h>
#include <capnp/rpc-twoparty.h>
#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "device/driver_process.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/nnburst.capnp.h"
#include "device/rpc/rpc_limits.h"
#include "nnburst/device.h"
#include "stress/raw_messages.h"
#include "support/sanitizers.h"
#include "support/unix_socket.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

UniqueFd connectTo(const DriverProcess& driver) {
    return connectedUnixSocket(driver.socketPath());
}

/// Sends until nothing has been accepted for a while, or the peer has closed. Gives what was sent.
std::size_t sendAll(const UniqueFd& socket, std::span<const std::byte> bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        pollfd event{.fd = socket.get(), .events = POLLOUT, .revents = 0};
        if (::poll(&event, 1, 1000) != 1) {
            break;
        }
        const ssize_t accepted = ::send(socket.get(), bytes.data() + sent, bytes.size() - sent,
                                        MSG_NOSIGNAL | MSG_DONTWAIT);
        if (accepted <= 0) {
            break;
        }
        sent += static_cast<std::size_t>(accepted);
    }
    return sent;
}

bool isClosed(const UniqueFd& socket) {
    pollfd event{.fd = socket.get(), .events = POLLRDHUP, .revents = 0};
    return ::poll(&event, 1, 0) == 1;
}

void expectServed(const DriverProcess& driver) {
    const SharedDevice device = driver.connect();
    ASSERT_NE(device, nullptr);
    const auto prepared = prepareModel(*device, makeAddModel());
    ASSERT_TRUE(prepared) << prepared.error().message;
    AddRequest add;
    ExecutionOutcome outcome;
    const auto executed = (*prepared)->executeSynchronously(add.request, {}, outcome);
    EXPECT_TRUE(executed) << executed.error().message;
}

TEST(MessageFlood, halfMessagesAreChargedFromTheirBegin) {
    const DriverProcess driver({"--limit", "client.messages=16M"});
    expectServed(driver);
    // A message of one segment: its size, and a part of it.
    std::vector<std::byte> message(8 + 31 * kMiB);
    const std::uint32_t words = 31 * kMiB / sizeof(capnp::word);
    std::memcpy(message.data() + 4, &words, sizeof(words));
    const UniqueFd socket = connectTo(driver);
    (void)sendAll(socket, std::span<const std::byte>(message).first(message.size() - 1));
    EXPECT_TRUE(eventually([&] { return isClosed(socket); }));
    EXPECT_LT(residentBytes(driver.pid()), 64 * kMiB);
    expectServed(driver);
}

TEST(MessageFlood, halfMessagesOfManyConnectionsAreChargedToTheirUser) {
    const DriverProcess driver({"--limit", "user.messages=64M"});
    std::vector<std::byte> message(8 + 8 * kMiB);
    const std::uint32_t words = 8 * kMiB / sizeof(capnp::word);
    std::memcpy(message.data() + 4, &words, sizeof(words));
    std::vector<UniqueFd> sockets;
    for (int i = 0; i < 20; ++i) {
        sockets.push_back(connectTo(driver));
        (void)sendAll(sockets.back(),
                      std::span<const std::byte>(message).first(message.size() - 1));
    }
    const auto closed = [&] { return std::count_if(sockets.begin(), sockets.end(), isClosed); };
    EXPECT_TRUE(eventually([&] { return closed() == 12; })) << closed();
    EXPECT_LT(residentBytes(driver.pid()), 128 * kMiB);
    sockets.clear();
    expectServed(driver);
}

TEST(MessageFlood, aClientThatReadsNoAnswersIsNotReadFrom) {
    const DriverProcess driver;
    expectServed(driver);
    const std::uint64_t before = residentBytes(driver.pid());
    capnp::MallocMessageBuilder builder;
    std::vector<std::byte> messages;
    for (std::uint32_t question = 0; messages.size() < 8 * kMiB; ++question) {
        builder.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(question);
        const auto flat = capnp::messageToFlatArray(builder);
        const auto bytes = std::as_bytes(std::span(flat.asBytes().begin(), flat.asBytes().size()));
        messages.insert(messages.end(), bytes.begin(), bytes.end());
    }
    const UniqueFd socket = connectTo(driver);
    EXPECT_LT(sendAll(socket, messages), messages.size());
    EXPECT_LT(residentBytes(driver.pid()), before + 64 * kMiB);
    expectServed(driver);
}

/// The bytes of a message.
std::vector<std::byte> bytesOf(capnp::MallocMessageBuilder& message) {
    const auto flat = capnp::messageToFlatArray(message);
    const auto bytes = std::as_bytes(std::span(flat.asBytes().begin(), flat.asBytes().size()));
    return {bytes.begin(), bytes.end()};
}

/// Sends messages and reads the answers to them until the driver has closed the connection, or all
/// are sent. Gives how many were sent.
std::size_t converse(const UniqueFd& socket, std::size_t count,
                     const std::function<std::vector<std::byte>(std::uint32_t)>& message) {
    std::vector<std::byte> answers(64 * 1024);
    std::size_t sent = 0;
    while (sent < count) {
        const std::vector<std::byte> bytes = message(static_cast<std::uint32_t>(sent));
        if (sendAll(socket, bytes) < bytes.size()) {
            break;
        }
        ++sent;
        while (::recv(socket.get(), answers.data(), answers.size(), MSG_DONTWAIT) > 0) {
        }
    }
    return sent;
}

TEST(MessageFlood, callsThatAreNotFinishedAreCharged) {
    const DriverProcess driver({"--limit", "client.messages=2M"});
    constexpr std::size_t kCalls = 10'000;
    const std::size_t sent = converse(connectTo(driver), kCalls, [](std::uint32_t question) {
        capnp::MallocMessageBuilder message;
        message.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(question);
        return bytesOf(message);
    });
    EXPECT_LT(sent, kCalls);
    expectServed(driver);
}

TEST(MessageFlood, callsThatAreFinishedAreNotCharged) {
    const DriverProcess driver({"--limit", "client.messages=2M"});
    constexpr std::size_t kCalls = 10'000;
    const std::size_t sent = converse(connectTo(driver), kCalls, [](std::uint32_t question) {
        capnp::MallocMessageBuilder message;
        message.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(question);
        std::vector<std::byte> bytes = bytesOf(message);
        capnp::MallocMessageBuilder end;
        end.initRoot<capnp::rpc::Message>().initFinish().setQuestionId(question);
        const std::vector<std::byte> more = bytesOf(end);
        bytes.insert(bytes.end(), more.begin(), more.end());
        return bytes;
    });
    EXPECT_EQ(sent, kCalls);
}

/// Sends a message, and gives why the driver has cut the client off.
std::string logOf(capnp::MallocMessageBuilder& message,
                  const std::string& limit = "client.messages=64M") {
    const DriverProcess driver({"--limit", limit}, DriverProcess::Calibration::NONE,
                               DriverProcess::Log::FILE);
    const UniqueFd socket = connectTo(driver);
    (void)sendAll(socket, bytesOf(message));
    EXPECT_TRUE(eventually([&] { return isClosed(socket); }));
    expectServed(driver);
    return driver.log();
}

std::string logOfMessageWithCapabilities(unsigned count, const std::string& limit) {
    capnp::MallocMessageBuilder message;
    auto call = message.initRoot<capnp::rpc::Message>().initCall();
    auto capabilities = call.getParams().initCapTable(count);
    for (unsigned i = 0; i < count; ++i) {
        capabilities[i].setSenderHosted(i);
    }
    return logOf(message, limit);
}

TEST(MessageFlood, capabilitiesOfAMessageAreCharged) {
    EXPECT_THAT(logOfMessageWithCapabilities(8192, "client.messages=2M"),
                testing::HasSubstr("a client is cut off: limit on"));
}

TEST(MessageFlood, aMessageOfMoreCapabilitiesThanACallNeedsIsRefused) {
    EXPECT_THAT(
        logOfMessageWithCapabilities(8193, "client.messages=64M"),
        testing::HasSubstr("a client is cut off: message with 8193 capabilities: must be at most"));
}

// A client once sent 70 KiB that the driver answered with 60 MiB, charged to nobody.
TEST(MessageFlood, aMessageOfAKindThatNoClientSendsIsNotAnsweredWithACopy) {
    const DriverProcess driver;
    expectServed(driver);
    const std::uint64_t before = residentBytes(driver.pid());
    constexpr std::uint16_t kUnknown = 99;
    for (const std::uint16_t which :
         {std::uint16_t{capnp::rpc::Message::OBSOLETE_SAVE},
          std::uint16_t{capnp::rpc::Message::OBSOLETE_DELETE},
          std::uint16_t{capnp::rpc::Message::PROVIDE}, std::uint16_t{capnp::rpc::Message::ACCEPT},
          std::uint16_t{capnp::rpc::Message::JOIN}, kUnknown}) {
        const UniqueFd socket = connectTo(driver);
        (void)sendAll(socket, stress::messageOfRepeatedBytes(which, 1000, 60 << 10));
        EXPECT_TRUE(eventually([&] { return isClosed(socket); })) << which;
    }
    EXPECT_LT(residentBytes(driver.pid()), before + 16 * kMiB);
    expectServed(driver);
}

TEST(MessageFlood, anExceptionIsNotCopiedForEachUnansweredCallIfItIsLong) {
    const std::string reason(9000, 'x');
    const auto expectRefused = [](capnp::MallocMessageBuilder& message) {
        EXPECT_THAT(logOf(message),
                    testing::HasSubstr("a client is cut off: message with an exception of "));
    };
    capnp::MallocMessageBuilder abort;
    abort.initRoot<capnp::rpc::Message>().initAbort().setReason(reason);
    expectRefused(abort);
    capnp::MallocMessageBuilder answer;
    answer.initRoot<capnp::rpc::Message>().initReturn().initException().setReason(reason);
    expectRefused(answer);
    capnp::MallocMessageBuilder resolve;
    resolve.initRoot<capnp::rpc::Message>().initResolve().initException().setReason(reason);
    expectRefused(resolve);
    capnp::MallocMessageBuilder traced;
    traced.initRoot<capnp::rpc::Message>().initAbort().setTrace(reason);
    expectRefused(traced);
}

// Many pointers of 48 KiB once led to the same list. Following all of them took 20 ms of the event
// loop, for each connection, and was charged to nobody.
TEST(MessageFlood, onlyTheTextsOfAnExceptionAreLookedAt) {
    capnp::MallocMessageBuilder message;
    auto abort = message.getRoot<capnp::AnyPointer>().initAsAnyStruct(1, 1);
    abort.getDataSection()[0] = capnp::rpc::Message::ABORT;
    constexpr std::uint16_t kPointers = 3;  // the third is not one of an exception
    auto exception = abort.getPointerSection()[0].initAsAnyStruct(1, kPointers);
    exception.getPointerSection()[kPointers - 1].initAs<capnp::Data>(9000);
    EXPECT_THAT(logOf(message), testing::Not(testing::HasSubstr("message with an exception")));
}

TEST(MessageFlood, promisedObjectsAreNotFarFromTheirAnswers) {
    const auto expectRefused = [](capnp::MallocMessageBuilder& message) {
        EXPECT_THAT(logOf(message),
                    testing::HasSubstr("a client is cut off: message with 17 steps"));
    };
    constexpr unsigned kSteps = 17;
    capnp::MallocMessageBuilder target;
    auto call = target.initRoot<capnp::rpc::Message>().initCall();
    call.initTarget().initPromisedAnswer().initTransform(kSteps);
    expectRefused(target);
    capnp::MallocMessageBuilder disembargo;
    auto embargo = disembargo.initRoot<capnp::rpc::Message>().initDisembargo();
    embargo.initTarget().initPromisedAnswer().initTransform(kSteps);
    expectRefused(disembargo);
}

TEST(MessageFlood, resultsThatAreNotForTheClientAreRefused) {
    capnp::MallocMessageBuilder message;
    message.initRoot<capnp::rpc::Message>().initCall().getSendResultsTo().setYourself();
    EXPECT_THAT(logOf(message), testing::HasSubstr("a client is cut off: call whose results"));
}

/// A call to the answer of the call before it, which does not come.
std::vector<std::byte> callToAnswerOf(std::uint32_t question) {
    capnp::MallocMessageBuilder message;
    auto call = message.initRoot<capnp::rpc::Message>().initCall();
    call.setQuestionId(question + 1);
    auto answer = call.initTarget().initPromisedAnswer();
    answer.setQuestionId(question);
    answer.initTransform(1)[0].setGetPointerField(0);
    call.initParams();
    return bytesOf(message);
}

/// Makes `message` a call Device.allocate for a list of `count` prepared models. All are the one
/// that the client promises, which comes once.
capnp::rpc::Call::Builder initCallWithPromise(capnp::MallocMessageBuilder& message,
                                              unsigned count) {
    auto call = message.initRoot<capnp::rpc::Message>().initCall();
    auto device = call.initTarget().initPromisedAnswer();
    device.setQuestionId(1);
    device.initTransform(1)[0].setGetPointerField(1);  // `device` of the results of open()
    call.setInterfaceId(capnp::typeId<rpc::Device>());
    constexpr std::uint16_t kAllocate = 9;
    call.setMethodId(kAllocate);
    rpc::PreparedModel::Client promise(KJ_EXCEPTION(FAILED, "stands for the promise"));
    auto content = call.getParams().getContent();
    content.initAs<rpc::Device::AllocateParams>().initPreparedModels(count);
    for (unsigned i = 0; i < count; ++i) {
        capnp::BuilderCapabilityTable table;  // of its own: each pointer names the first object
        table.imbue(content).getAs<rpc::Device::AllocateParams>().getPreparedModels().set(i,
                                                                                          promise);
    }
    call.getParams().initCapTable(1)[0].setSenderPromise(0);
    return call;
}

/// Device.allocate for a prepared model that the client promises, as question 2.
std::vector<std::byte> callWithPromise() {
    capnp::MallocMessageBuilder message;
    initCallWithPromise(message, 1).setQuestionId(2);
    return bytesOf(message);
}

// Calls of 33 KiB once took 5 MiB each, charged to nobody.
TEST(MessageFlood, anObjectIsChargedEachTimeThatAListNamesIt) {
    constexpr std::size_t kCalls = 60;
    constexpr unsigned kMaximumModels = 4096;
    const DriverProcess driver({"--limit", "client.messages=16M"});
    expectServed(driver);
    const std::uint64_t before = residentBytes(driver.pid());
    const UniqueFd socket = connectTo(driver);
    (void)sendAll(socket, stress::openingMessages());
    capnp::MallocMessageBuilder message;
    auto call = initCallWithPromise(message, kMaximumModels);
    const std::size_t sent = converse(socket, kCalls, [&](std::uint32_t number) {
        call.setQuestionId(2 + number);
        return bytesOf(message);
    });
    EXPECT_EQ(sent, kCalls) << "those beyond the limit are refused one by one";
    EXPECT_LT(residentBytes(driver.pid()), before + 128 * kMiB);
    expectServed(driver);
}

/// Sends `last` after a call that waits for promise 0, and expects that the driver cuts the client
/// off because of it.
void expectRefusedAfterPromise(capnp::MallocMessageBuilder& last, const std::string& reason) {
    const DriverProcess driver({}, DriverProcess::Calibration::NONE, DriverProcess::Log::FILE);
    std::vector<std::byte> messages = stress::openingMessages();
    for (const std::vector<std::byte>& bytes : {callWithPromise(), bytesOf(last)}) {
        messages.insert(messages.end(), bytes.begin(), bytes.end());
    }
    const UniqueFd socket = connectTo(driver);
    (void)sendAll(socket, messages);
    EXPECT_TRUE(eventually([&] { return isClosed(socket); }));
    EXPECT_THAT(driver.log(), testing::HasSubstr("a client is cut off: " + reason));
}

// The driver once called such an object without end, and nothing of that was charged.
TEST(MessageFlood, anObjectOfAnAnswerThatHasNotComeIsRefused) {
    const auto expectRefused = [](capnp::MallocMessageBuilder& last) {
        expectRefusedAfterPromise(last, "message with an object of an answer");
    };
    const auto setObject = [](capnp::rpc::CapDescriptor::Builder object) {
        auto answer = object.initReceiverAnswer();
        answer.setQuestionId(2);
        answer.initTransform(1)[0].setGetPointerField(1);  // `buffer` of the results of allocate()
    };
    capnp::MallocMessageBuilder argument;
    auto call = argument.initRoot<capnp::rpc::Message>().initCall();
    call.setQuestionId(3);
    call.initTarget().initPromisedAnswer().setQuestionId(2);
    setObject(call.initParams().initCapTable(1)[0]);
    expectRefused(argument);
    capnp::MallocMessageBuilder result;
    auto results = result.initRoot<capnp::rpc::Message>().initReturn().initResults();
    setObject(results.initCapTable(1)[0]);
    expectRefused(result);
}

// A promise that was resolved to itself once kept the event loop busy for ever or overflowed its
// stack, as did the end of a chain of 300,000 promises.
TEST(MessageFlood, aPromiseIsResolvedToAnObject) {
    const auto expectRefused =
        [](const std::function<void(capnp::rpc::CapDescriptor::Builder)>& setCapability) {
            capnp::MallocMessageBuilder resolve;
            setCapability(resolve.initRoot<capnp::rpc::Message>().initResolve().initCap());
            expectRefusedAfterPromise(resolve, "message that resolves promise 0 to a capability");
        };
    expectRefused([](auto capability) { capability.setSenderPromise(0); });
    expectRefused([](auto capability) { capability.setSenderPromise(1); });
    expectRefused([](auto capability) { capability.initReceiverAnswer().setQuestionId(2); });
    expectRefused([](auto capability) { capability.initThirdPartyHosted().setVineId(1); });
}

TEST(MessageFlood, aClientWithManyUnansweredCallsIsNotReadFrom) {
    const DriverProcess driver;
    std::vector<std::byte> messages = stress::openingMessages();
    const auto append = [&](const std::vector<std::byte>& bytes) {
        messages.insert(messages.end(), bytes.begin(), bytes.end());
    };
    append(callWithPromise());
    for (std::uint32_t question = 2; messages.size() < 8 * kMiB; ++question) {
        append(callToAnswerOf(question));
    }
    const UniqueFd socket = connectTo(driver);
    EXPECT_LT(sendAll(socket, messages), messages.size());
    EXPECT_FALSE(isClosed(socket));
    expectServed(driver);
}

TEST(MessageFlood, unansweredCallsOfManyConnectionsAreChargedToTheirUser) {
    const DriverProcess driver({"--limit", "user.calls=2500"}, DriverProcess::Calibration::NONE,
                               DriverProcess::Log::FILE);
    constexpr std::uint32_t kCalls = 1000;  // fewer than make the driver stop reading
    std::vector<std::byte> messages = stress::openingMessages();
    const auto append = [&](const std::vector<std::byte>& bytes) {
        messages.insert(messages.end(), bytes.begin(), bytes.end());
    };
    append(callWithPromise());
    for (std::uint32_t question = 2; question < kCalls; ++question) {
        append(callToAnswerOf(question));
    }
    std::vector<UniqueFd> sockets;
    for (int i = 0; i < 3; ++i) {
        sockets.push_back(connectTo(driver));
        (void)sendAll(sockets.back(), messages);
    }
    EXPECT_TRUE(eventually([&] { return std::ranges::any_of(sockets, isClosed); }));
    EXPECT_THAT(driver.log(), testing::HasSubstr("a client is cut off: limit on calls of user"));
    sockets.clear();
    expectServed(driver);
}

TEST(MessageFlood, callsThatAreAnsweredAreNotCharged) {
    const DriverProcess driver({"--limit", "client.calls=16"});
    const UniqueFd socket = connectTo(driver);
    (void)sendAll(socket, stress::openingMessages());
    std::vector<std::byte> answers(64 * 1024);
    for (std::uint32_t question = 2; question < 100; ++question) {
        (void)sendAll(socket, stress::capabilitiesCall(question));
        ASSERT_GT(::recv(socket.get(), answers.data(), answers.size(), 0), 0);
    }
    while (::recv(socket.get(), answers.data(), answers.size(), MSG_DONTWAIT) > 0) {
    }
    EXPECT_FALSE(isClosed(socket));
}

/// A client that sends without pause until this is destroyed, or the driver has gone.
class Flood {
  public:
    explicit Flood(const DriverProcess& driver)
        : thread_([this, socket = connectTo(driver)] {
              std::vector<std::byte> batch;  // calls and their ends
              for (std::uint32_t question = 0; question < 100; ++question) {
                  capnp::MallocMessageBuilder message;
                  message.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(question);
                  capnp::MallocMessageBuilder end;
                  end.initRoot<capnp::rpc::Message>().initFinish().setQuestionId(question);
                  for (const auto& bytes : {bytesOf(message), bytesOf(end)}) {
                      batch.insert(batch.end(), bytes.begin(), bytes.end());
                  }
              }
              // Each message is sent before the one before it is served.
              while (!isOver_ && converse(socket, 1, [&](std::uint32_t) { return batch; }) == 1) {
                  ++batches_;
              }
          }) {}
    Flood(const Flood&) = delete;
    Flood& operator=(const Flood&) = delete;
    ~Flood() {
        isOver_ = true;
        thread_.join();
    }

    [[nodiscard]] int batches() const noexcept { return batches_; }

  private:
    std::atomic<bool> isOver_{false};
    std::atomic<int> batches_{0};
    std::thread thread_;
};

TEST(MessageFlood, aClientThatSendsWithoutPauseIsNotServedAlone) {
    const DriverProcess driver;
    const Flood flood(driver);
    expectServed(driver);
}

TEST(MessageFlood, clientsThatSendWithoutPauseDoNotKeepTheDriverFromEnding) {
    DriverProcess driver({"--drain-timeout", "100"});
    std::deque<Flood> floods;  // so many that there is always something to read
    for (int i = 0; i < 8; ++i) {
        const Flood& flood = floods.emplace_back(driver);
        ASSERT_TRUE(eventually([&] { return flood.batches() > 10; }));
    }
    driver.signal(SIGTERM);
    EXPECT_EQ(driver.waitForEnd(), 0);
}

/// Sends `count` calls that have an object among their arguments that is promised and never comes,
/// and waits until all have failed. Returns how many have because the driver closed the connection.
std::size_t callWithPromises(const DriverProcess& driver, std::size_t count,
                             std::uint32_t bytesEach) {
    std::size_t cutOff = 0;
    ::signal(SIGPIPE, SIG_IGN);  // the driver closes the connection while calls are written
    device::EventLoop loop;
    {
        auto stream = loop.io().lowLevelProvider->wrapUnixSocketFd(connectTo(driver).release());
        capnp::TwoPartyVatNetwork network(*stream, device::kMaximumFdsPerMessage,
                                          capnp::rpc::twoparty::Side::CLIENT);
        auto system = capnp::makeRpcClient(network);
        capnp::MallocMessageBuilder message;
        auto server = message.initRoot<capnp::rpc::twoparty::VatId>();
        server.setSide(capnp::rpc::twoparty::Side::SERVER);
        auto open = system.bootstrap(server).castAs<rpc::Driver>().openRequest();
        open.setProtocolVersion(4);
        auto driverDevice = open.send().getDevice();
        std::size_t failed = 0;
        auto calls = kj::heapArrayBuilder<kj::Promise<void>>(count);
        for (std::size_t i = 0; i < count; ++i) {
            auto call = driverDevice.getSupportedOperationsRequest();
            auto model = call.initModel();
            model.initOperandValues().initInline(bytesEach);
            auto pool = model.initPools(1)[0];
            pool.setSizeBytes(4096);
            pool.setMemory(kj::Promise<rpc::Memory::Client>(kj::NEVER_DONE));
            calls.add(call.send().ignoreResult().then(
                [] {},
                [&](kj::Exception&& exception) {
                    ++failed;
                    cutOff += exception.getType() == kj::Exception::Type::DISCONNECTED ? 1 : 0;
                }));
        }
        loop.run(kj::joinPromises(calls.finish()));
        EXPECT_EQ(failed, count);
    }
    loop.close();
    return cutOff;
}

/// Sends a byte as soon as the driver has read the one before, until `end`. Gives their number.
int sendBytewise(const UniqueFd& socket, std::chrono::steady_clock::time_point end) {
    int sent = 0;
    while (std::chrono::steady_clock::now() < end) {
        int unread = 0;
        EXPECT_EQ(::ioctl(socket.get(), SIOCOUTQ, &unread), 0);
        if (unread == 0) {
            EXPECT_EQ(::send(socket.get(), "x", 1, MSG_NOSIGNAL), 1);
            ++sent;
        }
        std::this_thread::yield();
    }
    return sent;
}

TEST(MessageFlood, aMessageThatComesByteByByteDoesNotKeepTheDriverBusy) {
    constexpr std::array<std::uint32_t, 2> kHeader{0, (1 << 20) / 8};  // a segment of 1 MiB follows
    const DriverProcess driver;
    {
        const UniqueFd socket = connectTo(driver);
        ASSERT_EQ(::send(socket.get(), kHeader.data(), sizeof(kHeader), MSG_NOSIGNAL),
                  static_cast<ssize_t>(sizeof(kHeader)));
        // With pauses of 1, 2, 4, ... 512 ms they are some 20; without, some 100,000.
        EXPECT_LE(sendBytewise(socket, std::chrono::steady_clock::now() + 2s), 40);
    }
    expectServed(driver);
}

TEST(MessageFlood, aMessageInManyPiecesIsAnswered) {
    const DriverProcess driver;
    capnp::MallocMessageBuilder builder;
    builder.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(0);
    const kj::Array<capnp::word> words = capnp::messageToFlatArray(builder);
    const UniqueFd socket = connectTo(driver);
    for (const kj::byte& byte : words.asBytes()) {
        ASSERT_EQ(::send(socket.get(), &byte, 1, MSG_NOSIGNAL), 1);
        std::this_thread::sleep_for(1ms);
    }
    pollfd answered{.fd = socket.get(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&answered, 1, 30'000), 1);
}

TEST(MessageFlood, callsThatWaitForAPromiseAreCharged) {
    const DriverProcess driver({"--limit", "client.messages=48M"});
    expectServed(driver);
    EXPECT_GT(callWithPromises(driver, 120, 1 * kMiB), 0U);
    EXPECT_LT(residentBytes(driver.pid()), 128 * kMiB);
    expectServed(driver);
}

TEST(MessageFlood, aCallThatWaitsForAPromiseFailsAfterAWhile) {
    const DriverProcess driver;
    EXPECT_EQ(callWithPromises(driver, 1, 16), 0U);
}

}  // namespace
}  // namespace nnburst::test
