// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the conversions share: lists with a limit.

#include <capnp/list.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::device {

/// Refuses a list of more than `limit` elements, before memory is taken for it.
[[nodiscard]] inline Result<> checkCount(std::size_t count, std::size_t limit,
                                         std::string_view what) {
    if (count > limit) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("message with {} {}: at most {} are allowed", count, what, limit));
    }
    return {};
}

/// Copies a list of numbers. They take as much memory here as in the message, whose size has a
/// limit.
template <class T>
[[nodiscard]] std::vector<T> numbersFromMessage(typename capnp::List<T>::Reader reader) {
    std::vector<T> numbers;
    numbers.reserve(reader.size());
    for (const T number : reader) {
        numbers.push_back(number);
    }
    return numbers;
}

template <class T>
void numbersToMessage(const std::vector<T>& numbers, typename capnp::List<T>::Builder builder) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        builder.set(static_cast<unsigned>(i), numbers[i]);
    }
}

}  // namespace nnburst::device
