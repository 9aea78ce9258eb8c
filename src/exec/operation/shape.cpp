// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "exec/operation/operation.h"

namespace nnburst::exec {

Shape::Shape(std::span<const std::uint32_t> sizes) noexcept
    : rank_(static_cast<std::uint32_t>(std::min(sizes.size(), kMaximumRank))) {
    std::copy_n(sizes.begin(), rank_, sizes_.begin());
}

bool Shape::isFullySpecified() const noexcept {
    return std::none_of(sizes_.begin(), sizes_.begin() + rank_,
                        [](std::uint32_t size) { return size == 0; });
}

std::size_t Shape::elementCount() const noexcept {
    std::size_t count = 1;
    for (const std::uint32_t size : sizes()) {
        count *= size;
    }
    return count;
}

}  // namespace nnburst::exec
