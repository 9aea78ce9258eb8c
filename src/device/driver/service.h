// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The driver's end of the control plane: serves a device to the clients that connect. The event
/// loop only moves messages; models are prepared and executed on job threads. The objects of a
/// client are freed when its connection ends.

#include <kj/async-io.h>
#include <kj/async.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/driver/admission.h"
#include "device/driver/client_accounts.h"
#include "device/driver/limits.h"
#include "device/driver/work_tracker.h"
#include "device/local/local_device.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/protocol_version.h"
#include "nnburst/memory.h"

namespace nnburst::device {

struct ServiceOptions {
    /// Whom `listen` admits. The versions are also those that clients may speak; others are for
    /// tests.
    Admission::Options admission;
    Limits limits;  ///< on the resources of clients
};

/// Used on the event loop's thread only.
class Service final : private kj::TaskSet::ErrorHandler {
  public:
    Service(EventLoop& loop, std::shared_ptr<LocalDevice> device, ServiceOptions options);
    KJ_DISALLOW_COPY(Service);

    /// What the clients use.
    [[nodiscard]] const ClientAccounts& accounts() const noexcept { return accounts_; }

    /// A client that is connected.
    struct Client {
        std::uint64_t number = 0;  ///< in the order of their connection
        ClientIdentity identity;
        SharedAccount account;
        exec::ExecutionCounts::Totals executions;
    };
    [[nodiscard]] std::vector<Client> clients() const;
    /// Of `connected`, which are those of clients(), and of those that have gone.
    [[nodiscard]] exec::ExecutionCounts::Totals executions(
        const std::vector<Client>& connected) const;
    /// How long executions of each user took: of the users of `connected`, which are those of
    /// clients(), and of users whose clients have gone.
    [[nodiscard]] std::map<uid_t, system::DurationHistogram> executionDurations(
        const std::vector<Client>& connected) const;

    /// How long jobs of all clients have waited for a thread.
    [[nodiscard]] system::DurationHistogram jobWaits(JobKind kind) const {
        return device_->scheduler()->waitsOfAll(kind);
    }

    /// Serves one client. Resolves when it is gone and what it held is freed.
    [[nodiscard]] kj::Promise<void> serve(ClientStream stream);

    /// Serves a client that another process has admitted under `number`. Logs when it goes.
    [[nodiscard]] kj::Promise<void> serve(ClientStream stream, std::uint64_t number);

    /// Accepts clients on a listening Unix socket, which is borrowed. Those that are not admitted
    /// get the reason when they open the connection. Logs each client. Never resolves.
    [[nodiscard]] kj::Promise<void> listen(int socket);

    /// Accepts no more work and finishes what was accepted: running executions of bursts, other
    /// executions, preparations. Calls that come later fail with DEVICE_UNAVAILABLE. Resolves when
    /// nothing is left; answers may still be on their way to the sockets.
    [[nodiscard]] kj::Promise<void> drain();

    [[nodiscard]] std::uint64_t connectionCount() const noexcept {
        return accounts_.driver()->usage(Resource::CONNECTIONS).used;
    }

  private:
    void taskFailed(kj::Exception&& exception) override;
    void forget(std::uint64_t number);
    void returnMemoryLater();
    kj::Promise<void> awaitIdle();
    kj::Promise<void> serve(ClientStream stream, ClientAccount account, ClientIdentity identity);
    kj::Promise<void> serveAdmitted(ClientStream stream, AdmittedClient admitted);

    EventLoop& loop_;
    std::shared_ptr<LocalDevice> device_;
    const UserNames userNames_;
    const ProtocolVersions versions_;
    ClientAccounts accounts_;
    const std::shared_ptr<WorkTracker> work_ = std::make_shared<WorkTracker>();
    struct ConnectedClient {
        ClientIdentity identity;
        SharedAccount account;
        std::shared_ptr<LocalDevice> device;
    };
    std::map<std::uint64_t, ConnectedClient> connected_;  // by their numbers
    /// Users whose executions are counted when their clients have gone.
    static constexpr std::size_t kMaximumUsersOfGone = 1024;
    exec::ExecutionCounts::Totals executionsOfGone_;
    std::map<uid_t, system::DurationHistogram> durationsOfGone_;
    std::uint64_t servedCount_ = 0;
    bool isReturningMemory_ = false;
    kj::TaskSet tasks_;
    Admission admission_;  // first to end: its clients refer to what is above
};

}  // namespace nnburst::device
