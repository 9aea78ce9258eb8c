// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/broker.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "device/rpc/closing_sockets.h"
#include "device/rpc/descriptor_thread.h"
#include "log/assert.h"
#include "log/client_log.h"
#include "log/logger.h"
#include "system/interruption.h"

namespace nnburst::device {

namespace {

/// Time for a worker to end by itself when its last client has disconnected, or its channel has
/// ended.
constexpr kj::Duration kTimeToEnd = 2 * kj::SECONDS;

/// How often a worker that is ready is asked whether its event loop runs, and its time to answer.
/// Longer than kHangTimeout: a client that waits has given up before its worker is killed.
constexpr kj::Duration kPingInterval = 5 * kj::SECONDS;

/// Waits for a turn that are longer are logged: after kHangTimeout a client gives up.
constexpr kj::Duration kLoggedWait = 1 * kj::SECONDS;

using Observer = kj::UnixEventPort::FdObserver;

/// The next message of a worker. A client may have taken the worker over, and make it send sockets
/// that linger: the kernel drops them here.
Result<std::optional<WorkerMessage>> nextMessage(const WorkerProcess& process) {
    const system::ScopedInterruption interruption;
    return receiveWorkerReport(process.channel());
}

bool hasHungUp(kj::AsyncIoStream& client) {
    pollfd event{.fd = -1, .events = POLLRDHUP, .revents = 0};
    KJ_IF_MAYBE (fd, client.getFd()) {
        event.fd = *fd;
    }
    return ::poll(&event, 1, 0) == 1;
}

void logLongWait(const AdmittedClient& client, kj::Duration wait) {
    if (wait > kLoggedWait) {
        clientLog().write(LogLevel::WARNING,
                          fmt::format("client {} ({}) has waited {} ms for the start of a worker: "
                                      "many clients of user {} connect at once",
                                      client.number, client.description, wait / kj::MILLISECONDS,
                                      client.identity.user));
    }
}

/// Resolves when a worker was not runnable at WorkerTurns::kIdleLooks looks in a row. `idleLooks`:
/// how many of them there have been.
kj::Promise<void> whenIdle(kj::Timer& timer, const WorkerProcess& worker, int idleLooks = 0) {
    return timer.afterDelay(WorkerTurns::kLookInterval)
        .then([&timer, &worker, idleLooks]() -> kj::Promise<void> {
            const int looks = worker.isRunnable() ? 0 : idleLooks + 1;
            if (looks == WorkerTurns::kIdleLooks) {
                return kj::READY_NOW;
            }
            return whenIdle(timer, worker, looks);
        });
}

}  // namespace

struct Broker::Worker {
    std::uint64_t number = 0;
    uid_t user = 0;
    std::string owner;  // for the log
    std::unique_ptr<WorkerProcess> process;
    kj::Promise<void> turn = kj::READY_NOW;  // has its turn, which ends with the promise
    kj::TimePoint startBy = kj::origin<kj::TimePoint>();  // if not ready by then, it is killed
    bool isReady = false;
    bool isReleased = false;  // it has no clients any more
    bool isEnding = false;    // it was killed, or has ended its channel
    bool isPinged = false;    // and has not answered
    /// The clients that it serves, by their numbers: fulfilled when they have disconnected, the
    /// last one when the worker has ended.
    std::map<std::uint64_t, kj::Own<kj::PromiseFulfiller<void>>> clients;
    kj::Own<Observer> messages;                // of the channel
    kj::Promise<void> reader = kj::READY_NOW;  // destroyed before what it refers to

    [[nodiscard]] bool takesClients() const noexcept { return !isReleased && !isEnding; }
};

Broker::Broker(EventLoop& loop, BrokerOptions options)
    : loop_(loop),
      isolation_(options.isolation),
      command_(std::move(options.command)),
      starter_(std::move(options.starter)),
      timeToStart_(options.timeToStart),
      accounts_(std::move(options.limits)),
      admission_(loop, std::move(options.admission), accounts_),
      tasks_(*this) {
    NNBURST_ASSERT(isolation_ != Isolation::NONE && starter_ != nullptr,
                   "a broker without workers");
}

Broker::~Broker() = default;

void Broker::taskFailed(kj::Exception&& exception) {
    logger().error("broker: {}", exception.getDescription().cStr());
}

kj::Promise<void> Broker::listen(int socket) {
    return admission_.listen(socket, [this](ClientStream stream, AdmittedClient admitted) {
        auto taken = turns_.take(admitted.identity.user);
        return taken.then([this, stream = kj::mv(stream), admitted = std::move(admitted),
                           since = loop_.timer().now()](WorkerTurns::TurnPointer turn) mutable {
            logLongWait(admitted, loop_.timer().now() - since);
            return serve(kj::mv(stream), std::move(admitted), std::move(turn));
        });
    });
}

kj::Promise<void> Broker::drain() {
    auto pair = kj::newPromiseAndFulfiller<void>();
    drained_ = kj::mv(pair.fulfiller);
    for (const auto& [number, worker] : workers_) {
        // If there is no room for the message, the worker does not read its messages; it is killed
        // at the end.
        (void)sendWorkerMessage(worker->process->channel(), {.kind = WorkerMessage::Kind::DRAIN});
    }
    if (workers_.empty()) {
        drained_->fulfill();
    }
    return kj::mv(pair.promise);
}

Broker::Counts Broker::counts() const noexcept {
    return {.workers = workers_.size(), .started = startedCount_, .failed = failedCount_};
}

kj::Promise<void> Broker::serve(ClientStream stream, AdmittedClient admitted,
                                WorkerTurns::TurnPointer turn) {
    if (hasHungUp(*stream) || drained_.get() != nullptr) {
        dropConnection(kj::mv(stream));
        return kj::READY_NOW;
    }
    auto given = [&]() -> Result<SharedWorker> {
        NNBURST_TRY_ASSIGN(SharedWorker worker, workerFor(admitted, std::move(turn)));
        int socket = -1;
        KJ_IF_MAYBE (fd, stream->getFd()) {
            socket = *fd;
        }
        const Result<> sent = sendWorkerMessage(
            worker->process->channel(),
            {.kind = WorkerMessage::Kind::SERVE, .client = admitted.number}, socket);
        if (!sent) {
            if (worker->clients.empty()) {
                release(*worker);
            }
            return tl::unexpected<Error>(sent.error());
        }
        return worker;
    }();
    if (!given) {
        return admission_.refuse(kj::mv(stream), admitted.description, given.error());
    }
    {  // the last reference to the socket if the worker has closed its own, with what lies in it
        const system::ScopedInterruption interruption;
        stream = nullptr;
    }
    auto pair = kj::newPromiseAndFulfiller<void>();
    (*given)->clients.emplace(admitted.number, kj::mv(pair.fulfiller));
    return pair.promise.attach(kj::heap(std::move(admitted)));
}

Result<Broker::SharedWorker> Broker::workerFor(const AdmittedClient& client,
                                               WorkerTurns::TurnPointer turn) {
    if (isolation_ == Isolation::USER) {
        const auto found = std::find_if(workers_.begin(), workers_.end(), [&](const auto& entry) {
            return entry.second->user == client.identity.user && entry.second->takesClients();
        });
        if (found != workers_.end()) {
            return found->second;
        }
    }
    NNBURST_TRY_ASSIGN(auto process, WorkerProcess::start(*starter_, command_));
    const auto worker = std::make_shared<Worker>();
    worker->number = ++startedCount_;
    worker->user = client.identity.user;
    worker->owner = isolation_ == Isolation::USER
                        ? fmt::format("user {}", client.identity.user)
                        : fmt::format("client {} ({})", client.number, client.description);
    worker->process = std::move(process);
    worker->turn =
        whenIdle(loop_.timer(), *worker->process).attach(std::move(turn)).eagerlyEvaluate(nullptr);
    worker->startBy = loop_.timer().now() + timeToStart_;
    worker->messages = kj::heap<Observer>(loop_.io().unixEventPort, worker->process->channel(),
                                          Observer::OBSERVE_READ);
    worker->reader =
        readMessages(*worker)
            .exclusiveJoin(watch(*worker))
            .eagerlyEvaluate([this](kj::Exception&& exception) { taskFailed(kj::mv(exception)); });
    auto ended = awaitEnd(*worker);  // first: a worker of which this fails is not kept
    workers_.emplace(worker->number, worker);
    tasks_.add(kj::mv(ended));
    logger().debug("worker {} has started for {}", worker->process->pid(), worker->owner);
    return worker;
}

kj::Promise<void> Broker::readMessages(Worker& worker) {
    return worker.messages->whenBecomesReadable().then([this, &worker]() -> kj::Promise<void> {
        return readAvailable(worker) ? readMessages(worker) : kj::Promise<void>(kj::READY_NOW);
    });
}

/// False if no more messages are read. A worker sends that it is ready, once, and at most one
/// message for each of its clients and for each ping.
bool Broker::readAvailable(Worker& worker) {
    while (!worker.isReleased) {
        Result<> handled;
        if (const auto message = nextMessage(*worker.process); !message) {
            handled = tl::unexpected<Error>(message.error());
        } else if (!*message) {
            return true;
        } else {
            handled = handle(worker, **message);
        }
        if (!handled) {
            giveUp(worker, handled.error());
            return false;
        }
    }
    return false;
}

/// Resolves when the worker takes no more clients. One whose event loop stands still would not see
/// that its clients go. One that is not ready has no event loop yet.
kj::Promise<void> Broker::watch(Worker& worker) {
    return loop_.timer().afterDelay(kPingInterval).then([this, &worker]() -> kj::Promise<void> {
        if (!readAvailable(worker)) {
            return kj::READY_NOW;
        }
        if (!worker.isReady) {
            if (loop_.timer().now() < worker.startBy) {
                return watch(worker);
            }
            giveUp(worker,
                   {ErrorStatus::GENERAL_FAILURE, fmt::format("it has not become ready within {} s",
                                                              timeToStart_ / kj::SECONDS)});
            return kj::READY_NOW;
        }
        if (worker.isPinged) {
            giveUp(worker, {ErrorStatus::GENERAL_FAILURE,
                            fmt::format("its event loop has not answered for {} s",
                                        kPingInterval / kj::SECONDS)});
            return kj::READY_NOW;
        }
        worker.isPinged = true;
        // If there is no room for the message, the worker does not answer either.
        (void)sendWorkerMessage(worker.process->channel(), {.kind = WorkerMessage::Kind::PING});
        return watch(worker);
    });
}

/// Kills a worker at once, or after kTimeToEnd if it has ended its channel.
void Broker::giveUp(Worker& worker, const Error& reason) {
    worker.isEnding = true;
    worker.turn = kj::READY_NOW;
    if (reason.status == ErrorStatus::DEVICE_UNAVAILABLE) {
        killLater(worker);
    } else {
        clientLog().write(LogLevel::ERROR,
                          fmt::format("worker {} of {} is killed: {}", worker.process->pid(),
                                      worker.owner, reason.message));
        worker.process->kill();
    }
}

/// Refuses messages that only a worker that was taken over sends.
Result<> Broker::handle(Worker& worker, const WorkerMessage& message) {
    if (message.kind == WorkerMessage::Kind::READY && !worker.isReady) {
        worker.isReady = true;
        worker.turn = kj::READY_NOW;
        return {};
    }
    if (message.kind == WorkerMessage::Kind::ALIVE && worker.isPinged) {
        worker.isPinged = false;
        return {};
    }
    const auto client = worker.clients.find(message.client);
    if (message.kind != WorkerMessage::Kind::GONE || client == worker.clients.end()) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("message of a worker with kind {} and client {}: must be that "
                                   "it is ready, once, that one of its clients has gone, or the "
                                   "answer to a ping",
                                   static_cast<std::uint32_t>(message.kind), message.client));
    }
    if (worker.clients.size() == 1) {
        release(worker);  // the client stays charged until end(), so that all running workers are
        return {};
    }
    client->second->fulfill();
    worker.clients.erase(client);
    return {};
}

void Broker::release(Worker& worker) {
    worker.isReleased = true;
    worker.process->release();
    killLater(worker);
}

/// Kills a worker if it has not ended after kTimeToEnd.
void Broker::killLater(const Worker& worker) {
    tasks_.add(loop_.timer().afterDelay(kTimeToEnd).then([this, number = worker.number] {
        if (const auto found = workers_.find(number); found != workers_.end()) {
            found->second->process->kill();
        }
    }));
}

kj::Promise<void> Broker::awaitEnd(const Worker& worker) {
    auto observer = kj::heap<Observer>(loop_.io().unixEventPort, worker.process->endDescriptor(),
                                       Observer::OBSERVE_READ);
    auto ended = observer->whenBecomesReadable();
    return ended.attach(kj::mv(observer)).then([this, number = worker.number] { end(number); });
}

void Broker::end(std::uint64_t number) {
    const auto found = workers_.find(number);
    NNBURST_ASSERT(found != workers_.end(), "worker {} has ended twice", number);
    SharedWorker worker = std::move(found->second);
    workers_.erase(found);
    (void)readAvailable(*worker);  // messages that it has sent before
    const WorkerProcess::End end = worker->process->reap();
    const bool isExpected = worker->isReleased || drained_.get() != nullptr;
    if (!end.isClean || !isExpected) {
        ++failedCount_;
        clientLog().write(LogLevel::WARNING,
                          fmt::format("worker {} of {} has ended: {}; {} clients are cut off",
                                      worker->process->pid(), worker->owner, end.text,
                                      worker->isReleased ? 0 : worker->clients.size()));
    }
    for (auto& [client, gone] : worker->clients) {
        gone->fulfill();
    }
    if (workers_.empty() && drained_.get() != nullptr) {
        drained_->fulfill();
    }
    // What it has sent is closed with its channel, which may take long.
    const auto process =
        std::make_shared<std::unique_ptr<WorkerProcess>>(std::move(worker->process));
    worker.reset();  // its observer ends before the channel
    DescriptorThread::close(DescriptorThread::ofSockets(), [process] {
        const system::ScopedInterruption interruption;
        process->reset();
    });
}

}  // namespace nnburst::device
