// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Loops over the elements of tensors without gaps.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "exec/operation/operation.h"

namespace nnburst::exec {

/// Elements that are worked on without asking whether the run is out of time.
inline constexpr std::size_t kPartElements = 4096;

/// Calls part(first, last) for the elements 0 to `count` - 1, kPartElements at a time, until the
/// run is out of time. Few elements are one part, and cost nothing more.
template <class Part>
void forEachPart(const OperationView& operation, std::size_t count, Part&& part) {
    std::size_t first = 0;
    for (; count - first > kPartElements; first += kPartElements) {
        part(first, first + kPartElements);
        if (operation.isOutOfTime(kPartElements)) {
            return;
        }
    }
    part(first, count);
}

/// Calls element(i) for the elements 0 to `count` - 1, until the run is out of time.
template <class Element>
void forEachElement(const OperationView& operation, std::size_t count, Element&& element) {
    forEachPart(operation, count, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            element(i);
        }
    });
}

/// Adds up what many short parts of an operation have done, so that asking costs them nothing.
class PartCounter {
  public:
    explicit PartCounter(const OperationView& operation) noexcept : operation_(operation) {}

    /// As OperationView::isOutOfTime. Each question counts as one more element.
    [[nodiscard]] bool isOutOfTime(std::size_t elements) noexcept {
        elements_ += elements + 1;
        return elements_ >= kPartElements && operation_.isOutOfTime(std::exchange(elements_, 0));
    }

  private:
    const OperationView& operation_;
    std::size_t elements_ = 0;
};

/// output[i] = function(input[i]), for input 0 of elements In and output 0 of elements Out, until
/// the run is out of time.
template <class In, class Out, class Function>
void transformElements(const OperationView& operation, Function&& function) {
    const In* const input = operation.inputs[0].as<const In>();
    Out* const output = operation.outputs[0].as<Out>();
    forEachPart(operation, operation.inputs[0].shape.elementCount(),
                [&](std::size_t first, std::size_t last) {
                    std::transform(input + first, input + last, output + first, function);
                });
}

}  // namespace nnburst::exec
