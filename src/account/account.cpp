// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "account/account.h"

#include <fmt/format.h>

#include <utility>

#include "log/assert.h"

namespace nnburst {

const char* toString(Resource resource) noexcept {
    switch (resource) {
        case Resource::CONNECTIONS:
            return "connections";
        case Resource::DESCRIPTORS:
            return "descriptors";
        case Resource::ADDRESS_SPACE:
            return "address-space";
        case Resource::MEMORY:
            return "memory";
        case Resource::MESSAGES:
            return "messages";
        case Resource::CALLS:
            return "calls";
        case Resource::PREPARED_MODELS:
            return "prepared-models";
        case Resource::BUFFERS:
            return "buffers";
        case Resource::BURSTS:
            return "bursts";
        case Resource::EXECUTIONS:
            return "executions";
        case Resource::BLOCKED_THREADS:
            return "blocked-threads";
    }
    return "unknown resource";
}

std::shared_ptr<Account> Account::create(std::string name, const Amounts& limits,
                                         std::shared_ptr<Account> parent) {
    return std::shared_ptr<Account>(new Account(std::move(name), limits, std::move(parent)));
}

Account::Account(std::string name, const Amounts& limits, std::shared_ptr<Account> parent) noexcept
    : name_(std::move(name)), limits_(limits), parent_(std::move(parent)) {}

Result<Charge> Account::charge(Resource resource, std::uint64_t amount) {
    for (Account* account = this; account != nullptr; account = account->parent_.get()) {
        if (!account->tryAdd(resource, amount)) {
            for (Account* charged = this; charged != account; charged = charged->parent_.get()) {
                charged->subtract(resource, amount);
            }
            // Last, because there may be no memory for its text.
            return tl::unexpected<Error>(account->exceeded(resource, amount));
        }
    }
    return Charge(shared_from_this(), resource, amount);
}

// Relaxed, here and below: the counters order nothing but themselves.

bool Account::tryAdd(Resource resource, std::uint64_t amount) noexcept {
    Counter& counter = this->counter(resource);
    const std::uint64_t limit = limits_[resource];
    std::uint64_t used = counter.used.load(std::memory_order_relaxed);
    do {
        if (amount > limit || used > limit - amount) {
            return false;
        }
    } while (!counter.used.compare_exchange_weak(used, used + amount, std::memory_order_relaxed));
    std::uint64_t highest = counter.highest.load(std::memory_order_relaxed);
    while (highest < used + amount && !counter.highest.compare_exchange_weak(
                                          highest, used + amount, std::memory_order_relaxed)) {
    }
    return true;
}

void Account::subtract(Resource resource, std::uint64_t amount) noexcept {
    const std::uint64_t before =
        counter(resource).used.fetch_sub(amount, std::memory_order_relaxed);
    NNBURST_ASSERT(before >= amount, "{} of {} given back, {} were charged", amount,
                   toString(resource), before);
}

Error Account::exceeded(Resource resource, std::uint64_t amount) const {
    const Usage now = usage(resource);
    return {amount > now.limit ? ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT
                               : ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            fmt::format("limit on {} of {}: {} more and {} in use exceed {}", toString(resource),
                        name_, amount, now.used, now.limit)};
}

std::uint64_t Account::available(Resource resource) const noexcept {
    std::uint64_t least = UINT64_MAX;
    for (const Account* account = this; account != nullptr; account = account->parent_.get()) {
        const Usage now = account->usage(resource);
        least = std::min(least, now.limit - std::min(now.used, now.limit));
    }
    return least;
}

Account::Usage Account::usage(Resource resource) const noexcept {
    const Counter& counter = counters_[static_cast<std::size_t>(resource)];
    return {.resource = resource,
            .used = counter.used.load(std::memory_order_relaxed),
            .highest = counter.highest.load(std::memory_order_relaxed),
            .limit = limits_[resource]};
}

std::array<Account::Usage, kResourceCount> Account::usage() const noexcept {
    std::array<Usage, kResourceCount> all;
    for (std::size_t i = 0; i < kResourceCount; ++i) {
        all[i] = usage(static_cast<Resource>(i));
    }
    return all;
}

std::string describeHighest(const Account& account) {
    std::string text;
    for (const Account::Usage& usage : account.usage()) {
        if (usage.highest > 0) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", usage.highest,
                                toString(usage.resource));
        }
    }
    return text.empty() ? "nothing" : text;
}

Charge::Charge(SharedAccount account, Resource resource, std::uint64_t amount) noexcept
    : account_(std::move(account)), resource_(resource), amount_(amount) {}

Charge::Charge(Charge&& other) noexcept
    : account_(std::move(other.account_)),
      resource_(other.resource_),
      amount_(std::exchange(other.amount_, 0)) {}

Charge& Charge::operator=(Charge&& other) noexcept {
    Charge moved(std::move(other));
    std::swap(account_, moved.account_);
    std::swap(resource_, moved.resource_);
    std::swap(amount_, moved.amount_);
    return *this;
}

Charge::~Charge() {
    reduceTo(0);
}

void Charge::reduceTo(std::uint64_t amount) noexcept {
    const std::uint64_t excess = amount_ - std::min(amount_, amount);
    amount_ -= excess;
    for (Account* account = account_.get(); account != nullptr; account = account->parent_.get()) {
        account->subtract(resource_, excess);
    }
}

}  // namespace nnburst
