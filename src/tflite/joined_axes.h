// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Axes of a TFLite operator that are joined because the HAL allows fewer axes.

#include <cstddef>
#include <vector>

#include "nnburst/types.h"

namespace nnburst::tflite {

/// Neighbouring axes of one kind are one axis of the operation that is added.
class JoinedAxes {
  public:
    /// An axis of size 1 that is like any other.
    static constexpr int kAnyKind = -1;

    explicit JoinedAxes(const std::vector<int>& kinds) {
        for (const int kind : kinds) {
            const bool isAny = kind == kAnyKind;
            if (kinds_.empty() || (!isAny && kinds_.back() != kAnyKind && kinds_.back() != kind)) {
                kinds_.push_back(kind);
            } else if (!isAny) {
                kinds_.back() = kind;
            }
            groups_.push_back(kinds_.size() - 1);
        }
    }

    [[nodiscard]] std::size_t count() const noexcept { return kinds_.size(); }
    [[nodiscard]] int kind(std::size_t group) const { return kinds_[group]; }
    /// The joined axis of an axis.
    [[nodiscard]] std::size_t groupOf(std::size_t axis) const { return groups_[axis]; }

    /// `sizes`, of the last axes, joined; empty if there are more sizes than axes.
    [[nodiscard]] Dimensions join(const Dimensions& sizes) const {
        if (sizes.size() > groups_.size()) {
            return {};
        }
        Dimensions result(count(), 1);
        const std::size_t first = groups_.size() - sizes.size();
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
            result[groups_[first + axis]] *= sizes[axis];
        }
        return result;
    }

  private:
    std::vector<std::size_t> groups_{};
    std::vector<int> kinds_{};
};

}  // namespace nnburst::tflite
