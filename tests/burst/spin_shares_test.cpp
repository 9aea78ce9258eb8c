// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// How many threads of each user and client may spin.

#include "burst/spin_shares.h"

#include <gtest/gtest.h>

#include <array>

namespace nnburst::burst {
namespace {

/// How many threads of a client of `user` may begin to spin.
int begin(SpinShares& shares, SpinCount& user, SpinCount& client) {
    int count = 0;
    while (shares.tryBegin(user, client)) {
        ++count;
    }
    return count;
}

TEST(SpinShares, oneClientMaySpinOnAllProcessors) {
    SpinShares shares(4);
    SpinCount user;
    SpinCount client;
    EXPECT_EQ(begin(shares, user, client), 4);
    shares.end(user, client);
    EXPECT_EQ(begin(shares, user, client), 1);
}

TEST(SpinShares, clientsThatAreServedHaveEqualParts) {
    SpinShares shares(4);
    shares.setServed(1, 2);
    SpinCount user;
    SpinCount first;
    SpinCount second;
    EXPECT_EQ(begin(shares, user, first), 2);
    EXPECT_EQ(begin(shares, user, second), 2);
    shares.setServed(1, 1);  // the second has ended
    shares.end(user, second);
    shares.end(user, second);
    EXPECT_EQ(begin(shares, user, first), 2);
}

TEST(SpinShares, manyClientsOfAUserLeaveThePartOfAnother) {
    SpinShares shares(4);
    shares.setServed(2, 4);
    SpinCount user;
    SpinCount other;
    SpinCount clientOfOther;
    std::array<SpinCount, 3> clients;
    int count = 0;
    for (SpinCount& client : clients) {
        count += begin(shares, user, client);
    }
    EXPECT_EQ(count, 2);
    EXPECT_EQ(begin(shares, other, clientOfOther), 1);
}

TEST(SpinShares, eachMaySpinWhereThereAreMoreClientsThanProcessorsButNotAllAtATime) {
    SpinShares shares(2);
    shares.setServed(3, 3);
    std::array<SpinCount, 3> users;
    std::array<SpinCount, 3> clients;
    EXPECT_TRUE(shares.tryBegin(users[0], clients[0]));
    EXPECT_FALSE(shares.tryBegin(users[0], clients[0]));
    EXPECT_TRUE(shares.tryBegin(users[1], clients[1]));
    EXPECT_FALSE(shares.tryBegin(users[2], clients[2]));
    shares.end(users[0], clients[0]);
    EXPECT_TRUE(shares.tryBegin(users[2], clients[2]));
}

}  // namespace
}  // namespace nnburst::burst
