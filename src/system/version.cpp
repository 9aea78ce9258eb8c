// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/version.h"

namespace nnburst {

const char* libraryVersion() noexcept {
    return NNBURST_VERSION;
}

}  // namespace nnburst
