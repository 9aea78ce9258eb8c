// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "account/account.h"
#include "memory/aligned_buffer.h"

namespace nnburst::exec {

/// A GrowingBuffer, and the charge for it to the account whose run made it grow.
class ChargedBuffer {
  public:
    /// As GrowingBuffer::reserve. Charges `account` for all of it where it grows; null: nothing is
    /// charged. RESOURCE_EXHAUSTED_* at a limit of the account.
    [[nodiscard]] Result<std::byte*> reserve(std::uint64_t sizeBytes, Account* account) {
        const std::uint64_t capacity = capacityFor(sizeBytes);
        if (capacity == buffer_.capacityBytes()) {
            return buffer_.reserve(sizeBytes);
        }
        NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account, Resource::MEMORY, capacity));
        NNBURST_TRY_ASSIGN(std::byte* const data, buffer_.reserve(sizeBytes));
        charge_ = std::move(charge);
        return data;
    }

    [[nodiscard]] std::uint64_t capacityBytes() const noexcept { return buffer_.capacityBytes(); }
    [[nodiscard]] std::uint64_t capacityFor(std::uint64_t sizeBytes) const noexcept {
        return buffer_.capacityFor(sizeBytes);
    }

    /// As AlignedBuffer::release.
    void release() const noexcept { buffer_.release(); }

  private:
    GrowingBuffer buffer_;
    Charge charge_;
};

}  // namespace nnburst::exec
