// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Accepts connections, decides which clients are served, and sends the others the reason of their
/// refusal.

#include <kj/async-io.h>
#include <kj/async.h>

#include <cstdint>
#include <functional>
#include <string>

#include "device/driver/access_list.h"
#include "device/driver/client_accounts.h"
#include "device/driver/client_identity.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/protocol_version.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// A connected socket of a client, and the descriptors that come over it.
using ClientStream = kj::Own<kj::AsyncCapabilityStream>;

/// A client that is to be served.
struct AdmittedClient {
    std::uint64_t number = 0;  ///< in the order of their connection
    ClientIdentity identity;
    std::string description;  ///< as UserNames::describe
    ClientAccount account;
};

/// Used on the event loop's thread only.
class Admission final : private kj::TaskSet::ErrorHandler {
  public:
    struct Options {
        AccessList access;          ///< the clients that `listen` admits
        UserNames userNames;        ///< for the log
        ProtocolVersions versions;  ///< for answers to clients that are refused
    };

    /// Resolves when the client is gone.
    using Serve = std::function<kj::Promise<void>(ClientStream, AdmittedClient)>;

    /// `accounts` outlive this object.
    Admission(EventLoop& loop, Options options, ClientAccounts& accounts);
    KJ_DISALLOW_COPY(Admission);

    /// Accepts clients on a listening Unix socket, which is borrowed. Those that are not admitted
    /// get the reason when they open the connection. Logs each client. Never resolves.
    [[nodiscard]] kj::Promise<void> listen(int socket, Serve serve);

    /// Serves a client that another process has accepted and admitted under `number`.
    [[nodiscard]] kj::Promise<void> admitAs(ClientStream stream, std::uint64_t number,
                                            const Serve& serve);

    /// Sends a client the reason of its refusal. `who` is for the log. Resolves when it is gone.
    [[nodiscard]] kj::Promise<void> refuse(ClientStream stream, const std::string& who,
                                           const Error& reason);

  private:
    void taskFailed(kj::Exception&& exception) override;
    kj::Promise<void> acceptNext(kj::ConnectionReceiver& receiver, const Serve& serve);
    void admit(ClientStream stream, const Serve& serve);
    Result<AdmittedClient> open(const ClientIdentity& identity, std::uint64_t number);
    kj::Promise<void> sendReason(ClientStream stream, const Error& reason);

    EventLoop& loop_;
    const Options options_;
    ClientAccounts& accounts_;
    const std::size_t maximumRefusals_;  // at a time; more are closed without an answer
    std::uint64_t lastNumber_ = 0;       // of the clients that were ever admitted
    std::size_t refusalCount_ = 0;       // refused clients that are still connected
    kj::TaskSet clients_;
};

/// Who is at the other end of a client's stream.
[[nodiscard]] Result<ClientIdentity> identityOf(kj::AsyncIoStream& client);

}  // namespace nnburst::device
