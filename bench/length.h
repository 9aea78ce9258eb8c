// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How long a run is to be. Google Benchmark's options say it for calls of microseconds; what takes
/// longer says itself how often it wants to be called (row.h).

#include <string>
#include <vector>

namespace nnburst::bench {

enum class Length {
    TINY,   ///< everything once, to see that it works
    QUICK,  ///< two minutes
    FULL,
};

/// Sets the length of this run: "tiny", "quick", "full" or nothing for full. Ends the program with
/// a message for another name. To be called before anything is registered.
void setLength(const std::string& name);

[[nodiscard]] Length length() noexcept;

/// Google Benchmark's options for this length.
[[nodiscard]] std::vector<std::string> argumentsOfLength();

/// `tiny`, `quick` or `full`.
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
