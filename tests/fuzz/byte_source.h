// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Takes what a fuzzer gives apart into numbers. After the end everything is zero.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace nnburst::fuzz {

class ByteSource {
  public:
    ByteSource(const std::uint8_t* data, std::size_t size) noexcept
        : rest_(std::as_bytes(std::span(data, size))) {}

    [[nodiscard]] bool isEmpty() const noexcept { return rest_.empty(); }

    template <class T>
    T take() noexcept {
        T value{};
        const auto bytes = takeBytes(sizeof(T));
        if (!bytes.empty()) {
            std::memcpy(&value, bytes.data(), bytes.size());
        }
        return value;
    }
    /// From 0 to `count` - 1; 0 if `count` is 0.
    std::size_t below(std::size_t count) noexcept {
        return count == 0 ? 0 : take<std::uint16_t>() % count;
    }
    bool flip() noexcept { return (take<std::uint8_t>() & 1) != 0; }

    /// At most so many.
    std::span<const std::byte> takeBytes(std::size_t count) noexcept {
        const auto taken = rest_.first(std::min(count, rest_.size()));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }
    std::span<const std::byte> takeRest() noexcept { return takeBytes(rest_.size()); }

  private:
    std::span<const std::byte> rest_;
};

}  // namespace nnburst::fuzz
