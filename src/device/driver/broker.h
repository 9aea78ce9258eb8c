// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A driver that serves no client itself: it accepts and admits clients, and passes each to a
/// worker process, so that a fault that one client causes does not affect the others. It reads the
/// identity of admitted clients, and none of their messages.
///
///     client ──connect──▶ broker ──SERVE, socket──▶ worker of the client or of its user
///        ▲                   ▲                           │
///        │                   ├───────────PING───────────▶│
///        │                   └─────READY, GONE, ALIVE────┤
///        └────────────────── messages ──────────────────▶┘

#include <kj/async-io.h>
#include <kj/async.h>
#include <kj/time.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "device/driver/admission.h"
#include "device/driver/client_accounts.h"
#include "device/driver/isolation.h"
#include "device/driver/limits.h"
#include "device/driver/worker_messages.h"
#include "device/driver/worker_process.h"
#include "device/driver/worker_turns.h"
#include "device/rpc/event_loop.h"

namespace nnburst::device {

struct BrokerOptions {
    Isolation isolation = Isolation::CLIENT;  ///< not NONE
    WorkerCommand command;
    std::unique_ptr<system::ProgramStarter> starter;  ///< of workers
    Admission::Options admission;
    /// The broker applies the limits on connections, each worker applies the others.
    Limits limits;
    /// How long a worker may take to become ready. Long, as it may load libraries of a vendor.
    kj::Duration timeToStart = 60 * kj::SECONDS;
};

/// Used on the event loop's thread only.
class Broker final : private kj::TaskSet::ErrorHandler {
  public:
    struct Counts {
        std::uint64_t workers = 0;  ///< running now
        std::uint64_t started = 0;  ///< since the broker began
        std::uint64_t failed = 0;   ///< of these, workers that ended with another status than 0
    };

    Broker(EventLoop& loop, BrokerOptions options);
    /// Kills the workers that live, and reaps them.
    ~Broker();
    KJ_DISALLOW_COPY(Broker);

    /// Accepts clients on a listening Unix socket, which is borrowed. Never resolves.
    [[nodiscard]] kj::Promise<void> listen(int socket);

    /// Has each worker finish what it has begun, and end. Resolves when all have ended.
    [[nodiscard]] kj::Promise<void> drain();

    [[nodiscard]] Counts counts() const noexcept;
    [[nodiscard]] const ClientAccounts& accounts() const noexcept { return accounts_; }
    [[nodiscard]] std::uint64_t connectionCount() const noexcept {
        return accounts_.driver()->usage(Resource::CONNECTIONS).used;
    }

  private:
    struct Worker;
    using SharedWorker = std::shared_ptr<Worker>;

    void taskFailed(kj::Exception&& exception) override;
    kj::Promise<void> serve(ClientStream stream, AdmittedClient admitted,
                            WorkerTurns::TurnPointer turn);
    Result<SharedWorker> workerFor(const AdmittedClient& client, WorkerTurns::TurnPointer turn);
    kj::Promise<void> readMessages(Worker& worker);
    bool readAvailable(Worker& worker);
    kj::Promise<void> watch(Worker& worker);
    void giveUp(Worker& worker, const Error& reason);
    Result<> handle(Worker& worker, const WorkerMessage& message);
    void release(Worker& worker);
    void killLater(const Worker& worker);
    kj::Promise<void> awaitEnd(const Worker& worker);
    void end(std::uint64_t number);

    EventLoop& loop_;
    const Isolation isolation_;
    const WorkerCommand command_;
    const std::unique_ptr<system::ProgramStarter> starter_;
    const kj::Duration timeToStart_;
    ClientAccounts accounts_;
    WorkerTurns turns_;
    Admission admission_;                            // has promises of turns
    std::map<std::uint64_t, SharedWorker> workers_;  // by their numbers
    std::uint64_t startedCount_ = 0;
    std::uint64_t failedCount_ = 0;
    kj::Own<kj::PromiseFulfiller<void>> drained_;  // null until the broker drains
    kj::TaskSet tasks_;                            // first to end: refers to the workers
};

}  // namespace nnburst::device
