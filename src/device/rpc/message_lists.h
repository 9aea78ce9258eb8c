// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lists in RPC messages: their lengths are checked against a limit before memory is reserved.

#include <capnp/list.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::device {

/// INVALID_ARGUMENT for a list of more than `limit` elements.
[[nodiscard]] inline Result<> checkCount(std::size_t count, std::size_t limit,
                                         std::string_view what) {
    if (count > limit) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("message with {} {}: at most {} are allowed", count, what, limit));
    }
    return {};
}

/// Copies a list of numbers. The copy is as large as the list in the message, whose size is limited
/// (rpc_limits.h).
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
