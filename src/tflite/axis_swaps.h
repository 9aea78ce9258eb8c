// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A TRANSPOSE of more axes than the HAL allows as TRANSPOSEs that each swap two of four.

#include <array>
#include <cstdint>
#include <vector>

#include "nnburst/types.h"

namespace nnburst::tflite {

/// The permutation of each.
inline constexpr std::array<std::int32_t, 4> kSwap{0, 2, 1, 3};

/// TRANSPOSEs by kSwap that one after the other bring axes of the sizes `sizes` into the order
/// `order`: the shapes of their inputs. Each moves one axis to the place that it has at last.
[[nodiscard]] std::vector<Dimensions> swapsFor(const Dimensions& sizes,
                                               const std::vector<std::int32_t>& order);

/// The shape of the output of a swap.
[[nodiscard]] Dimensions swapped(const Dimensions& shape);

}  // namespace nnburst::tflite
