// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Connections: many that end at once, that come and go, that outlive their client.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "child.h"
#include "device/foreign_memory.h"
#include "nnburst/device.h"
#include "raw_client.h"
#include "raw_messages.h"
#include "scenario.h"
#include "stress_case.h"
#include "support/send_descriptors.h"

namespace nnburst::stress {

namespace {

using namespace std::chrono_literals;

/// The begin of a message: one segment of 1 MiB follows.
std::string messageBegin() {
    constexpr std::array<std::uint32_t, 2> kHeader{0, (1 << 20) / 8};
    return {reinterpret_cast<const char*>(kHeader.data()), sizeof(kHeader)};
}

/// Connections with a model and bursts each, which end when the client is killed.
void holdWholeClients(const DriverUnderAttack& target) {
    constexpr std::size_t kClients = 150;
    constexpr std::size_t kBurstsEach = 4;
    std::vector<SharedDevice> devices;
    std::vector<SharedPreparedModel> models;
    std::vector<std::unique_ptr<Burst>> bursts;
    for (std::size_t i = 0; i < kClients; ++i) {
        const auto device = nnburst::connect(target.socketPath);
        target.log.note(device);
        const auto prepared =
            device ? prepareModel(**device, test::makeAddModel())
                   : Result<SharedPreparedModel>(tl::unexpected<Error>(device.error()));
        if (!prepared) {
            continue;
        }
        for (std::size_t burst = 0; burst < kBurstsEach; ++burst) {
            auto made = (*prepared)->configureExecutionBurst({});
            target.log.note(made);
            if (made) {
                test::AddRequest add;
                ExecutionOutcome outcome;
                target.log.note((*made)->execute(add.request, {}, outcome));
                bursts.push_back(std::move(*made));
            }
        }
        devices.push_back(*device);
        models.push_back(*prepared);
    }
    holdUntilKilled();
}

/// Opens connections and leaves them before they are answered.
void comeAndGo(const DriverUnderAttack& target) {
    const std::vector<std::byte> messages = openingMessages();
    while (true) {
        const UniqueFd connection = connectSocket(target.socketPath);
        (void)::send(connection.get(), messages.data(), messages.size(), MSG_NOSIGNAL);
        target.log.noteDone();
    }
}

/// Long messages in pieces of a byte, each of which wakes the driver.
void sendBytewise(const DriverUnderAttack& target) {
    constexpr std::size_t kConnections = 200;
    std::vector<UniqueFd> connections;
    const std::string begin = messageBegin();
    for (std::size_t i = 0; i < kConnections; ++i) {
        connections.push_back(connectSocket(target.socketPath));
        (void)::send(connections.back().get(), begin.data(), begin.size(), MSG_NOSIGNAL);
    }
    while (true) {
        for (const UniqueFd& connection : connections) {
            (void)::send(connection.get(), "x", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            target.log.noteDone();
        }
    }
}

/// Connections that are held by messages in themselves and in each other, for as long as nothing
/// else ends them.
void sendOwnSockets(const DriverUnderAttack& target) {
    while (true) {
        const std::array<UniqueFd, 2> pair{connectSocket(target.socketPath),
                                           connectSocket(target.socketPath)};
        const std::array<int, 2> both{pair[0].get(), pair[1].get()};
        for (const UniqueFd& connection : pair) {
            if (connection && test::sendDescriptors(connection.get(), messageBegin(), both)) {
                target.log.noteDone();
            } else {
                std::this_thread::sleep_for(10ms);
            }
        }
    }
}

/// Clients of one thread each that read a byte of the answers now and then.
void readBytewise(const DriverUnderAttack& target) {
    constexpr std::size_t kConnections = 100;
    std::vector<UniqueFd> connections;
    std::uint32_t question = 2;
    const std::vector<std::byte> opening = openingMessages();
    for (std::size_t i = 0; i < kConnections; ++i) {
        connections.push_back(connectSocket(target.socketPath));
        (void)::send(connections.back().get(), opening.data(), opening.size(), MSG_NOSIGNAL);
    }
    while (true) {
        for (const UniqueFd& connection : connections) {
            const std::vector<std::byte> call = capabilitiesCall(question);
            (void)::send(connection.get(), call.data(), call.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            char byte = 0;
            (void)::recv(connection.get(), &byte, 1, MSG_DONTWAIT);
            target.log.noteDone();
        }
        ++question;
    }
}

/// Executes with memory of which the pages are taken away again and again.
void punchHoles(const DriverUnderAttack& target, PreparedModel& prepared) {
    constexpr std::size_t kBytes = std::size_t{1} << 20;
    const auto burst = prepared.configureExecutionBurst({});
    const auto region = Region::create(kBytes);
    if (!burst || !region) {
        return;
    }
    std::thread([fd = (*region)->fd()] {
        while (true) {
            (void)::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kBytes);
        }
    }).detach();
    ExecutionOutcome outcome;
    while (true) {
        target.log.note((*burst)->execute(test::addRequest(*region), {}, outcome));
        target.log.note(prepared.executeSynchronously(test::addRequest(*region), {}, outcome));
    }
}

}  // namespace

StressCases connectionCases() {
    return {
        attacking("end_together", "600 connections with a model and four bursts each end at once",
                  holdWholeClients, 4),
        attacking("come_and_go", "connections that are left before they are answered", comeAndGo,
                  3),
        attacking("byte_by_byte", "200 connections that send a message byte by byte", sendBytewise),
        attacking("own_sockets", "connections that are held by messages in each other",
                  sendOwnSockets),
        attacking("read_byte_by_byte", "100 connections whose answers are read byte by byte",
                  readBytewise),
        attacking("punched_memory", "memory whose pages are taken away during executions",
                  withPreparedModel(test::makeAddModel(), punchHoles)),
    };
}

}  // namespace nnburst::stress
