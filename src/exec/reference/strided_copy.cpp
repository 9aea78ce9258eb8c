// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/reference/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "exec/operation/time_limit.h"
#include "exec/reference/dispatch.h"
#include "exec/reference/elements.h"

namespace nnburst::exec {

std::size_t elementCount(const Shape& shape, std::size_t first, std::size_t last) noexcept {
    std::size_t count = 1;
    for (std::size_t axis = first; axis < last; ++axis) {
        count *= shape[axis];
    }
    return count;
}

Strides denseStrides(const Shape& shape) noexcept {
    Strides strides{};
    std::size_t stride = 1;  // unsigned: wraps around if another size is 0
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        strides[axis] = static_cast<std::ptrdiff_t>(stride);
        stride *= shape[axis];
    }
    return strides;
}

StridedCopy& StridedCopy::axis(std::size_t size, std::ptrdiff_t inputStride,
                               std::ptrdiff_t outputStride) noexcept {
    if (size == 0) {
        isEmpty_ = true;
    }
    if (size == 1 || isEmpty_) {
        return *this;
    }
    const auto length = static_cast<std::ptrdiff_t>(size);
    if (inner_.size == 1) {
        inner_ = {size, inputStride, outputStride};
    } else if (inner_.inputStride == inputStride * length &&
               inner_.outputStride == outputStride * length) {
        inner_ = {inner_.size * size, inputStride, outputStride};
    } else {
        outer_[outerRank_++] = inner_;
        inner_ = {size, inputStride, outputStride};
    }
    return *this;
}

/// Calls row(offset in the input, offset in the output, elements) for each row along the innermost
/// axis, until the run is out of time. Of a long row, each part is a row.
template <class Row>
void StridedCopy::forEachRow(const OperationView& operation, Row&& row) const noexcept {
    std::size_t rowCount = 1;
    for (std::size_t axis = 0; axis < outerRank_; ++axis) {
        rowCount *= outer_[axis].size;
    }
    std::array<std::size_t, kMaximumAxes> index{};
    std::ptrdiff_t inputOffset = 0;
    std::ptrdiff_t outputOffset = 0;
    PartCounter parts(operation);
    for (std::size_t r = 0; r < rowCount; ++r) {
        for (std::size_t first = 0; first < inner_.size; first += TimeLimit::kWorkPerCheck) {
            const std::size_t count = std::min(inner_.size - first, TimeLimit::kWorkPerCheck);
            const auto distance = static_cast<std::ptrdiff_t>(first);
            row(inputOffset + distance * inner_.inputStride,
                outputOffset + distance * inner_.outputStride, count);
            if (parts.isOutOfTime(count)) {
                return;
            }
        }
        for (std::size_t i = outerRank_; i-- > 0;) {
            const Axis& axis = outer_[i];
            inputOffset += axis.inputStride;
            outputOffset += axis.outputStride;
            if (++index[i] < axis.size) {
                break;
            }
            index[i] = 0;
            inputOffset -= axis.inputStride * static_cast<std::ptrdiff_t>(axis.size);
            outputOffset -= axis.outputStride * static_cast<std::ptrdiff_t>(axis.size);
        }
    }
}

template <class T>
void StridedCopy::runElements(const OperationView& operation, const std::byte* input,
                              std::byte* output) const noexcept {
    const T* from = reinterpret_cast<const T*>(input);
    T* to = reinterpret_cast<T*>(output);
    if (inner_.inputStride == 1 && inner_.outputStride == 1) {
        forEachRow(operation,
                   [&](std::ptrdiff_t inputOffset, std::ptrdiff_t outputOffset, std::size_t count) {
                       std::memcpy(to + outputOffset, from + inputOffset, count * sizeof(T));
                   });
        return;
    }
    forEachRow(operation,
               [&](std::ptrdiff_t inputOffset, std::ptrdiff_t outputOffset, std::size_t count) {
                   for (std::size_t i = 0; i < count; ++i) {
                       to[outputOffset] = from[inputOffset];
                       inputOffset += inner_.inputStride;
                       outputOffset += inner_.outputStride;
                   }
               });
}

void StridedCopy::run(const OperationView& operation, const std::byte* input, std::byte* output,
                      std::size_t elementBytes) const noexcept {
    if (isEmpty_) {
        return;
    }
    switch (elementBytes) {
        case 1:
            return runElements<std::uint8_t>(operation, input, output);
        case 2:
            return runElements<std::uint16_t>(operation, input, output);
        case 4:
            return runElements<std::uint32_t>(operation, input, output);
        default:
            return;  // the HAL has no elements of this size
    }
}

void fillElements(const OperationView& operation, std::byte* output, std::size_t count,
                  const std::byte* value, std::size_t elementBytes) noexcept {
    const auto fill = [&]<class T>(T element) {
        std::memcpy(&element, value, sizeof(T));
        T* const elements = reinterpret_cast<T*>(output);
        forEachPart(operation, count, [&](std::size_t first, std::size_t last) {
            std::fill(elements + first, elements + last, element);
        });
    };
    switch (elementBytes) {
        case 1:
            return fill(std::uint8_t{});
        case 2:
            return fill(std::uint16_t{});
        case 4:
            return fill(std::uint32_t{});
        default:
            return;  // the HAL has no elements of this size
    }
}

OperandType fillScalarType(OperandType type) noexcept {
    switch (type) {
        case OperandType::TENSOR_FLOAT32:
            return OperandType::FLOAT32;
        case OperandType::TENSOR_FLOAT16:
            return OperandType::FLOAT16;
        default:
            return OperandType::INT32;
    }
}

std::array<std::byte, 4> zeroElement(const OperandView& operand) noexcept {
    std::array<std::byte, 4> zero{};
    if (isQuantized8Tensor(operand.type)) {
        zero[0] = static_cast<std::byte>(operand.zeroPoint);
    }
    return zero;
}

}  // namespace nnburst::exec
