// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Memory that grows from run to run and is charged to the client whose run made it grow.
/// Used by one thread at a time.

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
    /// charged. RESOURCE_EXHAUSTED_* if `sizeBytes` exceed a limit of the account.
    [[nodiscard]] Result<std::byte*> reserve(std::uint64_t sizeBytes, Account* account,
                                             std::uint64_t most = UINT64_MAX) {
        std::uint64_t capacity = buffer_.capacityFor(sizeBytes, most);
        if (capacity == buffer_.capacityBytes()) {
            return buffer_.reserve(sizeBytes);
        }
        Result<Charge> charge = chargeTo(account, Resource::MEMORY, capacity);
        if (!charge && capacity > sizeBytes) {
            capacity = sizeBytes;
            charge = chargeTo(account, Resource::MEMORY, capacity);
        }
        NNBURST_TRY_ASSIGN(Charge charged, std::move(charge));
        NNBURST_TRY_ASSIGN(std::byte* const data, buffer_.reserve(sizeBytes, capacity));
        charge_ = std::move(charged);
        return data;
    }

    [[nodiscard]] std::uint64_t capacityBytes() const noexcept { return buffer_.capacityBytes(); }

    /// As AlignedBuffer::release.
    void release() const noexcept { buffer_.release(); }

  private:
    GrowingBuffer buffer_;
    Charge charge_;
};

}  // namespace nnburst::exec
