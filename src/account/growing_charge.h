// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A charge for memory whose size is known only as it grows.

#include <cstdint>
#include <vector>

#include "account/account.h"
#include "nnburst/result.h"

namespace nnburst {

/// RAII: as a `Charge`, which grows. Used by one thread at a time.
class GrowingCharge {
  public:
    /// Charges `account`, or nothing if that is null.
    GrowingCharge(Account* account, Resource resource) noexcept
        : account_(account), resource_(resource) {}

    /// Charges `amount` more. RESOURCE_EXHAUSTED_* as Account::charge; then nothing is added.
    [[nodiscard]] Result<> add(std::uint64_t amount) {
        if (account_ != nullptr && amount != 0) {
            NNBURST_TRY_ASSIGN(Charge more, account_->charge(resource_, amount));
            charges_.push_back(std::move(more));
        }
        return {};
    }

    /// A charge of its own to the same account.
    [[nodiscard]] Result<Charge> chargeSeparately(std::uint64_t amount) const {
        return chargeTo(account_, resource_, amount);
    }

    /// What is charged so far. 0 without an account.
    [[nodiscard]] std::uint64_t amount() const noexcept {
        std::uint64_t total = 0;
        for (const Charge& charge : charges_) {
            total += charge.amount();
        }
        return total;
    }

    /// Gives all of it back.
    void clear() noexcept { charges_.clear(); }

  private:
    Account* account_;  // kept alive by the caller until the first charge, by the charges then
    Resource resource_;
    std::vector<Charge> charges_;
};

}  // namespace nnburst
