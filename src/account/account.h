// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Accounts of the resources that clients occupy in a driver. They form a tree: the driver, its
/// users, their clients. Each account has a limit for each resource. A charge is made to an account
/// and to all accounts above it, or to none of them; destroying the `Charge` gives it back.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "nnburst/result.h"

namespace nnburst {

/// What is counted and limited.
enum class Resource : std::uint8_t {
    CONNECTIONS,
    DESCRIPTORS,    ///< open in the driver on behalf of the client
    ADDRESS_SPACE,  ///< bytes of shared memory that the driver has received, mapped or not
    MEMORY,         ///< bytes: constants, temporaries, driver-managed buffers, page tables
    MESSAGES,       ///< bytes of calls that have arrived and are not answered yet
    CALLS,          ///< calls that have arrived and are not answered yet
    PREPARED_MODELS,
    BUFFERS,  ///< driver-managed buffers
    BURSTS,
    EXECUTIONS,       ///< launched by a call and not ended; those of bursts are not counted
    BLOCKED_THREADS,  ///< threads that wait for the client, or examine its files
};

inline constexpr std::size_t kResourceCount =
    static_cast<std::size_t>(Resource::BLOCKED_THREADS) + 1;

/// The name of a resource in options, files and messages, such as "prepared-models".
[[nodiscard]] const char* toString(Resource resource) noexcept;

/// A value for each resource.
class Amounts {
  public:
    [[nodiscard]] std::uint64_t& operator[](Resource resource) noexcept {
        return values_[static_cast<std::size_t>(resource)];
    }
    [[nodiscard]] std::uint64_t operator[](Resource resource) const noexcept {
        return values_[static_cast<std::size_t>(resource)];
    }
    friend bool operator==(const Amounts&, const Amounts&) = default;

  private:
    std::array<std::uint64_t, kResourceCount> values_{};
};

class Charge;

/// Thread-safe. Kept alive by its charges and by the accounts below it.
class Account final : public std::enable_shared_from_this<Account> {
  public:
    /// One resource of an account.
    struct Usage {
        Resource resource{};
        std::uint64_t used = 0;
        std::uint64_t highest = 0;  ///< the most that was used at a time
        std::uint64_t limit = 0;
    };

    /// `name` is for messages, such as "user 1000". Null as `parent`: no account is above.
    [[nodiscard]] static std::shared_ptr<Account> create(std::string name, const Amounts& limits,
                                                         std::shared_ptr<Account> parent = nullptr);
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;
    ~Account() = default;

    /// Charges `amount` of `resource` to this account and to those above it.
    /// RESOURCE_EXHAUSTED_TRANSIENT if that exceeds a limit now, RESOURCE_EXHAUSTED_PERSISTENT if
    /// `amount` alone exceeds it; the message names the account, the limit and what is used.
    [[nodiscard]] Result<Charge> charge(Resource resource, std::uint64_t amount);

    /// How much of `resource` may be charged now.
    [[nodiscard]] std::uint64_t available(Resource resource) const noexcept;

    /// What is used of each resource. The values are read one after the other.
    [[nodiscard]] std::array<Usage, kResourceCount> usage() const noexcept;
    [[nodiscard]] Usage usage(Resource resource) const noexcept;

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const std::shared_ptr<Account>& parent() const noexcept { return parent_; }

  private:
    friend class Charge;
    struct Counter {
        std::atomic<std::uint64_t> used{0};
        std::atomic<std::uint64_t> highest{0};
    };

    Account(std::string name, const Amounts& limits, std::shared_ptr<Account> parent) noexcept;

    [[nodiscard]] Counter& counter(Resource resource) noexcept {
        return counters_[static_cast<std::size_t>(resource)];
    }
    [[nodiscard]] bool tryAdd(Resource resource, std::uint64_t amount) noexcept;
    void subtract(Resource resource, std::uint64_t amount) noexcept;
    [[nodiscard]] Error exceeded(Resource resource, std::uint64_t amount) const;

    const std::string name_;
    const Amounts limits_;
    const std::shared_ptr<Account> parent_;
    std::array<Counter, kResourceCount> counters_;
};

using SharedAccount = std::shared_ptr<Account>;

/// The most that was used of each resource at a time, such as "1 prepared-models, 2 bursts".
[[nodiscard]] std::string describeHighest(const Account& account);

/// RAII: an amount that is charged to an account until this is destroyed.
class Charge {
  public:
    Charge() noexcept = default;
    Charge(Charge&& other) noexcept;
    Charge& operator=(Charge&& other) noexcept;
    Charge(const Charge&) = delete;
    Charge& operator=(const Charge&) = delete;
    ~Charge();

    [[nodiscard]] std::uint64_t amount() const noexcept { return amount_; }

    /// Gives back what exceeds `amount`.
    void reduceTo(std::uint64_t amount) noexcept;

  private:
    friend class Account;
    Charge(SharedAccount account, Resource resource, std::uint64_t amount) noexcept;

    SharedAccount account_;
    Resource resource_{};
    std::uint64_t amount_ = 0;
};

/// As `account->charge`. Charges nothing without an account.
[[nodiscard]] inline Result<Charge> chargeTo(const SharedAccount& account, Resource resource,
                                             std::uint64_t amount) {
    return account == nullptr ? Charge() : account->charge(resource, amount);
}

[[nodiscard]] inline Result<Charge> chargeTo(Account* account, Resource resource,
                                             std::uint64_t amount) {
    return account == nullptr ? Charge() : account->charge(resource, amount);
}

/// Shared ownership of what `value` points to, together with what is charged for it.
template <class T>
[[nodiscard]] std::shared_ptr<T> chargedFor(std::shared_ptr<T> value, Charge charge) {
    struct Charged {
        Charge charge;  // given back after the value is gone
        std::shared_ptr<T> value;
    };
    T* const pointer = value.get();
    return {std::make_shared<Charged>(Charged{std::move(charge), std::move(value)}), pointer};
}

}  // namespace nnburst
