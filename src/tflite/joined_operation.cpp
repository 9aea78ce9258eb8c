// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/joined_operation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tflite/axis_swaps.h"
#include "tflite/axis_work.h"
#include "tflite/joined_axes.h"

namespace nnburst::tflite {

namespace {

using enum OperationType;

class AxisJoiner {
  public:
    explicit AxisJoiner(const RuledOperation& op) : op_(op), result_{.inputs = op.planned.inputs} {}

    /// Returns whether 4 axes are enough.
    Result<bool> join() {
        switch (op_.rule.axes) {
            case Axes::ELEMENTWISE:
                return joinElementwise();
            case Axes::LAST:
                return joinBeforeLast();
            case Axes::REDUCED:
                return joinReduced();
            case Axes::ALONG:
                return joinAround(op_.values(1), 1);
            case Axes::CONCATENATED:
                return joinAround(op_.values(op_.planned.inputs.size() - 1),
                                  op_.planned.inputs.size() - 1);
            case Axes::PERMUTED:
                return joinPermuted();
            case Axes::PADDED:
            case Axes::TILED:
            case Axes::SLICED:
            case Axes::STRIDED:
                return joinUntouched();
            default:
                return false;
        }
    }

    /// Must be called once, after join has returned true.
    [[nodiscard]] JoinedOperation take() { return std::move(result_); }

  private:
    // Each of these sets the joined shapes, and inputs that name axes, and returns whether 4 axes
    // are enough.

    bool setShapes(const JoinedAxes& joined, const Dimensions& output) {
        for (std::size_t i = 0; i < op_.operandCount(); ++i) {
            result_.inputShapes.push_back(joined.join(op_.given(i).dimensions));
        }
        result_.outputShape = output;
        const bool isJoined =
            !output.empty() && std::none_of(result_.inputShapes.begin(), result_.inputShapes.end(),
                                            [](const Dimensions& shape) { return shape.empty(); });
        return isJoined && joined.count() <= kMaximumHalRank && output.size() <= kMaximumHalRank;
    }

    bool joinElementwise() {
        const Dimensions& output = op_.outputShape();
        std::vector<int> kinds;
        for (std::size_t axis = 0; axis < output.size(); ++axis) {
            int repeated = 0;
            for (std::size_t i = 0; i < op_.operandCount(); ++i) {
                const Dimensions& shape = op_.given(i).dimensions;
                const std::size_t first = output.size() - std::min(shape.size(), output.size());
                const bool isOne = axis < first || shape[axis - first] == 1;
                repeated |= isOne ? 1 << i : 0;
            }
            kinds.push_back(output[axis] == 1 ? JoinedAxes::kAnyKind : repeated);
        }
        const JoinedAxes joined(kinds);
        return setShapes(joined, joined.join(output));
    }

    Result<bool> joinBeforeLast() {
        std::vector<int> kinds(op_.given(0).dimensions.size(), 0);
        kinds.back() = 1;
        const JoinedAxes joined(kinds);
        if (op_.rule.type == LOG_SOFTMAX) {
            result_.inputs[2] = op_.tensors.constants().addScalar(std::int32_t{1});
        }
        return setShapes(joined, joined.join(op_.outputShape()));
    }

    Result<bool> joinReduced() {
        const auto* axes = op_.values(1);
        if (axes == nullptr) {
            return false;
        }
        const Dimensions shape = op_.given(0).dimensions;
        const auto rank = static_cast<std::int32_t>(shape.size());
        std::vector<int> kinds(shape.size(), 0);
        std::size_t reduced = shape.size();  // an axis that stays one of the operation
        for (const std::int32_t axis : *axes) {
            if (axis < -rank || axis >= rank) {
                return false;
            }
            const auto fromFront = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
            kinds[fromFront] = 1;
            reduced = reduced == shape.size() || shape[fromFront] != 1 ? fromFront : reduced;
        }
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis] == 1 && axis != reduced) {
                kinds[axis] = JoinedAxes::kAnyKind;
            }
        }
        const JoinedAxes joined(kinds);
        std::vector<std::int32_t> joinedAxes;
        Dimensions output = joined.join(shape);
        for (std::size_t group = 0; group < joined.count(); ++group) {
            if (joined.kind(group) == 1) {
                joinedAxes.push_back(static_cast<std::int32_t>(group));
                output[group] = 1;
            }
        }
        NNBURST_TRY_ASSIGN(result_.inputs[1], op_.integers(joinedAxes));
        result_.inputs[2] = op_.rule.type == MEAN
                                ? op_.tensors.constants().addScalar(std::int32_t{1})
                                : op_.tensors.constants().addScalar(true);
        return setShapes(joined, output);
    }

    /// [before, the axis, behind]
    Result<bool> joinAround(const std::vector<std::int32_t>* axis, std::size_t axisInput) {
        const auto rank = static_cast<std::int32_t>(op_.given(0).dimensions.size());
        if (axis == nullptr || (*axis)[0] < -rank || (*axis)[0] >= rank) {
            return false;
        }
        const auto at = static_cast<std::size_t>((*axis)[0] < 0 ? (*axis)[0] + rank : (*axis)[0]);
        std::vector<int> kinds(op_.given(0).dimensions.size(), 0);
        kinds[at] = 1;
        const JoinedAxes joined(kinds);
        result_.inputs[axisInput] =
            op_.tensors.constants().addScalar(static_cast<std::int32_t>(joined.groupOf(at)));
        if (op_.rule.type != GATHER) {
            return setShapes(joined, joined.join(op_.outputShape()));
        }
        constexpr std::size_t kIndices = 2;
        const Dimensions indices = op_.given(kIndices).dimensions;
        Dimensions output = joined.join(op_.given(0).dimensions);
        output.erase(output.begin() + static_cast<std::ptrdiff_t>(joined.groupOf(at)));
        output.insert(output.begin() + static_cast<std::ptrdiff_t>(joined.groupOf(at)),
                      indices.begin(), indices.end());
        return setShapes(joined, output);
    }

    /// Axes that stay neighbours are one.
    Result<bool> joinPermuted() {
        const auto* permutation = op_.values(1);
        const Dimensions shape = op_.given(0).dimensions;
        std::vector<std::int32_t> axes(shape.size());
        std::iota(axes.begin(), axes.end(), 0);
        if (permutation == nullptr ||
            !std::is_permutation(axes.begin(), axes.end(), permutation->begin(),
                                 permutation->end())) {
            return false;
        }
        std::vector<int> kinds(shape.size(), JoinedAxes::kAnyKind);
        std::size_t last = shape.size();  // none
        int kind = -1;
        for (const std::int32_t entry : *permutation) {
            const auto axis = static_cast<std::size_t>(entry);
            if (shape[axis] == 1) {
                continue;
            }
            // Axes of size 1 between the two do not matter.
            const bool isNext =
                last < axis && std::all_of(shape.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                                           shape.begin() + static_cast<std::ptrdiff_t>(axis),
                                           [](std::uint32_t size) { return size == 1; });
            kind += isNext ? 0 : 1;
            kinds[axis] = kind;
            last = axis;
        }
        const JoinedAxes joined(kinds);
        const Dimensions from = joined.join(shape);
        Dimensions to(joined.count());
        std::vector<std::int32_t> order(joined.count(), 0);
        for (std::size_t group = 0; group < joined.count(); ++group) {
            const auto place = static_cast<std::size_t>(std::max(joined.kind(group), 0));
            order[place] = static_cast<std::int32_t>(group);
            to[place] = from[group];
        }
        if (joined.count() > kMaximumHalRank) {
            result_.swaps = swapsFor(from, order);
            return true;
        }
        NNBURST_TRY_ASSIGN(result_.inputs[1], op_.integers(order));
        return setShapes(joined, to);
    }

    /// Axes along which nothing happens are joined.
    Result<bool> joinUntouched() {
        const std::vector<AxisWork> work = readWork(op_);
        if (work.empty()) {
            return false;
        }
        const Dimensions shape = op_.given(0).dimensions;
        std::vector<int> kinds;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const int untouched = shape[axis] == 1 ? JoinedAxes::kAnyKind : 0;
            kinds.push_back(work[axis].isTouched ? static_cast<int>(axis) + 1 : untouched);
        }
        const JoinedAxes joined(kinds);
        std::vector<AxisWork> joinedWork(joined.count());
        Dimensions output(joined.count(), 1);
        std::size_t outputAxis = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const std::size_t group = joined.groupOf(axis);
            if (work[axis].isTouched) {
                joinedWork[group] = work[axis];
            }
            if (work[axis].isDropped) {
                continue;
            }
            if (outputAxis == op_.outputShape().size()) {
                return false;
            }
            output[group] *= op_.outputShape()[outputAxis++];
        }
        NNBURST_TRY(writeWork(op_, joined.join(shape), joinedWork, result_.inputs));
        for (std::size_t group = joined.count(); group-- > 0;) {
            if (joinedWork[group].isDropped) {
                output.erase(output.begin() + static_cast<std::ptrdiff_t>(group));
            }
        }
        return setShapes(joined, output.empty() ? Dimensions{1} : output);
    }

    const RuledOperation& op_;
    JoinedOperation result_;
};

}  // namespace

Result<std::optional<JoinedOperation>> joinAxes(const RuledOperation& op) {
    AxisJoiner joiner(op);
    NNBURST_TRY_ASSIGN(const bool isEnough, joiner.join());
    return isEnough ? std::optional(joiner.take()) : std::nullopt;
}

}  // namespace nnburst::tflite
