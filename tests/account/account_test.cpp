// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "account/account.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/exhausted_memory.h"

namespace nnburst {
namespace {

Amounts amountsOf(std::uint64_t each) {
    Amounts amounts;
    for (std::size_t i = 0; i < kResourceCount; ++i) {
        amounts[static_cast<Resource>(i)] = each;
    }
    return amounts;
}

std::uint64_t used(const Account& account, Resource resource) {
    return account.usage(resource).used;
}

class AccountTest : public testing::Test {
  protected:
    const SharedAccount user = Account::create("user 7", amountsOf(100));
    const SharedAccount client = Account::create("client 1", amountsOf(60), user);
};

TEST_F(AccountTest, chargesTheAccountsAboveAndGivesBack) {
    {
        const auto charge = client->charge(Resource::MEMORY, 40);
        ASSERT_TRUE(charge);
        EXPECT_EQ(used(*client, Resource::MEMORY), 40U);
        EXPECT_EQ(used(*user, Resource::MEMORY), 40U);
        EXPECT_EQ(used(*client, Resource::BURSTS), 0U);
    }
    EXPECT_EQ(used(*client, Resource::MEMORY), 0U);
    EXPECT_EQ(used(*user, Resource::MEMORY), 0U);
    EXPECT_EQ(client->usage(Resource::MEMORY).highest, 40U);
}

TEST_F(AccountTest, getsBackAPartOfACharge) {
    {
        auto charge = client->charge(Resource::MEMORY, 40);
        ASSERT_TRUE(charge);
        charge->reduceTo(50);
        EXPECT_EQ(used(*user, Resource::MEMORY), 40U) << "it had less";
        charge->reduceTo(10);
        EXPECT_EQ(charge->amount(), 10U);
        EXPECT_EQ(used(*client, Resource::MEMORY), 10U);
        EXPECT_EQ(used(*user, Resource::MEMORY), 10U);
    }
    EXPECT_EQ(used(*user, Resource::MEMORY), 0U);
}

TEST_F(AccountTest, describesTheMostThatWasUsedOfEachResource) {
    EXPECT_EQ(describeHighest(*client), "nothing");
    {
        const auto bursts = client->charge(Resource::BURSTS, 2);
        const auto models = client->charge(Resource::PREPARED_MODELS, 1);
        ASSERT_TRUE(bursts && models);
    }
    EXPECT_EQ(describeHighest(*client), "1 prepared-models, 2 bursts");
}

TEST_F(AccountTest, refusesWhatExceedsTheClientsLimit) {
    const auto first = client->charge(Resource::BURSTS, 60);
    ASSERT_TRUE(first);
    const auto second = client->charge(Resource::BURSTS, 1);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_EQ(second.error().message,
              "limit on bursts of client 1: 1 more and 60 in use exceed 60");
}

TEST_F(AccountTest, refusesWhatExceedsTheUsersLimitAndChargesNothing) {
    const SharedAccount other = Account::create("client 2", amountsOf(60), user);
    const auto first = client->charge(Resource::MEMORY, 60);
    ASSERT_TRUE(first);
    const auto second = other->charge(Resource::MEMORY, 41);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    EXPECT_NE(second.error().message.find("user 7"), std::string::npos);
    EXPECT_EQ(used(*other, Resource::MEMORY), 0U);
    EXPECT_EQ(used(*user, Resource::MEMORY), 60U);
}

/// There is no memory for a text with the name of the account whose limit is exceeded.
int chargesNothingWithoutMemoryForTheError() {
    const SharedAccount user =
        Account::create(std::string(std::size_t{64} << 20, 'u'), amountsOf(100));
    const SharedAccount client = Account::create("client", amountsOf(200), user);
    test::stopGrowth();
    try {
        return client->charge(Resource::MEMORY, 101) ? 2 : 3;
    } catch (const std::bad_alloc&) {
        return used(*client, Resource::MEMORY) == 0 ? 0 : 1;
    }
}

TEST_F(AccountTest, chargesNothingWhereThereIsNoMemoryForTheError) {
    EXPECT_EXIT_STATUS(chargesNothingWithoutMemoryForTheError, 0);
}

TEST_F(AccountTest, hasAvailableWhatAllAccountsAboveHave) {
    EXPECT_EQ(client->available(Resource::MEMORY), 60U);
    const SharedAccount other = Account::create("client 2", amountsOf(60), user);
    const auto first = other->charge(Resource::MEMORY, 50);
    EXPECT_EQ(client->available(Resource::MEMORY), 50U);
    const auto second = client->charge(Resource::MEMORY, 50);
    EXPECT_EQ(client->available(Resource::MEMORY), 0U);
    EXPECT_EQ(client->available(Resource::BURSTS), 60U);
}

TEST_F(AccountTest, refusesForGoodWhatAloneExceedsALimit) {
    const auto charge = client->charge(Resource::MEMORY, UINT64_MAX);
    ASSERT_FALSE(charge);
    EXPECT_EQ(charge.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
}

TEST_F(AccountTest, isReleasedByAMovedFromCharge) {
    Charge kept = std::move(*client->charge(Resource::MEMORY, 10));
    kept = std::move(*client->charge(Resource::MEMORY, 20));
    EXPECT_EQ(used(*client, Resource::MEMORY), 20U);
    const Charge last = std::move(kept);
    EXPECT_EQ(used(*client, Resource::MEMORY), 20U);
}

TEST_F(AccountTest, givesBackWithTheLastOwnerOfWhatWasCharged) {
    auto value =
        chargedFor(std::make_shared<int>(1), std::move(*client->charge(Resource::MEMORY, 9)));
    const auto copy = value;
    value = nullptr;
    EXPECT_EQ(used(*client, Resource::MEMORY), 9U);
    EXPECT_EQ(*copy, 1);
}

TEST_F(AccountTest, saysWhatIsUsedOfEachResource) {
    const auto memory = client->charge(Resource::MEMORY, 10);
    const auto burst = client->charge(Resource::BURSTS, 2);
    std::set<std::string> names;
    for (const Account::Usage& usage : user->usage()) {
        names.insert(toString(usage.resource));
        const std::uint64_t expected = usage.resource == Resource::MEMORY   ? 10
                                       : usage.resource == Resource::BURSTS ? 2
                                                                            : 0;
        EXPECT_EQ(usage.used, expected) << toString(usage.resource);
        EXPECT_EQ(usage.limit, 100U) << toString(usage.resource);
    }
    EXPECT_EQ(names.size(), kResourceCount) << "each has a name of its own";
    EXPECT_FALSE(names.contains("unknown resource"));
}

TEST_F(AccountTest, staysWithinItsLimitsWhenManyThreadsCharge) {
    const SharedAccount other = Account::create("client 2", amountsOf(60), user);
    std::vector<std::thread> threads;
    for (const SharedAccount& account : {client, other, client, other}) {
        threads.emplace_back([&account = *account, this] {
            for (int i = 0; i < 10000; ++i) {
                const auto charge = account.charge(Resource::EXECUTIONS, 30);
                EXPECT_LE(used(*user, Resource::EXECUTIONS), 100U);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(used(*user, Resource::EXECUTIONS), 0U);
    EXPECT_LE(user->usage(Resource::EXECUTIONS).highest, 100U);
}

}  // namespace
}  // namespace nnburst
