// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How many threads serve the bursts of each client and of each user, and whose burst may have one
/// more: an execution of minutes keeps a thread for minutes, so that a client with many of them
/// could keep all. Bursts that may not have one wait in a list for each client: to find the next of
/// them takes time in proportion to the clients that have such bursts, not to the bursts.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <utility>

#include "account/account.h"
#include "burst/list_element.h"
#include "burst/spin_shares.h"
#include "nnburst/types.h"

namespace nnburst::burst {

/// Not thread-safe, except for ClientThreads::hasMany.
class ServingShares {
  public:
    struct Candidate;

    /// The serving threads of one client's bursts, and the client's bursts that wait for one.
    struct ClientThreads {
        explicit ClientThreads(SharedAccount given) : account(std::move(given)) {}

        const SharedAccount account;  // kept alive, so that its address identifies it
        std::size_t served = 0;
        /// Whether more than kManyServed bursts are served. Any thread may read it; relaxed,
        /// because it only decides when turns end.
        std::atomic<bool> hasMany{false};
        SpinCount spins;                                 // of the threads that serve
        std::list<Candidate*> waiting;                   // the first has waited longest
        ListElement<ClientThreads> amongClients{*this};  // of its user
    };
    /// The same for all clients of one user together.
    struct UserThreads {
        explicit UserThreads(SharedAccount given) : account(std::move(given)) {}

        const SharedAccount account;
        std::size_t served = 0;
        SpinCount spins;
        std::list<ClientThreads*> waitingClients;    // those that have bursts that wait
        ListElement<UserThreads> amongUsers{*this};  // those that have such clients
    };
    /// The client and the user that a burst belongs to.
    struct Owner {
        std::shared_ptr<ClientThreads> client;
        std::shared_ptr<UserThreads> user;
    };
    /// A burst that may have to wait for a thread. Not destroyed while it waits.
    struct Candidate {
        Owner owner;
        std::uint64_t arrival = 0;                // among all that wait
        ListElement<Candidate> queueNode{*this};  // among those of its client that wait

        [[nodiscard]] bool isWaiting() const noexcept { return queueNode.isInList(); }
    };

    /// Threads beyond the maximum, for clients of which no other burst is served. The part of the
    /// maximum that a user has does not include them.
    static constexpr std::size_t kThreadsForOthers = 256;

    /// With more served bursts than this a client counts as one with many.
    static constexpr std::size_t kManyServed = 8;

    /// A client is active until this long after a burst of it was served.
    static constexpr std::chrono::seconds kActiveFor{1};

    /// `maximumThreads` threads serve bursts, of all clients together.
    explicit ServingShares(std::size_t maximumThreads) noexcept : maximumThreads_(maximumThreads) {}

    /// The owner of a burst of the client with this account, whose user has the account above it.
    /// Bursts without an account belong to one client.
    [[nodiscard]] Owner ownerOf(const SharedAccount& account) {
        return {shareOf(clients_, account),
                shareOf(users_, account == nullptr ? nullptr : account->parent())};
    }

    /// Whether a burst of `owner` may be served. `uncounted` of the threads that serve do not count
    /// towards the maximum.
    [[nodiscard]] bool mayBegin(const Owner& owner, std::size_t uncounted) const noexcept {
        const std::size_t allowed = maximumThreads_ + uncounted;
        return anyMayBegin(*owner.user, allowed) || firstMayBegin(*owner.client, allowed);
    }
    void begin(const Owner& owner, TimePoint now) noexcept {
        noteActive(*owner.client, now);
        ++served_;
        usersServed_ += owner.user->served++ == 0 ? 1 : 0;
        clientsServed_ += owner.client->served++ == 0 && owner.client->account != nullptr ? 1 : 0;
        noteMany(*owner.client);
    }
    void end(const Owner& owner, TimePoint now) noexcept {
        noteActive(*owner.client, now);
        --served_;
        usersServed_ -= --owner.user->served == 0 ? 1 : 0;
        clientsServed_ -= --owner.client->served == 0 && owner.client->account != nullptr ? 1 : 0;
        noteMany(*owner.client);
    }

    /// Whether a burst of `owner`, which is served, is one of many of its client, while another
    /// client is active.
    [[nodiscard]] bool isOneOfMany(const Owner& owner, TimePoint now) const noexcept {
        const Activity& another = last_.client != owner.client.get() ? last_ : lastOfAnother_;
        return owner.client->served > kManyServed &&
               (clientsServed_ > 1 ||
                (another.client != nullptr && now - another.when < kActiveFor));
    }

    [[nodiscard]] std::size_t served() const noexcept { return served_; }
    /// Users and clients of which a burst is served; of the clients those that have an account.
    [[nodiscard]] std::size_t usersServed() const noexcept { return usersServed_; }
    [[nodiscard]] std::size_t clientsServed() const noexcept { return clientsServed_; }

    /// Appends `candidate`, which is not waiting, to the queue.
    void addWaiting(Candidate& candidate) noexcept {
        ClientThreads& client = *candidate.owner.client;
        UserThreads& user = *candidate.owner.user;
        if (client.waiting.empty()) {
            if (user.waitingClients.empty()) {
                user.amongUsers.join(waitingUsers_);
            }
            client.amongClients.join(user.waitingClients);
        }
        candidate.arrival = ++arrivals_;
        candidate.queueNode.join(client.waiting);
    }

    /// Removes `candidate`, which is waiting, from the queue.
    void removeWaiting(Candidate& candidate) noexcept {
        ClientThreads& client = *candidate.owner.client;
        UserThreads& user = *candidate.owner.user;
        candidate.queueNode.leave(client.waiting);
        if (client.waiting.empty()) {
            client.amongClients.leave(user.waitingClients);
            if (user.waitingClients.empty()) {
                user.amongUsers.leave(waitingUsers_);
            }
        }
    }

    /// Removes the one that has waited longest of those that may be served; null if there is none.
    [[nodiscard]] Candidate* takeWaiting(std::size_t uncounted) noexcept {
        const std::size_t allowed = maximumThreads_ + uncounted;
        Candidate* next = nullptr;
        for (const UserThreads* const user : waitingUsers_) {
            const bool mayAny = anyMayBegin(*user, allowed);
            if (!mayAny && served_ >= allowed + kThreadsForOthers) {
                continue;
            }
            for (const ClientThreads* const client : user->waitingClients) {
                ++clientsExamined_;
                Candidate* const first = client->waiting.front();
                if ((mayAny || firstMayBegin(*client, allowed)) &&
                    (next == nullptr || first->arrival < next->arrival)) {
                    next = first;
                }
            }
        }
        if (next != nullptr) {
            removeWaiting(*next);
        }
        return next;
    }

    /// The number of clients that takeWaiting has examined so far: what it costs.
    [[nodiscard]] std::uint64_t clientsExamined() const noexcept { return clientsExamined_; }

  private:
    struct Activity {
        const ClientThreads* client = nullptr;  // to be compared only
        TimePoint when;
    };

    void noteActive(const ClientThreads& client, TimePoint now) noexcept {
        if (last_.client != &client) {
            lastOfAnother_ = last_;
        }
        last_ = {.client = &client, .when = now};
    }
    static void noteMany(ClientThreads& client) noexcept {
        client.hasMany.store(client.served > kManyServed, std::memory_order_relaxed);
    }

    /// Whether any burst of `user` may be served.
    [[nodiscard]] bool anyMayBegin(const UserThreads& user, std::size_t allowed) const noexcept {
        const std::size_t users = usersServed_ + (user.served == 0 ? 1 : 0);
        return served_ < allowed || user.served < std::max<std::size_t>(maximumThreads_ / users, 1);
    }
    /// Whether `client`, of which no burst is served, may have one served beyond the maximum.
    [[nodiscard]] bool firstMayBegin(const ClientThreads& client,
                                     std::size_t allowed) const noexcept {
        return client.served == 0 && served_ < allowed + kThreadsForOthers;
    }

    template <class Share>
    using Shares = std::map<const Account*, std::weak_ptr<Share>>;

    template <class Share>
    static std::shared_ptr<Share> shareOf(Shares<Share>& shares, const SharedAccount& account) {
        std::weak_ptr<Share>& known = shares[account.get()];
        std::shared_ptr<Share> share = known.lock();
        if (share == nullptr) {
            share = std::make_shared<Share>(account);
            known = share;
            std::erase_if(shares, [](const auto& each) { return each.second.expired(); });
        }
        return share;
    }

    const std::size_t maximumThreads_;
    std::size_t served_ = 0;
    std::size_t usersServed_ = 0;
    std::size_t clientsServed_ = 0;
    Activity last_;           // the last one of any client
    Activity lastOfAnother_;  // the last one of a client other than that of last_
    Shares<ClientThreads> clients_;
    Shares<UserThreads> users_;
    std::list<UserThreads*> waitingUsers_;  // users of which bursts wait
    std::uint64_t arrivals_ = 0;
    std::uint64_t clientsExamined_ = 0;
};

}  // namespace nnburst::burst
