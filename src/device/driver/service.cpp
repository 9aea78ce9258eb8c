// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/service.h"

#include <fmt/format.h>
#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <utility>

#include "device/driver/client_connection.h"
#include "device/driver/client_context.h"
#include "device/driver/client_identity.h"
#include "device/driver/device_service.h"
#include "device/driver/run_on_job_thread.h"
#include "device/rpc/closing_sockets.h"
#include "device/rpc/conversion.h"
#include "device/rpc/nnburst.capnp.h"
#include "device/rpc/rpc_limits.h"
#include "log/assert.h"
#include "log/client_log.h"
#include "log/logger.h"
#include "system/process.h"
#include "system/thread.h"

namespace nnburst::device {

namespace {

/// Delay after a client has disconnected. By then most of its objects are destroyed, and clients
/// that disconnect together cause a single call.
constexpr kj::Duration kReturnMemoryAfter = 1 * kj::SECONDS;

/// How often a draining service checks whether it is idle.
constexpr kj::Duration kIdleCheckInterval = 2 * kj::MILLISECONDS;

/// malloc_trim(3), unless another thread is within it: it may take seconds.
void trimHeap() noexcept {
    static std::atomic<bool> isTrimming{false};
    if (!isTrimming.exchange(true, std::memory_order_relaxed)) {  // no data is handed over
        ::malloc_trim(0);
        isTrimming.store(false, std::memory_order_relaxed);
    }
}

/// Resolves when the client's process has ended. Its connection may outlive it otherwise: a socket
/// that lies in a message to the driver, or that the driver has received, is not closed with the
/// process. Never resolves for a process that cannot be seen from here.
kj::Promise<void> endOfClient(EventLoop& loop, const ClientIdentity& client) {
    if (client.process <= 0) {
        return kj::NEVER_DONE;
    }
    UniqueFd process = system::openProcess(client.process);
    if (!process) {
        return errno == ESRCH ? kj::Promise<void>(kj::READY_NOW) : kj::NEVER_DONE;
    }
    return whenProcessEnds(loop, std::move(process));
}

/// The first object that a client gets: it opens the connection.
class DriverService final : public rpc::Driver::Server {
  public:
    DriverService(rpc::Device::Client device, const ProtocolVersions& versions)
        : device_(kj::mv(device)), versions_(versions) {}

  protected:
    kj::Promise<void> open(OpenContext context) override {
        const std::uint32_t theirs = context.getParams().getProtocolVersion();
        auto results = context.getResults();
        results.setProtocolVersion(versions_.answerTo(theirs));
        if (!versions_.contains(theirs)) {
            toMessage(failure(ErrorStatus::DEVICE_UNAVAILABLE,
                              fmt::format("open with version {} of the protocol: must be {} to {}, "
                                          "the versions of this driver",
                                          theirs, versions_.oldest, versions_.newest)),
                      results.initStatus());
            return kj::READY_NOW;
        }
        toMessage(Result<>(), results.initStatus());
        results.setDevice(device_);
        return kj::READY_NOW;
    }

    kj::Promise<void> ping(PingContext /*context*/) override { return kj::READY_NOW; }

  private:
    rpc::Device::Client device_;
    const ProtocolVersions versions_;
};

}  // namespace

Service::Service(EventLoop& loop, std::shared_ptr<LocalDevice> device, ServiceOptions options)
    : loop_(loop),
      device_(std::move(device)),
      userNames_(options.admission.userNames),
      versions_(options.admission.versions),
      accounts_(std::move(options.limits)),
      tasks_(*this),
      admission_(loop, std::move(options.admission), accounts_) {}

void Service::taskFailed(kj::Exception&& exception) {
    logger().debug("client: {}", exception.getDescription().cStr());
}

kj::Promise<void> Service::serve(ClientStream stream) {
    ClientIdentity identity;
    auto account = [&]() -> Result<ClientAccount> {
        NNBURST_TRY_ASSIGN(identity, identityOf(*stream));
        return accounts_.open(identity, userNames_.describe(identity));
    }();
    if (!account) {
        clientLog().write(LogLevel::WARNING, "refused a client: " + account.error().message);
        dropConnection(kj::mv(stream));
        return kj::READY_NOW;
    }
    return serve(kj::mv(stream), std::move(*account), std::move(identity));
}

kj::Promise<void> Service::serve(ClientStream stream, ClientAccount account,
                                 ClientIdentity identity) {
    auto peer = PeerDescriptors::create(loop_, *stream, account.account);
    if (!peer) {
        clientLog().write(LogLevel::WARNING, "refused a client: " + peer.error().message);
        dropConnection(kj::mv(stream));
        return kj::READY_NOW;
    }
    // Its end takes long where many fences or mappings are left.
    const auto own = device_->forClient(account.shares, account.account, account.highestPriority);
    auto device = droppedOnJobThread(own->scheduler(), own);
    auto context = std::make_shared<const ClientContext>(
        ClientContext{loop_, own->scheduler(), own->servingThreads(), *peer, work_});
    auto connection = kj::heap<ClientConnection>(
        *peer, kj::mv(stream),
        kj::heap<DriverService>(serveDevice(std::move(context), device), versions_),
        readerOptions());
    auto disconnected =
        connection->onDisconnect().exclusiveJoin(endOfClient(loop_, identity)).then([this, device] {
            device->cancelExecutions();
            returnMemoryLater();
        });
    const std::uint64_t number = ++servedCount_;
    connected_.emplace(
        number, ConnectedClient{
                    .identity = std::move(identity), .account = account.account, .device = device});
    return disconnected.attach(kj::mv(connection), kj::heap(std::move(account)),
                               kj::defer([this, number] { forget(number); }));
}

/// Returns memory that clients have freed to the system; the C library would keep it. On a thread
/// of its own: job threads may have a low priority, and others wait for the locks of the heap.
void Service::returnMemoryLater() {
    if (!isReturningMemory_) {
        isReturningMemory_ = true;
        tasks_.add(loop_.timer().afterDelay(kReturnMemoryAfter).then([this] {
            isReturningMemory_ = false;
            if (auto thread = system::startThread("nnburst-trim", trimHeap)) {
                thread->detach();
            } else {  // there is no memory for its stack
                device_->scheduler()->submit(trimHeap);
            }
        }));
    }
}

void Service::forget(std::uint64_t number) {
    const auto found = connected_.find(number);
    NNBURST_ASSERT(found != connected_.end(), "client {} is not connected", number);
    const exec::ExecutionCounts::Totals executions = found->second.device->executions();
    executionsOfGone_.add(executions);
    const uid_t user = found->second.identity.user;
    if (durationsOfGone_.contains(user) || durationsOfGone_.size() < kMaximumUsersOfGone) {
        durationsOfGone_[user].add(executions.durations);
    }
    connected_.erase(found);
}

std::vector<Service::Client> Service::clients() const {
    std::vector<Client> clients;
    for (const auto& [number, client] : connected_) {
        clients.push_back({.number = number,
                           .identity = client.identity,
                           .account = client.account,
                           .executions = client.device->executions()});
    }
    return clients;
}

exec::ExecutionCounts::Totals Service::executions(const std::vector<Client>& connected) const {
    exec::ExecutionCounts::Totals sum = executionsOfGone_;
    for (const Client& client : connected) {
        sum.add(client.executions);
    }
    return sum;
}

std::map<uid_t, system::DurationHistogram> Service::executionDurations(
    const std::vector<Client>& connected) const {
    std::map<uid_t, system::DurationHistogram> durations = durationsOfGone_;
    for (const Client& client : connected) {
        durations[client.identity.user].add(client.executions.durations);
    }
    return durations;
}

kj::Promise<void> Service::drain() {
    work_->refuseMore();
    return awaitIdle();
}

kj::Promise<void> Service::awaitIdle() {
    if (work_->isIdle()) {
        return kj::READY_NOW;
    }
    return loop_.timer().afterDelay(kIdleCheckInterval).then([this] { return awaitIdle(); });
}

kj::Promise<void> Service::listen(int socket) {
    return admission_.listen(socket, [this](ClientStream stream, AdmittedClient admitted) {
        return serveAdmitted(kj::mv(stream), std::move(admitted));
    });
}

kj::Promise<void> Service::serve(ClientStream stream, std::uint64_t number) {
    return admission_.admitAs(kj::mv(stream), number,
                              [this](ClientStream taken, AdmittedClient admitted) {
                                  return serveAdmitted(kj::mv(taken), std::move(admitted));
                              });
}

kj::Promise<void> Service::serveAdmitted(ClientStream stream, AdmittedClient admitted) {
    auto end = kj::defer([number = admitted.number, who = admitted.description,
                          account = admitted.account.account,
                          start = std::chrono::steady_clock::now()] {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        clientLog().write(LogLevel::INFO,
                          fmt::format("client {} has gone after {:.1f} s: {}; it used at most {}",
                                      number, time.count(), who, describeHighest(*account)));
    });
    return serve(kj::mv(stream), std::move(admitted.account), std::move(admitted.identity))
        .attach(kj::mv(end));
}

}  // namespace nnburst::device
