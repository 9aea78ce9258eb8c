// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How many threads serve the bursts of each client and of each user, and whose burst may have one
/// more: an execution of minutes keeps a thread for minutes, so that a client with many of them
/// could keep all.

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>

#include "account/account.h"

namespace nnburst::burst {

/// Not thread-safe.
class ServingShares {
  public:
    /// The threads that serve bursts of one client, or of all clients of a user.
    struct Share {
        SharedAccount account;  // so that no other account has its address
        std::size_t served = 0;
    };
    /// The client and the user that a burst belongs to.
    struct Owner {
        std::shared_ptr<Share> client;
        std::shared_ptr<Share> user;
    };

    /// Threads beyond the maximum, for clients of which no other burst is served. The part of the
    /// maximum that a user has does not include them.
    static constexpr std::size_t kForOthers = 256;

    /// `maximumThreads` threads serve bursts, of all clients together.
    explicit ServingShares(std::size_t maximumThreads) noexcept : maximumThreads_(maximumThreads) {}

    /// The owner of a burst of the client with this account, whose user has the account above it.
    /// Bursts without an account belong to one client.
    [[nodiscard]] Owner ownerOf(const SharedAccount& account) {
        return {shareOf(account), shareOf(account == nullptr ? nullptr : account->parent())};
    }

    /// Whether a burst of `owner` may be served. `uncounted` of the threads that serve do not count
    /// towards the maximum.
    [[nodiscard]] bool mayBegin(const Owner& owner, std::size_t uncounted) const noexcept {
        const std::size_t allowed = maximumThreads_ + uncounted;
        if (served_ < allowed) {
            return true;
        }
        const std::size_t users = usersServed_ + (owner.user->served == 0 ? 1 : 0);
        return owner.user->served < std::max<std::size_t>(maximumThreads_ / users, 1) ||
               (owner.client->served == 0 && served_ < allowed + kForOthers);
    }
    void begin(const Owner& owner) noexcept {
        ++served_;
        usersServed_ += owner.user->served++ == 0 ? 1 : 0;
        owner.client->served += owner.client == owner.user ? 0 : 1;
    }
    void end(const Owner& owner) noexcept {
        --served_;
        usersServed_ -= --owner.user->served == 0 ? 1 : 0;
        owner.client->served -= owner.client == owner.user ? 0 : 1;
    }

    [[nodiscard]] std::size_t served() const noexcept { return served_; }

  private:
    std::shared_ptr<Share> shareOf(const SharedAccount& account) {
        std::weak_ptr<Share>& known = shares_[account.get()];
        std::shared_ptr<Share> share = known.lock();
        if (share == nullptr) {
            share = std::make_shared<Share>(Share{.account = account});
            known = share;
            std::erase_if(shares_, [](const auto& each) { return each.second.expired(); });
        }
        return share;
    }

    const std::size_t maximumThreads_;
    std::size_t served_ = 0;
    std::size_t usersServed_ = 0;
    std::map<const Account*, std::weak_ptr<Share>> shares_;
};

}  // namespace nnburst::burst
