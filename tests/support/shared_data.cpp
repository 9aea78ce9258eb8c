// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/shared_data.h"

#include <cstdlib>

namespace nnburst::test {

std::optional<std::filesystem::path> sharedData() {
    const char* named = std::getenv("NNBURST_SHARED");
    const std::filesystem::path path =
        named != nullptr ? std::filesystem::path(named)
                         : std::filesystem::path(NNBURST_SOURCE_DIR).parent_path() / "shared";
    return std::filesystem::is_directory(path) ? std::optional(path) : std::nullopt;
}

}  // namespace nnburst::test
