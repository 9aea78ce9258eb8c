// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Addresses at which there is no memory.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nnburst/result.h"

namespace nnburst {

/// A range of addresses, from the start of a page on, that nothing else gets. They can be computed
/// with, but neither read nor written. The range does not count against RLIMIT_DATA. Movable.
class ReservedAddresses {
  public:
    /// RESOURCE_EXHAUSTED_TRANSIENT if there are not so many.
    [[nodiscard]] static Result<ReservedAddresses> reserve(std::uint64_t sizeBytes);

    ReservedAddresses() noexcept = default;

    [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }

  private:
    struct Release {
        std::uint64_t sizeBytes;
        void operator()(std::byte* data) const noexcept;
    };

    std::unique_ptr<std::byte, Release> data_;
};

}  // namespace nnburst
