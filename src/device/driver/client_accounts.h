// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The accounts of a driver: one for the driver, one for each user that has clients, one for each
/// client.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "account/account.h"
#include "device/driver/client_identity.h"
#include "device/driver/limits.h"
#include "device/local/local_device.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// The account of a client, and what its user may do.
struct ClientAccount {
    SharedAccount account;
    SharesOfUser shares;  ///< of its user
    Priority highestPriority = Priority::MEDIUM;
    Charge connection;  ///< given back when the client has gone
    Charge descriptors;
};

/// Used by one thread.
class ClientAccounts {
  public:
    /// Descriptors that the driver needs for a connection: its socket, which is observed, the
    /// stand-in for received descriptors, and the client's process. PeerDescriptors charges the one
    /// that it keeps.
    static constexpr std::uint64_t kDescriptorsOfConnection = 4;

    explicit ClientAccounts(Limits limits);

    /// An account of this name for a client, below that of its user. RESOURCE_EXHAUSTED_TRANSIENT
    /// if the user or the driver has reached its limit on connections or descriptors.
    [[nodiscard]] Result<ClientAccount> open(const ClientIdentity& client, std::string name);

    [[nodiscard]] const SharedAccount& driver() const noexcept { return driver_; }
    /// The accounts of the users that have clients, by the number of the user.
    [[nodiscard]] std::vector<SharedAccount> users() const;

  private:
    const Limits limits_;
    const SharedAccount driver_;
    struct User {
        std::weak_ptr<Account> account;  // held by those of its clients
        SharesOfUser shares;
    };

    std::map<uid_t, User> users_;
};

}  // namespace nnburst::device
