// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/axis_swaps.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>

namespace nnburst::tflite {

std::vector<Dimensions> swapsFor(const Dimensions& sizes, const std::vector<std::int32_t>& order) {
    std::vector<std::int32_t> current(order.size());
    std::iota(current.begin(), current.end(), 0);
    const auto product = [&](auto begin, auto end) {
        std::uint32_t result = 1;
        for (; begin != end; ++begin) {
            result *= sizes[static_cast<std::size_t>(*begin)];
        }
        return result;
    };
    std::vector<Dimensions> swaps;
    for (auto place = current.begin(); place != current.end(); ++place) {
        const auto moved =
            std::find(place, current.end(),
                      order[static_cast<std::size_t>(std::distance(current.begin(), place))]);
        if (moved != place) {
            swaps.push_back({product(current.begin(), place), product(place, moved),
                             product(moved, moved + 1), product(moved + 1, current.end())});
            std::rotate(place, moved, moved + 1);
        }
    }
    return swaps;
}

Dimensions swapped(const Dimensions& shape) {
    return {shape[0], shape[2], shape[1], shape[3]};
}

}  // namespace nnburst::tflite
