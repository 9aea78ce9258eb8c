// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes errors about models and requests that break a rule.

#include <fmt/format.h>

#include <utility>

#include "nnburst/result.h"

namespace nnburst {

/// INVALID_ARGUMENT with a message.
template <class... Args>
[[nodiscard]] tl::unexpected<Error> invalid(fmt::format_string<Args...> format, Args&&... args) {
    return failure(ErrorStatus::INVALID_ARGUMENT, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace nnburst
