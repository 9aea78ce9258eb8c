// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Loops over the elements of one tensor, or of two whose axes of size 1 are repeated. They look at
/// the time limit after every block.

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "memory/interruptible.h"
#include "tflite_operations/operation.h"

namespace nnburst::tflite_operations {

/// Elements between two checks of the time limit.
inline constexpr std::size_t kBlock = 4096;

/// Calls `element(i)` for the elements 0 to `count` - 1. True if it ended early, as the run is
/// over. It does not report the last block, nor the only one: the caller reports `count` when it
/// has done all that belongs together.
template <class Element>
[[nodiscard]] bool forEachElement(const RunContext& run, std::size_t count, Element element) {
    for (std::size_t begin = 0;; begin += kBlock) {
        const std::size_t end = std::min(count, begin + kBlock);
        for (std::size_t i = begin; i < end; ++i) {
            element(i);
        }
        if (end == count) {
            return false;
        }
        if (run.limit.isOverAfter(kBlock)) {
            return true;
        }
    }
}

/// Sets `count` elements to `value`. True if it ended early, as the run is over.
template <class T>
[[nodiscard]] bool fill(const RunContext& run, T* out, std::size_t count, T value) {
    return forEachElement(run, count, [=](std::size_t i) { out[i] = value; });
}

/// Copies `bytes` bytes. True if it ended early, as the run is over.
[[nodiscard]] inline bool copyBytes(const RunContext& run, std::byte* to, const std::byte* from,
                                    std::size_t bytes) {
    return nnburst::copyBytes(to, from, bytes,
                              [&](std::size_t work) { return run.limit.isOverAfter(work); });
}

/// Adds up what many short parts of an operation have done, so that asking costs them nothing.
class PartCounter {
  public:
    explicit PartCounter(const RunContext& run) noexcept : limit_(run.limit) {}

    /// As ExtensionTimeLimit::isOverAfter. Each question counts as one more element.
    [[nodiscard]] bool isOverAfter(std::size_t work) noexcept {
        work_ += work + 1;
        if (work_ >= kBlock) {
            isOver_ = limit_.isOverAfter(std::exchange(work_, 0));
        }
        return isOver_;
    }

    /// The last answer of isOverAfter.
    [[nodiscard]] bool isOver() const noexcept { return isOver_; }

  private:
    ExtensionTimeLimit& limit_;
    std::size_t work_ = 0;
    bool isOver_ = false;
};

/// `function(x)` of each element of input 0, of which there are as many as in the output.
template <class In, class Out, class Function>
[[nodiscard]] Result<> mapElements(const RunContext& run, Function function) {
    const In* in = run.input<In>(0);
    Out* out = run.output<Out>();
    const std::size_t count = countOf(run.outputs[0]);
    for (std::size_t begin = 0; begin < count; begin += kBlock) {
        const std::size_t end = std::min(count, begin + kBlock);
        for (std::size_t i = begin; i < end; ++i) {
            out[i] = function(in[i]);
        }
        if (run.limit.isOverAfter(end - begin)) {
            return {};
        }
    }
    return {};
}

/// The shape of inputs 0 and 1 with axes of size 1 repeated.
[[nodiscard]] Result<Dimensions> broadcastShape(Operands inputs, std::size_t output);

/// Steps of both inputs for one step of the output along each axis.
struct BroadcastSteps {
    explicit BroadcastSteps(const RunContext& run) : sizes(run.outputs[0].dimensions) {
        for (std::size_t input = 0; input < 2; ++input) {
            const Sizes given = run.inputs[input].dimensions;
            std::size_t step = 1;
            for (std::size_t i = 0; i < given.size(); ++i) {
                const std::uint32_t size = given[given.size() - 1 - i];
                steps[input][sizes.size() - 1 - i] = size == 1 ? 0 : step;
                step *= size;
            }
        }
    }

    static constexpr std::size_t kMaximumRank = 16;
    Sizes sizes;
    std::array<std::array<std::size_t, kMaximumRank>, 2> steps{};
};

/// `function(a, b, out)` for each element of the output; it returns nothing, or a Result.
template <class T, class Function>
[[nodiscard]] Result<> combineElements(const RunContext& run, Function function) {
    using Outcome = std::invoke_result_t<Function, const T&, const T&, T&>;
    const BroadcastSteps broadcast(run);
    const std::size_t rank = broadcast.sizes.size();
    const T* a = run.input<T>(0);
    const T* b = run.input<T>(1);
    T* out = run.output<T>();
    const std::size_t inner = rank == 0 ? 1 : broadcast.sizes[rank - 1];
    const std::size_t stepA = rank == 0 ? 0 : broadcast.steps[0][rank - 1];
    const std::size_t stepB = rank == 0 ? 0 : broadcast.steps[1][rank - 1];
    const std::size_t rows = countOf(broadcast.sizes) / inner;
    for (std::size_t row = 0; row < rows; ++row) {
        std::size_t rest = row;
        std::size_t atA = 0;
        std::size_t atB = 0;
        for (std::size_t axis = rank; axis-- > 1;) {
            const std::size_t index = rest % broadcast.sizes[axis - 1];
            rest /= broadcast.sizes[axis - 1];
            atA += index * broadcast.steps[0][axis - 1];
            atB += index * broadcast.steps[1][axis - 1];
        }
        for (std::size_t begin = 0; begin < inner; begin += kBlock) {
            const std::size_t end = std::min(inner, begin + kBlock);
            for (std::size_t i = begin; i < end; ++i) {
                const T& x = a[atA + i * stepA];
                const T& y = b[atB + i * stepB];
                if constexpr (std::is_void_v<Outcome>) {
                    function(x, y, out[row * inner + i]);
                } else {
                    NNBURST_TRY(function(x, y, out[row * inner + i]));
                }
            }
            if (run.limit.isOverAfter(end - begin)) {
                return {};
            }
        }
    }
    return {};
}

}  // namespace nnburst::tflite_operations
