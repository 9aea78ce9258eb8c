// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/client_accounts.h"

#include <fmt/format.h>

#include <utility>

namespace nnburst::device {

ClientAccounts::ClientAccounts(Limits limits)
    : limits_(std::move(limits)), driver_(Account::create("the driver", limits_.driver)) {}

Result<ClientAccount> ClientAccounts::open(const ClientIdentity& client, std::string name) {
    std::erase_if(users_, [](const auto& user) { return user.second.expired(); });
    const UserLimits& limits = limits_.of(client.user);
    SharedAccount user = users_[client.user].lock();
    if (user == nullptr) {
        user = Account::create(fmt::format("user {}", client.user), limits.user, driver_);
        users_[client.user] = user;
    }
    ClientAccount opened{
        .account = Account::create(std::move(name), limits.client, std::move(user)),
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
    for (const auto& [number, held] : users_) {
        if (SharedAccount user = held.lock()) {
            users.push_back(std::move(user));
        }
    }
    return users;
}

}  // namespace nnburst::device
