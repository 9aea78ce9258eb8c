// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "device/driver/client_accounts.h"

namespace nnburst::device {
namespace {

std::uint64_t used(const Account& account, Resource resource) {
    return account.usage(resource).used;
}

TEST(ClientAccounts, refuseOneUsersConnectionsAndNotAnothers) {
    Limits limits = limitsOfOwnDriver({.memoryBytes = 1 << 30, .descriptors = 1024});
    limits.users.user[Resource::CONNECTIONS] = 2;
    ClientAccounts accounts(limits);
    const ClientIdentity greedy{
        .process = 1, .user = 1000, .group = 0, .groups = {}, .program = {}};
    const auto first = accounts.open(greedy, "a client");
    auto second = accounts.open(greedy, "a client");
    ASSERT_TRUE(first);
    ASSERT_TRUE(second);
    EXPECT_EQ(first->account->parent(), second->account->parent());
    const auto third = accounts.open(greedy, "a client");
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().message,
              "limit on connections of user 1000: 1 more and 2 in use exceed 2");
    EXPECT_TRUE(accounts.open({.process = 2, .user = 1001, .group = 0, .groups = {}, .program = {}},
                              "another"));
    second = ClientAccount();
    EXPECT_TRUE(accounts.open(greedy, "a client"));
}

TEST(ClientAccounts, forgetUsersWithoutClients) {
    ClientAccounts accounts(limitsOfOwnDriver({.memoryBytes = 1 << 30, .descriptors = 1024}));
    {
        const auto client = accounts.open(
            {.process = 1, .user = 1000, .group = 0, .groups = {}, .program = {}}, "a client");
        EXPECT_EQ(accounts.users().size(), 1U);
    }
    EXPECT_TRUE(accounts.users().empty());
    EXPECT_EQ(used(*accounts.driver(), Resource::DESCRIPTORS), 0U);
}

TEST(ClientAccounts, chargeAConnectionForItsDescriptors) {
    ClientAccounts accounts(limitsOfOwnDriver({.memoryBytes = 1 << 30, .descriptors = 1024}));
    const auto client = accounts.open(
        {.process = 1, .user = 1000, .group = 0, .groups = {}, .program = {}}, "a client");
    ASSERT_TRUE(client);
    EXPECT_EQ(used(*client->account, Resource::DESCRIPTORS),
              std::uint64_t{ClientAccounts::kDescriptorsOfConnection});
}

TEST(ClientAccounts, haveTheLimitsOfTheirUser) {
    Limits limits = limitsOfOwnDriver({.memoryBytes = 1 << 30, .descriptors = 1024});
    ASSERT_TRUE(setLimit("1000.connections=1", limits));
    ClientAccounts accounts(limits);
    for (const uid_t user : {uid_t{1000}, uid_t{1001}}) {
        const ClientIdentity identity{
            .process = 1, .user = user, .group = 0, .groups = {}, .program = {}};
        const auto first = accounts.open(identity, "a client");
        ASSERT_TRUE(first);
        EXPECT_EQ(accounts.open(identity, "another").has_value(), user == 1001);
    }
}

TEST(Limits, keepDescriptorsInReserve) {
    EXPECT_EQ(
        defaultLimits({.memoryBytes = 1 << 30, .descriptors = 1024}).driver[Resource::DESCRIPTORS],
        928U);
    EXPECT_EQ(
        defaultLimits({.memoryBytes = 1 << 30, .descriptors = 80}).driver[Resource::DESCRIPTORS],
        54U);
}

TEST(Limits, letClientsHaveNoMoreRegionsThanTheDriverCanMap) {
    const auto descriptors = [](std::uint64_t mappings) {
        return defaultLimits({.memoryBytes = 1 << 30, .descriptors = 1 << 20, .mappings = mappings})
            .driver[Resource::DESCRIPTORS];
    };
    EXPECT_EQ(descriptors(65530), 28669U);
    EXPECT_EQ(descriptors(600), 200U);
    EXPECT_EQ(descriptors(UINT64_MAX), (1U << 20) - 96U);
    EXPECT_GT(MachineSize::get().mappings, 0U);
}

TEST(Limits, tellAsManyRefusedClientsAsTheReserveHasDescriptorsFor) {
    EXPECT_EQ(maximumRefusals({.memoryBytes = 1 << 30, .descriptors = 1024}), 20U);
    EXPECT_EQ(maximumRefusals({.memoryBytes = 1 << 30, .descriptors = 256}), 17U);
    EXPECT_EQ(maximumRefusals({.memoryBytes = 1 << 30, .descriptors = 128}), 6U);
    EXPECT_EQ(maximumRefusals({.memoryBytes = 1 << 30, .descriptors = 40}), 1U);
}

TEST(Limits, leaveEachResourceInPartToOtherUsers) {
    const Limits limits = defaultLimits({.memoryBytes = 1 << 30, .descriptors = 1024});
    for (std::size_t i = 0; i < kResourceCount; ++i) {
        const auto resource = static_cast<Resource>(i);
        EXPECT_GT(limits.users.client[resource], 0U) << toString(resource);
        EXPECT_LE(limits.users.client[resource], limits.users.user[resource]);
        EXPECT_LT(limits.users.user[resource], limits.driver[resource]) << toString(resource);
    }
}

TEST(Limits, areSetByText) {
    Limits limits = defaultLimits({.memoryBytes = 1 << 30, .descriptors = 1024});
    EXPECT_TRUE(setLimit("driver.memory=3G", limits));
    EXPECT_TRUE(setLimit("user.bursts=20", limits));
    EXPECT_TRUE(setLimit("client.prepared-models=2K", limits));
    EXPECT_TRUE(setLimit("1000.memory=1M", limits));
    EXPECT_TRUE(setLimit("1000.priority=high", limits));
    EXPECT_EQ(limits.driver[Resource::MEMORY], std::uint64_t{3} << 30);
    EXPECT_EQ(limits.of(1001).user[Resource::BURSTS], 20U);
    EXPECT_EQ(limits.of(1001).client[Resource::PREPARED_MODELS], 2048U);
    EXPECT_EQ(limits.of(1001).highestPriority, Priority::MEDIUM);
    EXPECT_EQ(limits.of(1000).user[Resource::MEMORY], 1U << 20);
    EXPECT_EQ(limits.of(1000).client[Resource::MEMORY], 1U << 20);
    EXPECT_EQ(limits.of(1000).highestPriority, Priority::HIGH);
}

TEST(Limits, refuseTextThatIsNotALimit) {
    Limits limits;
    for (const char* text :
         {"", "memory", "memory=1", "user.memory", "users.memory=1", "-1.memory=1", "user.space=1",
          "user.memory=", "user.memory=-1", "user.memory=1X", "user.memory=1KB",
          "user.memory=99999999999T", "user.memory=18446744073709551616", "client.priority=high",
          "driver.priority=high", "user.priority=4", "1000x.memory=1"}) {
        const auto set = setLimit(text, limits);
        ASSERT_FALSE(set) << text;
        EXPECT_EQ(set.error().status, ErrorStatus::INVALID_ARGUMENT);
        EXPECT_NE(set.error().message.find(std::string("'") + text + "'"), std::string::npos);
    }
}

class LimitsFile : public testing::Test {
  protected:
    [[nodiscard]] Result<> set(const std::string& text) {
        std::ofstream(path) << text;
        return setLimitsFromFile(path, limits);
    }
    void TearDown() override { std::filesystem::remove(path); }

    const std::string path =
        testing::TempDir() + "nnburst-limits-" + std::to_string(::getpid()) + ".conf";
    Limits limits = defaultLimits({.memoryBytes = 1 << 30, .descriptors = 1024});
};

TEST_F(LimitsFile, hasALimitOnEachLine) {
    const auto done = set("# of all\n\n  driver.memory=3G\t\nuser.bursts=20\r\n  # end");
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(limits.driver[Resource::MEMORY], std::uint64_t{3} << 30);
    EXPECT_EQ(limits.of(1000).user[Resource::BURSTS], 20U);
}

TEST_F(LimitsFile, isRefusedWithTheLine) {
    const auto done = set("user.bursts=20\nuser.burst=20\n");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_THAT(done.error().message, testing::AllOf(testing::HasSubstr(path + ", line 2"),
                                                     testing::HasSubstr("'user.burst=20'")));
}

TEST_F(LimitsFile, isRefusedIfItIsNotThere) {
    const auto done = setLimitsFromFile(path, limits);
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, testing::HasSubstr(path));
}

}  // namespace
}  // namespace nnburst::device
