// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The answer of methods that this version of the driver does not have yet.

#include <fmt/format.h>

#include <string_view>

#include "nnburst/result.h"

namespace nnburst::device {

/// GENERAL_FAILURE, which is what the HAL wants of a driver for features that it leaves out.
[[nodiscard]] inline tl::unexpected<Error> unsupported(std::string_view what) {
    return failure(ErrorStatus::GENERAL_FAILURE,
                   fmt::format("{} is not supported yet by this driver", what));
}

}  // namespace nnburst::device
