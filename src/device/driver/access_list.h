// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which users may use a driver, and the names of users and groups. Names are looked up when the
/// driver starts, because a look-up may block and needs files and sockets that a driver in its
/// sandbox cannot open.

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "device/driver/client_identity.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// The number of a group by its name or number. INVALID_ARGUMENT if there is none. May block.
[[nodiscard]] Result<gid_t> groupOf(const std::string& nameOrNumber);

/// Immutable.
class AccessList {
  public:
    /// Admits every client.
    AccessList() = default;
    /// Admits clients of these users and groups, each a name or a number; all if both are empty.
    /// INVALID_ARGUMENT for a name that the system does not know. May block.
    [[nodiscard]] static Result<AccessList> create(const std::vector<std::string>& users,
                                                   const std::vector<std::string>& groups);

    /// DEVICE_UNAVAILABLE if the client is neither of these users nor in one of these groups, with
    /// what the administrator has to change.
    [[nodiscard]] Result<> check(const ClientIdentity& client) const;

  private:
    std::vector<uid_t> users_;
    std::vector<gid_t> groups_;
};

/// The names of users in /etc/passwd when the driver started, for messages. Immutable.
class UserNames {
  public:
    [[nodiscard]] static UserNames read();

    /// Such as "process 4711 'camera', user 1000 'alice'"; unknown fields are left out.
    [[nodiscard]] std::string describe(const ClientIdentity& client) const;

  private:
    std::map<uid_t, std::string> names_;
};

}  // namespace nnburst::device
