// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which names the HAL allows.

#include <string_view>

namespace nnburst {

/// HAL 1.2 Extension::name: lower-case letters, digits, periods and underscores, with a period.
[[nodiscard]] bool isExtensionName(std::string_view name) noexcept;

}  // namespace nnburst
