// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Messages of the control plane that are large, never end, or whose answers are never read.

#include <capnp/any.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "attack_models.h"
#include "device/rpc/conversion.h"
#include "nnburst/device.h"
#include "raw_client.h"
#include "raw_messages.h"
#include "scenario.h"
#include "stress_case.h"

namespace nnburst::stress {

namespace {

/// allocate() for four million prepared models, none of which is one.
void allocateForManyModels(const DriverUnderAttack& target) {
    RawClient client(target.socketPath);
    constexpr unsigned kModels = 4'000'000;
    while (true) {
        auto request = client.device().allocateRequest(capnp::MessageSize{kModels + 1000, 0});
        request.initPreparedModels(kModels);
        (void)request.send().wait(client.io().waitScope);
        target.log.noteDone();
    }
}

/// Calls of 30 MB whose memory is a promise that is never resolved, so that the driver keeps the
/// call.
void promiseMemory(const DriverUnderAttack& target) {
    RawClient client(target.socketPath);
    constexpr int kCalls = 120;
    constexpr unsigned kBytes = 30'000'000;
    std::vector<kj::Promise<void>> calls;
    std::vector<kj::Own<kj::PromiseFulfiller<rpc::Memory::Client>>> unkept;
    for (int i = 0; i < kCalls; ++i) {
        auto request = client.device().getSupportedOperationsRequest();
        auto model = request.initModel();
        model.getOperandValues().initInline(kBytes);
        auto promise = kj::newPromiseAndFulfiller<rpc::Memory::Client>();
        auto pool = model.initPools(1)[0];
        pool.setMemory(rpc::Memory::Client(kj::mv(promise.promise)));
        pool.setSizeBytes(4096);
        unkept.push_back(kj::mv(promise.fulfiller));
        calls.push_back(request.send().ignoreResult());
        client.serveFor(1);
        target.log.noteDone();
    }
    while (true) {
        client.serveFor(1000);
    }
}

/// Writes as much as the socket takes. False when the connection is lost.
bool sendSome(int socket, std::span<const std::byte> bytes, std::size_t& sent) {
    while (sent < bytes.size()) {
        const ssize_t count =
            ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0) {
            return errno == EAGAIN;
        }
        sent += static_cast<std::size_t>(count);
    }
    return true;
}

/// Messages of almost 32 MiB on 60 connections, the last byte of which never comes.
void sendHalfMessages(const DriverUnderAttack& target) {
    constexpr std::size_t kConnections = 60;
    constexpr std::uint32_t kWords = (32 << 20) / 8 - 64;
    // A segment table with one segment, and its contents.
    std::vector<std::byte> message(8 + std::size_t{kWords} * 8);
    std::memcpy(message.data() + 4, &kWords, sizeof(kWords));
    struct Connection {
        UniqueFd socket;
        std::size_t sent = 0;
    };
    std::vector<Connection> connections(kConnections);
    while (true) {
        for (Connection& connection : connections) {
            if (!connection.socket) {
                connection = {connectSocket(target.socketPath), 0};
                target.log.noteDone();
            }
            if (connection.socket &&
                !sendSome(connection.socket.get(), std::span(message).first(message.size() - 1),
                          connection.sent)) {
                connection.socket.reset();
            }
        }
        ::usleep(1000);
    }
}

/// Calls without end on one connection, whose answers stay in the socket and in the driver.
void readNoAnswers(const DriverUnderAttack& target) {
    const UniqueFd socket = connectSocket(target.socketPath);
    std::vector<std::byte> bytes = openingMessages();
    std::size_t sent = 0;
    for (std::uint32_t question = 2; socket; ++question) {
        const std::vector<std::byte> call = capabilitiesCall(question);
        bytes.insert(bytes.end(), call.begin(), call.end());
        if (bytes.size() < 64 * 1024) {
            continue;
        }
        while (sent < bytes.size()) {
            if (!sendSome(socket.get(), bytes, sent)) {
                return;
            }
            pollfd writable{.fd = socket.get(), .events = POLLOUT, .revents = 0};
            (void)::poll(&writable, 1, 1000);
        }
        target.log.noteDone();
        bytes.clear();
        sent = 0;
    }
}

/// Sends all of it and takes away what comes. False when the connection is lost.
bool exchange(int socket, std::span<const std::byte> bytes) {
    std::size_t sent = 0;
    std::vector<std::byte> answers(64 * 1024);
    while (sent < bytes.size()) {
        if (!sendSome(socket, bytes, sent) ||
            ::recv(socket, answers.data(), answers.size(), MSG_DONTWAIT) == 0) {
            return false;
        }
        pollfd ready{.fd = socket, .events = POLLOUT | POLLIN, .revents = 0};
        (void)::poll(&ready, 1, 1000);
    }
    return true;
}

/// Calls whose answers are read and never finished, so that the driver keeps them.
void finishNoCalls(const DriverUnderAttack& target) {
    const UniqueFd socket = connectSocket(target.socketPath);
    std::vector<std::byte> bytes = openingMessages();
    for (std::uint32_t question = 2; socket; ++question) {
        const std::vector<std::byte> call = capabilitiesCall(question);
        bytes.insert(bytes.end(), call.begin(), call.end());
        if (bytes.size() < 16 * 1024) {
            continue;
        }
        if (!exchange(socket.get(), bytes)) {
            throw KJ_EXCEPTION(DISCONNECTED, "the driver has cut the client off");
        }
        target.log.noteDone();
        bytes.clear();
    }
}

/// Calls to the answer of an allocate() whose model is a promise that nobody keeps, each to that of
/// the call before it.
void callUnansweredCalls(const DriverUnderAttack& target) {
    RawClient client(target.socketPath);
    constexpr int kCalls = 100'000;
    auto request = client.device().allocateRequest();
    auto promise = kj::newPromiseAndFulfiller<rpc::PreparedModel::Client>();
    request.initPreparedModels(1).set(0, kj::mv(promise.promise));
    auto first = request.send();
    capnp::Capability::Client last = first.getBuffer();
    std::vector<kj::Promise<void>> calls;
    for (int i = 0; i < kCalls; ++i) {
        auto call = last.castAs<rpc::PreparedModel>().configureExecutionBurstRequest().send();
        last = call.getBurst();
        calls.push_back(call.ignoreResult());
        if (i % 1000 == 0) {
            client.serveFor(1);
            target.log.noteDone();
        }
    }
    client.serveFor(1000);
}

/// Twelve calls of 6 MB that run operations of minutes. Together they exceed the limit on
/// unanswered bytes, so the driver no longer reads from this client, and does not read its end when
/// it is killed.
void callUntilNothingIsRead(const DriverUnderAttack& target) {
    constexpr int kCalls = 12;
    constexpr unsigned kBytesEach = 6'000'000;
    RawClient client(target.socketPath);
    auto prepared = client.prepare(makeHugeOperation(1.0F));
    const Request request = makeRequest(kHugeOperationBytes, kHugeOperationBytes);
    std::vector<kj::Promise<void>> calls;
    for (int i = 0; i < kCalls; ++i) {
        auto call = prepared.executeSynchronouslyRequest();
        auto unused = capnp::Orphanage::getForMessageContaining(
                          rpc::PreparedModel::ExecuteSynchronouslyParams::Builder(call))
                          .newOrphan<capnp::Data>(kBytesEach);
        (void)device::toMessage(request, call.initRequest());
        call.initOptions();
        calls.push_back(call.send().ignoreResult());
        target.log.noteDone();
    }
    while (true) {
        client.serveFor(1000);
    }
}

/// Messages of which each brings as many capabilities as 30 MB hold.
void sendManyCapabilities(const DriverUnderAttack& target) {
    const UniqueFd socket = connectSocket(target.socketPath);
    constexpr std::uint32_t kCapabilities = 1'800'000;
    if (!exchange(socket.get(), openingMessages())) {
        return;
    }
    for (std::uint32_t question = 2; socket; ++question) {
        if (!exchange(socket.get(), callWithCapabilities(question, kCapabilities))) {
            throw KJ_EXCEPTION(DISCONNECTED, "the driver has cut the client off");
        }
        target.log.noteDone();
    }
}

/// Never answers.
class SilentExecutionCallback final : public rpc::ExecutionCallback::Server {
  protected:
    kj::Promise<void> notify(NotifyContext /*context*/) override { return kj::NEVER_DONE; }
};

/// Executions whose end the client never acknowledges.
void acknowledgeNothing(const DriverUnderAttack& target) {
    RawClient client(target.socketPath);
    auto prepared = client.prepare(test::makeAddModel());
    const test::AddRequest add;
    while (true) {
        auto request = prepared.executeRequest();
        (void)device::toMessage(add.request, request.initRequest());
        request.initOptions();
        request.setCallback(kj::heap<SilentExecutionCallback>());
        (void)request.send().wait(client.io().waitScope);
        target.log.noteDone();
    }
}

/// Bytes of a good conversation, some of them changed, on connections that come and go.
void sendGarbage(const DriverUnderAttack& target) {
    std::mt19937 random(std::random_device{}());
    UniqueFd socket = connectSocket(target.socketPath);
    std::vector<std::byte> bytes = openingMessages();
    for (std::uint32_t question = 2; question < 50; ++question) {
        const std::vector<std::byte> call = capabilitiesCall(question);
        bytes.insert(bytes.end(), call.begin(), call.end());
    }
    for (std::uint32_t i = random() % 8; i > 0; --i) {
        bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    std::size_t sent = 0;
    (void)sendSome(socket.get(), bytes, sent);
    ::usleep(500);
}

/// A memfd of huge pages as the memory of a request, whose mapping may be larger than it says.
void sendHugePages(const DriverUnderAttack& target) {
    RawClient client(target.socketPath);
    auto prepared = client.prepare(test::makeAddModel());
    const UniqueFd file(::memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB));
    if (!file || ::ftruncate(file.get(), 2 << 20) != 0) {
        throw KJ_EXCEPTION(FAILED, "this machine has no huge pages");
    }
    (void)::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    for (const std::uint64_t sizeBytes : {4096, 2 << 20}) {
        auto request = prepared.executeSynchronouslyRequest();
        const test::AddRequest add;
        auto message = request.initRequest();
        (void)device::toMessage(add.request, message);
        setRegion(message.getPools()[0].initMemory(), file.get(), sizeBytes);
        request.initOptions();
        (void)request.send().wait(client.io().waitScope);
    }
}

/// Asks for a model of 450,000 operands, some 30 MB: what is long in it is reading it.
void sendLargeModels(const DriverUnderAttack& target) {
    RawClient client(target.socketPath);
    constexpr unsigned kOperands = 450'000;
    while (true) {
        auto request =
            client.device().getSupportedOperationsRequest(capnp::MessageSize{8 * kOperands, 0});
        for (auto operand : request.initModel().initMain().initOperands(kOperands)) {
            operand.initDimensions(1).set(0, 1);
        }
        (void)request.send().wait(client.io().waitScope);
        target.log.noteDone();
    }
}

/// Asks for models of four million operands that have no bytes in their message, again and again
/// without waiting for an answer.
void sendBytelessOperands(const DriverUnderAttack& target) {
    RawClient client(target.socketPath);
    const auto setOperands = [](rpc::Subgraph::Builder subgraph) {
        capnp::toAny(subgraph).getPointerSection()[0].initAsListOfAnyStruct(0, 0, 1U << 20);
    };
    constexpr std::size_t kCallsAtOnce = 64;
    while (true) {
        auto calls = kj::heapArrayBuilder<kj::Promise<void>>(kCallsAtOnce);
        for (std::size_t i = 0; i < kCallsAtOnce; ++i) {
            auto request = client.device().getSupportedOperationsRequest();
            auto model = request.initModel();
            setOperands(model.initMain());
            for (auto subgraph : model.initReferenced(3)) {
                setOperands(subgraph);
            }
            calls.add(request.send().ignoreResult());
        }
        kj::joinPromises(calls.finish()).wait(client.io().waitScope);
        target.log.noteDone();
    }
}

}  // namespace

StressCases messageCases() {
    return {
        attacking("allocate_many_models", "allocate() for four million prepared models",
                  repeatedly(allocateForManyModels)),
        attacking("unkept_promises", "120 calls with 30 MB each and memory that is never given",
                  repeatedly(promiseMemory)),
        attacking("half_messages", "60 connections, each with a message of 32 MiB without its end",
                  repeatedly(sendHalfMessages)),
        attacking("unread_answers", "calls whose answers are never read",
                  repeatedly(readNoAnswers)),
        attacking("unfinished_calls", "calls whose answers are read and never finished",
                  repeatedly(finishNoCalls)),
        attacking("unanswered_calls", "100,000 calls, each to the answer of the one before it",
                  repeatedly(callUnansweredCalls)),
        attacking("unread_end", "a client that is killed while none of its messages is read",
                  repeatedly(callUntilNothingIsRead)),
        attacking("many_capabilities", "calls with 1.8 million capabilities each",
                  repeatedly(sendManyCapabilities)),
        attacking("large_models", "models of 450,000 operands, 30 MB each",
                  repeatedly(sendLargeModels)),
        attacking("byteless_operands",
                  "models of four million operands without bytes in their messages",
                  repeatedly(sendBytelessOperands)),
        attacking("unanswered_callbacks", "executions whose end is never acknowledged",
                  repeatedly(acknowledgeNothing)),
        attacking("garbage", "conversations with changed bytes", repeatedly(sendGarbage)),
        attacking("huge_pages", "memory on huge pages, whose mappings are larger than they say",
                  repeatedly(sendHugePages)),
    };
}

}  // namespace nnburst::stress
