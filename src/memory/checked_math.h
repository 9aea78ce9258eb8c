// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arithmetic on numbers that another process, a file or a user chose: it returns nullopt instead
/// of wrapping around.

#include <concepts>
#include <cstdint>
#include <optional>

namespace nnburst {

/// a + b; nullopt if that does not fit in T.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checkedAdd(T a, T b) noexcept {
    T sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional<T>(sum);
}

/// a * b; nullopt if that does not fit in T.
template <std::unsigned_integral T>
[[nodiscard]] constexpr std::optional<T> checkedMultiply(T a, T b) noexcept {
    T product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional<T>(product);
}

/// Whether `length` units from `offset` on lie inside `size` units. Never overflows.
[[nodiscard]] constexpr bool fitsInside(std::uint64_t offset, std::uint64_t length,
                                        std::uint64_t size) noexcept {
    return offset <= size && length <= size - offset;
}

}  // namespace nnburst
