// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The limits on the resources that clients occupy in a driver. docs/driver.md has the table of
/// limits.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "account/account.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::device {

/// The limits of one user.
struct UserLimits {
    Amounts user;    ///< of all clients of the user together
    Amounts client;  ///< of each client
    /// The highest priority of models; a model that asks for a higher one gets this.
    Priority highestPriority = Priority::MEDIUM;
};

/// The limits of a driver.
struct Limits {
    Amounts driver;    ///< of all clients together
    UserLimits users;  ///< of each user that is not in `ofUser`
    std::map<uid_t, UserLimits> ofUser;

    [[nodiscard]] const UserLimits& of(uid_t user) const;
};

/// The system's resources, from which the default limits are derived.
struct MachineSize {
    std::uint64_t memoryBytes = 0;
    std::uint64_t descriptors = 0;  ///< that this process may have open
    /// Mappings that this process may have (vm.max_map_count); Linux's default unless it is given.
    std::uint64_t mappings = 65530;

    /// Of this machine and this process. The control group may have less memory
    /// (system::memoryLimitOfControlGroup).
    [[nodiscard]] static MachineSize get() noexcept;
};

/// Descriptors that clients cannot use: a third of those that the process may have, and at most 96.
[[nodiscard]] std::uint64_t reservedDescriptors(const MachineSize& machine) noexcept;

/// How many refused clients at a time get an answer, and how many sockets may wait to be closed
/// while more are accepted. With three descriptors for each such client and one for each socket,
/// both fit into the reserve beside the driver's own descriptors: its sockets, event loop, log and
/// status.
[[nodiscard]] std::size_t maximumRefusals(const MachineSize& machine) noexcept;

/// The limits of a driver that clients of several users share: a user has at most two thirds of
/// what the driver has, a client half.
[[nodiscard]] Limits defaultLimits(const MachineSize& machine) noexcept;

/// The limits of a driver that one application has started for itself: what the machine has, at any
/// priority.
[[nodiscard]] Limits limitsOfOwnDriver(const MachineSize& machine) noexcept;

/// Changes one limit. `assignment` is "SCOPE.RESOURCE=AMOUNT", such as "user.memory=2G" or
/// "client.bursts=16". The scope is driver, user, client, or the number of a user, such as
/// "1000.memory=4G", for that user as a whole. "user.priority=high" and "1000.priority=high" grant
/// a priority. INVALID_ARGUMENT names what is wrong.
[[nodiscard]] Result<> setLimit(const std::string& assignment, Limits& limits);

/// Changes the limits that the file at `path` names: one assignment for setLimit on each line.
/// Empty lines, and lines that begin with '#', are ignored. INVALID_ARGUMENT names the line.
[[nodiscard]] Result<> setLimitsFromFile(const std::string& path, Limits& limits);

}  // namespace nnburst::device
