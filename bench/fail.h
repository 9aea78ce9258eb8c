// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Ends the program if a benchmark cannot be measured.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "nnburst/result.h"

namespace nnburst::bench {

[[noreturn]] inline void fail(const std::string& message) {
    (void)std::fprintf(stderr, "nnburst-bench: %s\n", message.c_str());
    std::exit(1);
}

/// Ends the program if `result` is an error.
inline void requireSuccess(const Result<>& result) {
    if (!result) {
        fail(result.error().message);
    }
}

/// The value of `result`; ends the program if it is an error.
template <class T>
[[nodiscard]] T valueOf(Result<T> result) {
    if (!result) {
        fail(result.error().message);
    }
    return std::move(*result);
}

}  // namespace nnburst::bench
