// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/shapes.h"

#include <algorithm>

#include "memory/checked_math.h"

namespace nnburst::tflite {

bool isKnown(const Dimensions& dimensions) noexcept {
    return !dimensions.empty() &&
           std::find(dimensions.begin(), dimensions.end(), 0U) == dimensions.end();
}

std::uint32_t elementCount(std::span<const std::uint32_t> dimensions) noexcept {
    if (dimensions.empty()) {
        return 0;
    }
    std::uint32_t count = 1;
    for (const std::uint32_t size : dimensions) {
        count = checkedMultiply(count, size).value_or(0);
    }
    return count;
}

std::uint32_t sizeAt(const Dimensions& dimensions, std::size_t axis) noexcept {
    return axis < dimensions.size() ? dimensions[axis] : 0;
}

Dimensions broadcastShape(const Dimensions& a, const Dimensions& b) {
    if (a.empty() || b.empty()) {
        return {};
    }
    Dimensions result = a.size() < b.size() ? b : a;
    const Dimensions& shorter = a.size() < b.size() ? a : b;
    const std::size_t offset = result.size() - shorter.size();
    for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
        std::uint32_t& size = result[offset + axis];
        const std::uint32_t other = shorter[axis];
        if (size > 1 && other > 1 && size != other) {
            return {};
        }
        // A size of more than 1 decides. An unknown size may turn out to be that size or 1.
        size = size > 1 || other > 1 ? std::max(size, other) : std::min(size, other);
    }
    return result;
}

}  // namespace nnburst::tflite
