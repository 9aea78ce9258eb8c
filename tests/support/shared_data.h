// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where tests find data that are not part of the sources: models with golden outputs, vectors of
/// operations.

#include <filesystem>
#include <optional>

namespace nnburst::test {

/// The directory that the environment variable NNBURST_SHARED names, else `shared` beside the
/// sources; nothing if there is no such directory.
[[nodiscard]] std::optional<std::filesystem::path> sharedData();

}  // namespace nnburst::test

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot be in parentheses
/// Declares `variable` with the directory of shared data, or skips the test, saying so.
#define NNBURST_SHARED_DATA_OR_SKIP(variable)                                                     \
    const std::optional<std::filesystem::path> nnburstSharedData = ::nnburst::test::sharedData(); \
    if (!nnburstSharedData) {                                                                     \
        GTEST_SKIP() << "no shared data: neither NNBURST_SHARED nor ../shared is there";          \
    }                                                                                             \
    const std::filesystem::path& variable = *nnburstSharedData
// NOLINTEND(bugprone-macro-parentheses)
