// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The length of a run. Google Benchmark's options set it for calls of microseconds; benchmarks
/// with longer calls set their number of calls themselves (row.h).

#include <string>
#include <vector>

namespace nnburst::bench {

enum class Length {
    TINY,   ///< every benchmark once, to test that it works
    QUICK,  ///< two minutes
    FULL,
};

/// Sets the length of this run: "tiny", "quick", or "full", which is also the meaning of "". Ends
/// the program with a message for another name. Must be called before benchmarks are registered.
void setLength(const std::string& name);

[[nodiscard]] Length length() noexcept;

/// Google Benchmark's options for this length.
[[nodiscard]] std::vector<std::string> argumentsOfLength();

/// The argument for the length of this run.
template <class T>
[[nodiscard]] T byLength(T tiny, T quick, T full) noexcept {
    switch (length()) {
        case Length::TINY:
            return tiny;
        case Length::QUICK:
            return quick;
        case Length::FULL:
            break;
    }
    return full;
}

}  // namespace nnburst::bench
