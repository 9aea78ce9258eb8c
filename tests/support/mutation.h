// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Mutations: each breaks one thing in a copy of something valid, and says which, so that a test
/// that fails names it: "main operand 3: scale 0.5 -> -1".

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::test {

template <class T>
struct Mutation {
    std::string name;
    std::function<void(T&)> apply;
    /// The status with which the HAL refuses the result.
    ErrorStatus status = ErrorStatus::INVALID_ARGUMENT;
};

template <class T>
using Mutations = std::vector<Mutation<T>>;

/// A copy of `valid` in which one thing is broken.
template <class T>
[[nodiscard]] T mutated(const T& valid, const Mutation<T>& mutation) {
    T copy = valid;
    mutation.apply(copy);
    return copy;
}

}  // namespace nnburst::test
