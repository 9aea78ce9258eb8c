// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Boxes of object detection: their overlap, and non-maximum suppression (N. Bodla et al.,
/// Soft-NMS, ICCV 2017). Callers pass private copies of scores, because a value that another
/// process changes cannot be sorted.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "exec/operation/operation.h"
#include "exec/reference/elements.h"
#include "exec/reference/partial_order.h"
#include "model/invalid.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// A box between two corners. The axes may come in either order.
struct Box {
    float left = 0.0F;
    float top = 0.0F;
    float right = 0.0F;
    float bottom = 0.0F;
};

/// Whether the corners are in the order that the HAL requires. False if a coordinate is NaN.
[[nodiscard]] inline bool isValid(const Box& box) noexcept {
    return box.left <= box.right && box.top <= box.bottom;
}

/// INVALID_ARGUMENT unless the box is valid. `input` names the input in the error, "input 0
/// (regions)", and where() the box in it, "region 3".
template <class Where>
[[nodiscard]] Result<> checkBox(const OperationView& operation, const char* input, const Box& box,
                                Where where) {
    if (!isValid(box)) {
        return invalid("{} {}: {}, {}, {}, {} of {}; must be left, top, right, bottom",
                       toString(operation.type), input, box.left, box.top, box.right, box.bottom,
                       where());
    }
    return {};
}

/// Intersection over union: the area that both boxes cover, divided by the area that they cover
/// together.
[[nodiscard]] inline float overlap(const Box& a, const Box& b) noexcept {
    const auto area = [](const Box& box) {
        return (box.right - box.left) * (box.bottom - box.top);
    };
    const float width = std::max(std::min(a.right, b.right) - std::max(a.left, b.left), 0.0F);
    const float height = std::max(std::min(a.bottom, b.bottom) - std::max(a.top, b.top), 0.0F);
    const float common = width * height;
    return common / (area(a) + area(b) - common);
}

/// Moves a box by `moveX` times its width and `moveY` times its height, and scales its width by
/// e^logWidth and its height by e^logHeight.
[[nodiscard]] inline Box transformed(const Box& box, float moveX, float moveY, float logWidth,
                                     float logHeight) noexcept {
    const float width = box.right - box.left;
    const float height = box.bottom - box.top;
    const float x = (box.left + box.right) / 2.0F + moveX * width;
    const float y = (box.top + box.bottom) / 2.0F + moveY * height;
    const float halfWidth = std::exp(logWidth) * width / 2.0F;
    const float halfHeight = std::exp(logHeight) * height / 2.0F;
    return {x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight};
}

/// The part of a box that lies inside an image.
[[nodiscard]] inline Box clipped(const Box& box, float width, float height) noexcept {
    return {std::min(std::max(box.left, 0.0F), width), std::min(std::max(box.top, 0.0F), height),
            std::min(std::max(box.right, 0.0F), width),
            std::min(std::max(box.bottom, 0.0F), height)};
}

/// Non-maximum suppression. Takes the candidate with the best score (of equal scores the first
/// candidate), until `limit` are taken. After each it calls lower(score, overlap with the taken
/// box) for every remaining candidate; `lower` may lower the score, and returns whether the
/// candidate remains. Returns the number of taken candidates, which are then the first of
/// `candidates`. score(c) returns a reference to the score of candidate c, which is never NaN;
/// box(c) returns its box. Ends early when the run of `operation` is out of time.
template <class Score, class GetBox, class Lower>
[[nodiscard]] std::size_t suppress(const OperationView& operation,
                                   std::span<std::uint32_t> candidates, std::size_t limit,
                                   Score&& score, GetBox&& box, Lower&& lower) {
    std::size_t taken = 0;
    std::size_t end = candidates.size();
    PartCounter parts(operation);
    while (taken < end && taken < limit && !operation.isOutOfTime(end - taken)) {
        std::size_t best = taken;
        float bestScore = score(candidates[best]);
        forEachElement(operation, end - taken, [&](std::size_t i) {
            if (const float other = score(candidates[taken + i]); bestScore < other) {
                best = taken + i;
                bestScore = other;
            }
        });
        std::swap(candidates[best], candidates[taken]);
        const Box bestBox = box(candidates[taken]);
        ++taken;
        for (std::size_t i = taken; i < end;) {
            if (lower(score(candidates[i]), overlap(box(candidates[i]), bestBox))) {
                ++i;
            } else {
                std::swap(candidates[i], candidates[--end]);
            }
            if (parts.isOutOfTime(1)) {
                return taken;
            }
        }
    }
    return taken;
}

/// For `suppress`: drops boxes that overlap a better one by `limit` or more, whatever their scores.
/// Boxes without an area do not overlap.
[[nodiscard]] inline auto dropAbove(float limit) noexcept {
    return [limit](float& /*score*/, float share) { return !(share >= limit); };
}

/// Fills `order` with consecutive numbers from `first` on and moves the `count` numbers with the
/// highest scores to the front, sorted by score; of equal scores the smaller number comes first.
/// score(n) is never NaN. Ends early when the run of `operation` is out of time.
template <class Score>
void rank(const OperationView& operation, std::span<std::uint32_t> order, std::uint32_t first,
          std::size_t count, Score&& score) {
    std::iota(order.begin(), order.end(), first);
    sortFirst(operation, order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
              order.end(), [&](std::uint32_t a, std::uint32_t b) {
                  const float scoreOfA = score(a);
                  const float scoreOfB = score(b);
                  return scoreOfA != scoreOfB ? scoreOfA > scoreOfB : a < b;
              });
}

}  // namespace nnburst::exec
