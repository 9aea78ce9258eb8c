// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Which of the bursts that wait is served next, and what it costs to find it.

#include "burst/serving_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace nnburst::burst {
namespace {

using namespace std::chrono_literals;

/// Of what the shares are told, where it does not matter.
const TimePoint now{1h};

/// Bursts of several clients, and those of them that wait, in the order of their arrival.
class Bursts {
  public:
    using Candidate = ServingShares::Candidate;

    explicit Bursts(std::size_t maximumThreads) : shares(maximumThreads) {}
    ~Bursts() {
        for (Candidate& each : bursts_) {
            if (each.isWaiting()) {
                shares.removeWaiting(each);
            }
        }
    }
    Bursts(const Bursts&) = delete;
    Bursts& operator=(const Bursts&) = delete;

    Candidate& add(const SharedAccount& client) {
        bursts_.emplace_back().owner = shares.ownerOf(client);
        return bursts_.back();
    }
    void wait(Candidate& candidate) {
        shares.addWaiting(candidate);
        waiting_.push_back(&candidate);
    }
    void remove(Candidate& candidate) {
        shares.removeWaiting(candidate);
        std::erase(waiting_, &candidate);
    }
    /// The first of all that wait that may be served, which `take` must find.
    [[nodiscard]] Candidate* expected(std::size_t uncounted) const {
        const auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](auto* each) {
            return shares.mayBegin(each->owner, uncounted);
        });
        return first == waiting_.end() ? nullptr : *first;
    }
    Candidate* take(std::size_t uncounted) {
        Candidate* const taken = shares.takeWaiting(uncounted);
        std::erase(waiting_, taken);
        return taken;
    }
    /// Null if none waits.
    [[nodiscard]] Candidate* first() const { return waiting_.empty() ? nullptr : waiting_.front(); }

    ServingShares shares;

  private:
    std::deque<Candidate> bursts_;
    std::deque<Candidate*> waiting_;
};

/// Clients of users, and bursts without an account.
std::vector<SharedAccount> makeClients(int users, int clientsPerUser) {
    const Amounts limits;
    std::vector<SharedAccount> clients{nullptr};
    for (int user = 0; user < users; ++user) {
        const SharedAccount account = Account::create("user", limits);
        for (int client = 0; client < clientsPerUser; ++client) {
            clients.push_back(Account::create("client", limits, account));
        }
    }
    return clients;
}

/// Bursts come, are served, and go, at random, `steps` times.
void expectTheFirstThatMayBegin(int users, int clientsPerUser, std::size_t maximumThreads,
                                int steps) {
    std::mt19937 random(1);
    const auto number = [&random](std::size_t below) { return random() % below; };
    Bursts bursts(maximumThreads);
    std::vector<Bursts::Candidate*> parked;
    std::vector<Bursts::Candidate*> served;
    const auto takeOne = [&](std::vector<Bursts::Candidate*>& from) {
        std::swap(from[number(from.size())], from.back());
        Bursts::Candidate* const taken = from.back();
        from.pop_back();
        return taken;
    };
    for (const SharedAccount& client : makeClients(users, clientsPerUser)) {
        for (int i = 0; i < 3; ++i) {
            parked.push_back(&bursts.add(client));
        }
    }
    for (int step = 0; step < steps; ++step) {
        const std::size_t action = number(5);
        if (action == 0 && !parked.empty()) {
            bursts.wait(*takeOne(parked));
        } else if (action == 1 && !served.empty()) {
            Bursts::Candidate* const ended = takeOne(served);
            bursts.shares.end(ended->owner, now);
            if (number(4) == 0) {
                parked.push_back(ended);
            } else {
                bursts.wait(*ended);
            }
        } else if (action == 2 || action == 3) {
            const std::size_t uncounted = number(3);
            Bursts::Candidate* const next = bursts.expected(uncounted);
            ASSERT_EQ(bursts.take(uncounted), next) << "step " << step;
            if (next != nullptr) {
                ASSERT_FALSE(next->isWaiting());
                bursts.shares.begin(next->owner, now);
                served.push_back(next);
            }
        } else if (Bursts::Candidate* const first = bursts.first(); first && number(8) == 0) {
            bursts.remove(*first);
            parked.push_back(first);
        }
    }
}

TEST(ServingShares, giveTheTurnToTheFirstThatMayHaveIt) {
    expectTheFirstThatMayBegin(1, 2, 2, 20'000);
    expectTheFirstThatMayBegin(3, 3, 4, 20'000);
    // More clients than ServingShares::kThreadsForOthers.
    expectTheFirstThatMayBegin(4, 90, 4, 20'000);
}

/// Thousands of bursts of one client always have more to do, beside one of another user.
TEST(ServingShares, examineClientsAndNotTheirBursts) {
    constexpr int kTurns = 20'000;
    constexpr std::uint64_t kClients = 2;
    Bursts bursts(4);
    const std::vector<SharedAccount> clients = makeClients(2, 1);
    for (int i = 0; i < 5000; ++i) {
        bursts.shares.addWaiting(bursts.add(clients[1]));
    }
    Bursts::Candidate& other = bursts.add(clients[2]);
    bursts.shares.addWaiting(other);
    std::deque<Bursts::Candidate*> served;
    const auto begin = [&] {
        if (Bursts::Candidate* const next = bursts.shares.takeWaiting(0)) {
            bursts.shares.begin(next->owner, now);
            served.push_back(next);
        }
    };
    for (int i = 0; i < 5; ++i) {
        begin();
    }
    ASSERT_EQ(served.size(), 5U) << "four of the client with many, and one of the other user";
    int turnsOfOther = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
        const std::uint64_t before = bursts.shares.clientsExamined();
        Bursts::Candidate* const ended = served.front();
        served.pop_front();
        turnsOfOther += ended == &other ? 1 : 0;
        bursts.shares.end(ended->owner, now);
        bursts.shares.addWaiting(*ended);
        begin();
        begin();  // as the pool, which rings one more if it may be served
        ASSERT_LE(bursts.shares.clientsExamined() - before, 2 * kClients);
    }
    EXPECT_GT(turnsOfOther, kTurns / 8) << "the thread of its user";
}

TEST(ServingShares, countTheUsersAndClientsThatAreServed) {
    ServingShares shares(64);
    const std::vector<SharedAccount> clients = makeClients(2, 2);  // and one without an account
    std::vector<ServingShares::Owner> owners;
    for (const SharedAccount& client : clients) {
        owners.push_back(shares.ownerOf(client));
        shares.begin(owners.back(), now);
        shares.begin(owners.back(), now);
    }
    EXPECT_EQ(shares.usersServed(), 3U);
    EXPECT_EQ(shares.clientsServed(), 4U);
    shares.end(owners[1], now);
    EXPECT_EQ(shares.clientsServed(), 4U) << "another burst of the client is served";
    shares.end(owners[1], now);
    EXPECT_EQ(shares.clientsServed(), 3U);
    EXPECT_EQ(shares.usersServed(), 3U) << "another client of the user is served";
}

TEST(ServingShares, aClientHasManyOnlyBesideAnActiveOne) {
    ServingShares shares(64);
    const std::vector<SharedAccount> clients = makeClients(1, 2);
    const ServingShares::Owner many = shares.ownerOf(clients[1]);
    const ServingShares::Owner other = shares.ownerOf(clients[2]);
    for (std::size_t i = 0; i < ServingShares::kManyServed; ++i) {
        shares.begin(many, now);
    }
    shares.begin(other, now);
    EXPECT_FALSE(shares.isOneOfMany(many, now));
    EXPECT_FALSE(many.client->hasMany);
    shares.begin(many, now);
    EXPECT_TRUE(shares.isOneOfMany(many, now));
    EXPECT_TRUE(many.client->hasMany);
    EXPECT_FALSE(shares.isOneOfMany(other, now));
    EXPECT_FALSE(other.client->hasMany);
    const auto end = now + 10s;
    EXPECT_TRUE(shares.isOneOfMany(many, end)) << "the other one is served";
    shares.end(other, end);
    shares.end(many, end);
    EXPECT_FALSE(many.client->hasMany);
    shares.begin(many, end);
    EXPECT_TRUE(shares.isOneOfMany(many, end + 999ms));
    EXPECT_FALSE(shares.isOneOfMany(many, end + 1s)) << "the other one was served long ago";
    shares.begin(many, end + 2s);
    EXPECT_FALSE(shares.isOneOfMany(many, end + 2s)) << "it is not another client itself";
}

}  // namespace
}  // namespace nnburst::burst
