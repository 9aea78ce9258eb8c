// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements of tensors as JSON arrays.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "data_type.h"
#include "failure.h"

namespace nnburst::serve {

/// The elements of `data`, an array in row-major order, flat or nested, as the HAL has them.
/// INVALID_ARGUMENT for an element that is not of `type`, or is outside its range. `name` is for
/// messages.
[[nodiscard]] Outcome<std::vector<std::byte>> elementsOf(const nlohmann::json& data,
                                                         const DataType& type,
                                                         const std::string& name);

/// A flat array of the elements in `bytes`. NaN and infinities become null when it is written as
/// text.
[[nodiscard]] nlohmann::json jsonOf(std::span<const std::byte> bytes, const DataType& type);

/// The number that the bits of a float16 stand for.
[[nodiscard]] float floatOfHalf(std::uint16_t bits) noexcept;

}  // namespace nnburst::serve
