// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tensors as slices along one axis, each of which is computed by itself: softmax, normalisations,
/// the largest element.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "exec/operation/operation.h"
#include "exec/reference/elements.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Slices along an axis: `size` elements, `stride` apart. The slices of one `outer` index begin
/// side by side.
struct Slices {
    Slices(const Shape& shape, std::size_t axis) noexcept : size(shape[axis]) {
        for (std::size_t i = 0; i < axis; ++i) {
            outer *= shape[i];
        }
        for (std::size_t i = axis + 1; i < shape.rank(); ++i) {
            stride *= shape[i];
        }
    }

    /// Calls slice(offset of its first element) for each, in the order of these elements, until the
    /// run of `operation` is out of time. Only for tensors with elements.
    template <class Slice>
    void forEach(const OperationView& operation, Slice&& slice) const {
        PartCounter parts(operation);
        for (std::size_t o = 0; o < outer; ++o) {
            for (std::size_t i = 0; i < stride; ++i) {
                slice(o * size * stride + i);
                if (parts.isOutOfTime(size)) {
                    return;
                }
            }
        }
    }

    std::size_t outer = 1;
    std::size_t size = 1;
    std::size_t stride = 1;
};

}  // namespace nnburst::exec
