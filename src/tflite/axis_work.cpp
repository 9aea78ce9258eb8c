// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/axis_work.h"

#include <array>
#include <utility>

namespace nnburst::tflite {

namespace {

constexpr std::size_t kBeginMask = 4;
constexpr std::size_t kEndMask = 5;
constexpr std::size_t kShrinkMask = 6;

bool isInMask(const RuledOperation& op, std::size_t input, std::size_t axis) {
    const auto* mask = op.values(input);
    return mask != nullptr && ((*mask)[0] >> axis & 1) != 0;
}

}  // namespace

std::vector<AxisWork> readWork(const RuledOperation& op) {
    const Dimensions& shape = op.given(0).dimensions;
    const std::size_t perAxis = op.rule.axes == Axes::PADDED ? 2 : 1;
    const std::size_t lists = op.rule.axes == Axes::STRIDED  ? 3
                              : op.rule.axes == Axes::SLICED ? 2
                                                             : 1;
    std::vector<AxisWork> result(shape.size());
    for (std::size_t list = 0; list < lists; ++list) {
        const auto* numbers = op.values(1 + list);
        if (numbers == nullptr || numbers->size() != shape.size() * perAxis) {
            return {};
        }
        for (std::size_t i = 0; i < numbers->size(); ++i) {
            result[i / perAxis].numbers[list + i % perAxis] = (*numbers)[i];
        }
    }
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        AxisWork& work = result[axis];
        const auto& [a, b, c] = work.numbers;
        switch (op.rule.axes) {
            case Axes::PADDED:
                work.isTouched = a != 0 || b != 0;
                break;
            case Axes::TILED:
                work.isTouched = a != 1;
                break;
            case Axes::SLICED:
                work.isTouched = a != 0 || (b != -1 && std::cmp_not_equal(b, shape[axis]));
                break;
            default:
                work.isFromStart = isInMask(op, kBeginMask, axis) || (a == 0 && c == 1);
                work.isToEnd = isInMask(op, kEndMask, axis) ||
                               (c == 1 && std::cmp_greater_equal(b, shape[axis]));
                work.isDropped = isInMask(op, kShrinkMask, axis);
                work.isTouched = work.isDropped || c != 1 || !work.isFromStart || !work.isToEnd;
                break;
        }
    }
    return result;
}

Result<> writeWork(const RuledOperation& op, const Dimensions& shape,
                   const std::vector<AxisWork>& work, std::vector<std::uint32_t>& inputs) {
    std::array<std::vector<std::int32_t>, 3> lists;
    std::array<std::int32_t, 3> masks{};
    for (std::size_t group = 0; group < work.size(); ++group) {
        const AxisWork& own = work[group];
        const auto size = static_cast<std::int32_t>(shape[group]);
        switch (op.rule.axes) {
            case Axes::PADDED:
                lists[0].insert(lists[0].end(), {own.numbers[0], own.numbers[1]});
                break;
            case Axes::TILED:
                lists[0].push_back(own.isTouched ? own.numbers[0] : 1);
                break;
            case Axes::SLICED:
                lists[0].push_back(own.numbers[0]);
                lists[1].push_back(own.isTouched ? own.numbers[1] : size);
                break;
            default:
                for (std::size_t i = 0; i < lists.size(); ++i) {
                    lists[i].push_back(own.isTouched ? own.numbers[i] : (i == 0 ? 0 : 1));
                }
                break;
        }
        masks[0] |= own.isFromStart || !own.isTouched ? 1 << group : 0;
        masks[1] |= own.isToEnd || !own.isTouched ? 1 << group : 0;
        masks[2] |= own.isDropped ? 1 << group : 0;
    }
    if (op.rule.axes == Axes::STRIDED) {
        for (std::size_t i = 0; i < masks.size(); ++i) {
            inputs[kBeginMask + i] = op.tensors.constants().addScalar(masks[i]);
        }
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
        if (!lists[i].empty()) {
            NNBURST_TRY_ASSIGN(inputs[1 + i], op.integers(lists[i]));
        }
    }
    if (op.rule.axes == Axes::PADDED) {
        op.tensors.builder().operand(inputs[1]).dimensions = {
            static_cast<std::uint32_t>(work.size()), 2};
    }
    return {};
}

}  // namespace nnburst::tflite
