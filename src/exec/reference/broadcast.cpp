// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/broadcast.h"

#include <algorithm>

#include "model/invalid.h"
#include "model/operand_info.h"

namespace nnburst::exec {

namespace {

/// The size of an axis counted from the last one; 1 for axes that are not there.
std::uint32_t sizeFromEnd(const Shape& shape, std::size_t fromEnd) noexcept {
    return fromEnd < shape.rank() ? shape[shape.rank() - 1 - fromEnd] : 1;
}

}  // namespace

Result<Shape> broadcastShape(const OperationView& operation) {
    const Shape& a = operation.inputs[0].shape;
    const Shape& b = operation.inputs[1].shape;
    Shape result = a.rank() >= b.rank() ? a : b;
    for (std::size_t fromEnd = 0; fromEnd < result.rank(); ++fromEnd) {
        const std::uint32_t sizeA = sizeFromEnd(a, fromEnd);
        const std::uint32_t sizeB = sizeFromEnd(b, fromEnd);
        if (sizeA != sizeB && sizeA != 1 && sizeB != 1) {
            return invalid("{} inputs 0 and 1: shapes {} and {}; sizes must be equal or 1",
                           toString(operation.type), dimensionsText(a.sizes()),
                           dimensionsText(b.sizes()));
        }
        result[result.rank() - 1 - fromEnd] = sizeA == 1 ? sizeB : sizeA;
    }
    return result;
}

Broadcast::Broadcast(const Shape& a, const Shape& b, const Shape& result) noexcept {
    if (result.elementCount() == 0) {
        rowCount_ = 0;
        return;
    }
    Axis* inner = &row_;
    std::size_t elementsA = 1;  // of one step along the axis
    std::size_t elementsB = 1;
    for (std::size_t fromEnd = 0; fromEnd < result.rank(); ++fromEnd) {
        const std::size_t sizeA = sizeFromEnd(a, fromEnd);
        const std::size_t sizeB = sizeFromEnd(b, fromEnd);
        const Axis axis{.size = sizeFromEnd(result, fromEnd),
                        .strideA = sizeA == 1 ? 0 : elementsA,
                        .strideB = sizeB == 1 ? 0 : elementsB};
        elementsA *= sizeA;
        elementsB *= sizeB;
        if (axis.size == 1) {
            continue;
        }
        if (row_.size == 1) {
            row_ = axis;
        } else if (axis.strideA == inner->strideA * inner->size &&
                   axis.strideB == inner->strideB * inner->size) {
            inner->size *= axis.size;
        } else {
            inner = &outer_[outerRank_++];
            *inner = axis;
        }
    }
    rowCount_ = result.elementCount() / row_.size;
}

Result<> inferBroadcastShape(const OperationView& operation, std::span<Shape> outputs) {
    NNBURST_TRY_ASSIGN(outputs[0], broadcastShape(operation));
    return {};
}

Result<HalVersion> finishBroadcastCheck(const OperationCheck& check,
                                        const OperationView& operation) {
    NNBURST_TRY(check.result());
    if (hasKnownInputShapes(operation)) {
        NNBURST_TRY(broadcastShape(operation));
    }
    return check.minimumVersion();
}

Result<HalVersion> checkBroadcast(const OperationView& operation, const char* firstName,
                                  const char* secondName,
                                  std::initializer_list<OperandType> types) {
    OperationCheck check(operation, ShapeKnowledge::PARTIAL);
    check.inputCount(2).outputCount(1);
    const OperandCheck first = check.input(0, firstName).type(types).rank(1, kMaximumRank);
    check.input(1, secondName).sameTypeAs(first).rank(1, kMaximumRank);
    check.output(0, "output").sameTypeAs(first);
    return finishBroadcastCheck(check, operation);
}

Result<> requireBroadcastOutput(const OperationView& operation) {
    NNBURST_TRY_ASSIGN(const Shape shape, broadcastShape(operation));
    return requireOutputShape(operation, 0, shape);
}

}  // namespace nnburst::exec
