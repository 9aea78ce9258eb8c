// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/client_accounts.h"

#include <fmt/format.h>

#include <utility>

namespace nnburst::device {

ClientAccounts::ClientAccounts(Limits limits)
    : limits_(std::move(limits)), driver_(Account::create("the driver", limits_.driver)) {}

Result<ClientAccount> ClientAccounts::open(const ClientIdentity& client, std::string name) {
    std::erase_if(users_, [](const auto& user) { return user.second.account.expired(); });
    const UserLimits& limits = limits_.of(client.user);
    User& known = users_[client.user];
    SharedAccount user = known.account.lock();
    if (user == nullptr) {
        user = Account::create(fmt::format("user {}", client.user), limits.user, driver_);
        known.account = user;
    }
    ClientAccount opened{
        .account = Account::create(std::move(name), limits.client, std::move(user)),
        .shares = known.shares,
        .highestPriority = limits.highestPriority,
        .connection = {},
        .descriptors = {}};
    NNBURST_TRY_ASSIGN(opened.connection, opened.account->charge(Resource::CONNECTIONS, 1));
    NNBURST_TRY_ASSIGN(opened.descriptors,
                       opened.account->charge(Resource::DESCRIPTORS, kDescriptorsOfConnection));
    return opened;
}

std::vector<SharedAccount> ClientAccounts::users() const {
    std::vector<SharedAccount> users;
    for (const auto& [number, user] : users_) {
        if (SharedAccount account = user.account.lock()) {
            users.push_back(std::move(account));
        }
    }
    return users;
}

}  // namespace nnburst::device
