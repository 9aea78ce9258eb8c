// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Operations that reduce integers along axes, or that select elements by their value.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "memory/interruptible_sort.h"
#include "model/operand_info.h"
#include "nnburst/type_queries.h"
#include "tflite_operations/elements.h"

namespace nnburst::tflite_operations {

namespace {

using enum OperandType;

// ---- REDUCE_INTEGERS: tensor of INT32, axes, BOOL whether these stay with size 1, INT32 kind.

Result<> checkReduce(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 4, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (axes)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (keeps axes)", {BOOL}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (kind)", {INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

/// Whether each axis of input 0 is reduced.
Result<std::vector<bool>> reducedAxes(Operands inputs) {
    std::vector<bool> result(inputs[0].dimensions.size());
    NNBURST_TRY_ASSIGN(const auto axes, constantIntegers(inputs[1], "input 1 (axes)"));
    for (const std::int32_t given : axes) {
        NNBURST_TRY_ASSIGN(const std::size_t axis, axisOf(given, result.size()));
        result[axis] = true;
    }
    return result;
}

Result<Dimensions> shapeOfReduce(Operands inputs, std::size_t /*output*/) {
    const auto kind = scalarOf<std::int32_t>(inputs[3]);
    if (kind < 0 || kind > static_cast<std::int32_t>(Reduction::MEAN)) {
        return invalid("kind {}; must be from 0 to {}", kind,
                       static_cast<std::int32_t>(Reduction::MEAN));
    }
    NNBURST_TRY_ASSIGN(const std::vector<bool> isReduced, reducedAxes(inputs));
    const bool keeps = scalarOf<std::uint8_t>(inputs[2]) != 0;
    Dimensions result;
    for (std::size_t axis = 0; axis < isReduced.size(); ++axis) {
        if (!isReduced[axis] || keeps) {
            result.push_back(isReduced[axis] ? 1 : inputs[0].dimensions[axis]);
        }
    }
    return result.empty() ? Dimensions{1} : result;
}

std::size_t scratchOfReduce(Operands inputs) {
    const auto shape = shapeOfReduce(inputs, 0);
    return shape ? countOf(*shape) * sizeof(std::int64_t) : 0;
}

/// Sums and products wrap around, as in 32 bits.
void accumulate(std::int64_t& sum, std::int64_t value, Reduction kind) {
    switch (kind) {
        case Reduction::PROD:
            sum = static_cast<std::int32_t>(sum * value);
            break;
        case Reduction::MIN:
            sum = std::min(sum, value);
            break;
        case Reduction::MAX:
            sum = std::max(sum, value);
            break;
        default:
            sum += value;
            break;
    }
}

Result<> runReduce(const RunContext& run) {
    NNBURST_TRY_ASSIGN(const std::vector<bool> isReduced, reducedAxes(run.inputs));
    const auto kind = static_cast<Reduction>(scalarOf<std::int32_t>(run.inputs[3]));
    const Sizes sizes = run.inputs[0].dimensions;
    const std::span sums(reinterpret_cast<std::int64_t*>(run.scratch.data()),
                         countOf(run.outputs[0]));
    const std::int64_t first = kind == Reduction::PROD  ? std::int64_t{1}
                               : kind == Reduction::MIN ? std::int64_t{INT32_MAX}
                               : kind == Reduction::MAX ? std::int64_t{INT32_MIN}
                                                        : std::int64_t{0};
    if (forEachElement(run, sums.size(), [&](std::size_t i) { sums[i] = first; })) {
        return {};
    }
    const std::size_t count = countOf(run.inputs[0]);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t rest = i;
        std::size_t at = 0;
        std::size_t step = 1;
        for (std::size_t axis = sizes.size(); axis-- > 0;) {
            at += isReduced[axis] ? 0 : rest % sizes[axis] * step;
            step *= isReduced[axis] ? 1 : sizes[axis];
            rest /= sizes[axis];
        }
        accumulate(sums[at], run.input<std::int32_t>(0)[i], kind);
        if (run.limit.isOverAfter(1)) {
            return {};
        }
    }
    // At least 1: an axis that is reduced may have no elements, which gives 0.
    const auto elements = static_cast<std::int64_t>(std::max(count, sums.size()) / sums.size());
    (void)forEachElement(run, sums.size(), [&](std::size_t i) {
        run.output<std::int32_t>()[i] =
            static_cast<std::int32_t>(kind == Reduction::MEAN ? sums[i] / elements : sums[i]);
    });
    return {};
}

// ---- TOP_K: tensor, INT32 k; the k largest elements along the last axis in descending order, and
// their indices, the smaller one first if elements are the same. (The HAL's has the larger first.)

struct Ranked {
    std::int32_t key;  ///< ordered as the elements
    std::uint32_t index;
};

Result<> checkTopK(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 2, 2));
    NNBURST_TRY(checkType(inputs[0], "input 0",
                          {TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT16_SYMM, TENSOR_QUANT8_ASYMM,
                           TENSOR_QUANT8_ASYMM_SIGNED}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (k)", {INT32}));
    NNBURST_TRY(checkType(outputs[1], "output 1 (indices)", {TENSOR_INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfTopK(Operands inputs, std::size_t /*output*/) {
    Dimensions result = dimensionsOf(inputs[0]);
    const auto k = scalarOf<std::int32_t>(inputs[1]);
    if (result.empty() || k < 1 || std::cmp_greater(k, result.back())) {
        return invalid("k {} of shape {}; must be from 1 to the size of the last axis", k,
                       dimensionsText(result));
    }
    result.back() = static_cast<std::uint32_t>(k);
    return result;
}

std::size_t scratchOfTopK(Operands inputs) {
    const Sizes sizes = inputs[0].dimensions;
    return sizes.empty() ? 0 : sizes.back() * sizeof(Ranked);
}

/// Read once: elements may change while they are sorted.
std::int32_t keyOf(const ExtensionOperand& operand, std::size_t index) {
    switch (operand.type) {
        case TENSOR_FLOAT32: {
            // Adding 0 makes -0 and 0 the same.
            const float value = readOnce(reinterpret_cast<const float*>(operand.data) + index);
            const auto bits = std::bit_cast<std::int32_t>(value + 0.0F);
            return bits < 0 ? bits ^ INT32_MAX : bits;
        }
        case TENSOR_INT32:
            return readOnce(reinterpret_cast<const std::int32_t*>(operand.data) + index);
        case TENSOR_QUANT16_SYMM:
            return readOnce(reinterpret_cast<const std::int16_t*>(operand.data) + index);
        case TENSOR_QUANT8_ASYMM:
            return readOnce(reinterpret_cast<const std::uint8_t*>(operand.data) + index);
        default:
            return readOnce(reinterpret_cast<const std::int8_t*>(operand.data) + index);
    }
}

/// Fills `ranked` with the keys of the elements from `first` on. True if the run is over.
bool rank(const RunContext& run, std::size_t first, std::span<Ranked> ranked) {
    return forEachElement(run, ranked.size(), [&](std::size_t i) {
        ranked[i] = {.key = keyOf(run.inputs[0], first + i),
                     .index = static_cast<std::uint32_t>(i)};
    });
}

Result<> runTopK(const RunContext& run) {
    const std::size_t size = run.inputs[0].dimensions.back();
    const std::size_t k = run.outputs[0].dimensions.back();
    const std::size_t bytes = elementBytes(run.inputs[0].type);
    const std::span ranked(reinterpret_cast<Ranked*>(run.scratch.data()), size);
    const std::size_t rows = countOf(run.inputs[0]) / size;
    for (std::size_t row = 0; row < rows; ++row) {
        if (rank(run, row * size, ranked)) {
            return {};
        }
        sortFirst(
            ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(k), ranked.end(),
            [](const Ranked& a, const Ranked& b) {
                return a.key > b.key || (a.key == b.key && a.index < b.index);
            },
            [&](std::size_t work) { return run.limit.isOverAfter(work); });
        const bool isOver = forEachElement(run, k, [&](std::size_t i) {
            const std::size_t from = row * size + ranked[i].index;
            std::copy_n(run.inputs[0].data + from * bytes, bytes,
                        run.outputs[0].data + (row * k + i) * bytes);
            run.output<std::int32_t>(1)[row * k + i] = static_cast<std::int32_t>(ranked[i].index);
        });
        if (isOver || run.limit.isOverAfter(size)) {
            return {};
        }
    }
    return {};
}

// ---- NON_MAX_SUPPRESSION: boxes [n, 4] of corners (y, x), scores [n], INT32 largest number of
// outputs, FLOAT32 threshold of the overlap, of the score, and sigma of soft suppression (0: none).
// Outputs: indices and scores of the selected boxes, then zeros; their number [1].

struct Candidate {
    float score;
    std::uint32_t index;
    std::uint32_t compared;  ///< number of selected boxes that it was compared with
};

Result<> checkSuppression(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 6, 3));
    NNBURST_TRY(checkType(inputs[0], "input 0 (boxes)", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[1], "input 1 (scores)", {TENSOR_FLOAT32}));
    NNBURST_TRY(checkType(inputs[2], "input 2 (largest number)", {INT32}));
    NNBURST_TRY(checkType(inputs[3], "input 3 (threshold of the overlap)", {FLOAT32}));
    NNBURST_TRY(checkType(inputs[4], "input 4 (threshold of the score)", {FLOAT32}));
    NNBURST_TRY(checkType(inputs[5], "input 5 (sigma)", {FLOAT32}));
    NNBURST_TRY(checkType(outputs[0], "output 0 (indices)", {TENSOR_INT32}));
    NNBURST_TRY(checkType(outputs[1], "output 1 (scores)", {TENSOR_FLOAT32}));
    return checkType(outputs[2], "output 2 (number)", {TENSOR_INT32});
}

Result<Dimensions> shapeOfSuppression(Operands inputs, std::size_t output) {
    const Sizes boxes = inputs[0].dimensions;
    const auto count = scalarOf<std::int32_t>(inputs[2]);
    if (boxes.size() != 2 || boxes[1] != 4 || countOf(inputs[1]) != boxes[0] || count < 1) {
        return invalid(
            "boxes of shape {}, {} scores, at most {} outputs; must be nx4, n, at least 1",
            dimensionsText(boxes), countOf(inputs[1]), count);
    }
    constexpr std::size_t kNumber = 2;
    return Dimensions{output == kNumber ? 1 : static_cast<std::uint32_t>(count)};
}

std::size_t scratchOfSuppression(Operands inputs) {
    return countOf(inputs[1]) * sizeof(Candidate);
}

/// Intersection over union. The corners may be any two opposite ones.
float overlap(const float* a, const float* b) {
    const auto low = [](const float* box, int axis) { return std::min(box[axis], box[axis + 2]); };
    const auto high = [](const float* box, int axis) { return std::max(box[axis], box[axis + 2]); };
    const auto area = [&](const float* box) {
        return (high(box, 0) - low(box, 0)) * (high(box, 1) - low(box, 1));
    };
    const float areaA = area(a);
    const float areaB = area(b);
    if (areaA <= 0.0F || areaB <= 0.0F) {
        return 0.0F;
    }
    const auto common = [&](int axis) {
        return std::max(
            std::min(high(a, axis), high(b, axis)) - std::max(low(a, axis), low(b, axis)), 0.0F);
    };
    const float intersection = common(0) * common(1);
    return intersection / (areaA + areaB - intersection);
}

class Suppression {
  public:
    explicit Suppression(const RunContext& run)
        : run_(run),
          maximum_(static_cast<std::uint32_t>(scalarOf<std::int32_t>(run.inputs[2]))),
          overlapThreshold_(scalarOf<float>(run.inputs[3])),
          scoreThreshold_(scalarOf<float>(run.inputs[4])),
          sigma_(scalarOf<float>(run.inputs[5])),
          heap_(reinterpret_cast<Candidate*>(run.scratch.data())) {}

    void select() {
        const auto boxes = static_cast<std::uint32_t>(countOf(run_.inputs[1]));
        const bool isOver = forEachElement(run_, boxes, [&](std::size_t i) {
            const float score = readOnce(run_.input<float>(1) + i);
            if (score > scoreThreshold_) {
                push({.score = score, .index = static_cast<std::uint32_t>(i), .compared = 0});
            }
        });
        if (isOver) {
            return;
        }
        while (count_ < maximum_ && heapSize_ != 0) {
            std::pop_heap(heap_, heap_ + heapSize_, isWorse);
            const Candidate candidate = heap_[--heapSize_];
            consider(candidate);
            if (run_.limit.isOverAfter(count_ + 1)) {
                return;
            }
        }
        (void)forEachElement(run_, maximum_ - count_, [&](std::size_t i) {
            run_.output<std::int32_t>(0)[count_ + i] = 0;
            run_.output<float>(1)[count_ + i] = 0.0F;
        });
        *run_.output<std::int32_t>(2) = static_cast<std::int32_t>(count_);
    }

  private:
    static bool isWorse(const Candidate& a, const Candidate& b) { return a.score < b.score; }

    void push(const Candidate& candidate) {
        heap_[heapSize_++] = candidate;
        std::push_heap(heap_, heap_ + heapSize_, isWorse);
    }

    /// Selects the candidate, drops it, or puts it back with a lower score.
    void consider(Candidate candidate) {
        const float original = candidate.score;
        for (std::uint32_t i = count_; i-- > candidate.compared;) {
            const auto selected =
                static_cast<std::uint32_t>(readOnce(run_.output<std::int32_t>(0) + i));
            if (selected >= countOf(run_.inputs[1])) {
                return;  // the client writes into the outputs
            }
            const float shared = overlap(run_.input<float>(0) + std::size_t{4} * candidate.index,
                                         run_.input<float>(0) + std::size_t{4} * selected);
            if (shared >= overlapThreshold_) {
                return;
            }
            if (sigma_ > 0.0F) {
                candidate.score *= std::exp(-0.5F / sigma_ * shared * shared);
            }
            if (candidate.score <= scoreThreshold_) {
                break;
            }
        }
        candidate.compared = count_;
        if (candidate.score == original) {
            run_.output<std::int32_t>(0)[count_] = static_cast<std::int32_t>(candidate.index);
            run_.output<float>(1)[count_] = candidate.score;
            ++count_;
        } else if (candidate.score > scoreThreshold_) {
            push(candidate);
        }
    }

    const RunContext& run_;
    std::uint32_t maximum_;
    float overlapThreshold_;
    float scoreThreshold_;
    float sigma_;
    Candidate* heap_;
    std::size_t heapSize_ = 0;
    std::uint32_t count_ = 0;
};

Result<> runSuppression(const RunContext& run) {
    Suppression(run).select();
    return {};
}

// ---- WHERE: condition; output: the places of elements that are not 0, a row of indices for each
// in ascending order.

Result<> checkWhere(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1, 1));
    NNBURST_TRY(checkType(inputs[0], "input 0",
                          {TENSOR_BOOL8, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM,
                           TENSOR_QUANT8_ASYMM_SIGNED}));
    return checkType(outputs[0], "output 0", {TENSOR_INT32});
}

Result<Dimensions> shapeOfWhere(Operands inputs, std::size_t /*output*/) {
    const std::size_t count = countOf(inputs[0]);
    if (count > INT32_MAX || inputs[0].dimensions.empty()) {
        return invalid("condition of shape {}; must have dimensions, and less than 2^31 elements",
                       dimensionsText(inputs[0].dimensions));
    }
    return Dimensions{static_cast<std::uint32_t>(count),
                      static_cast<std::uint32_t>(inputs[0].dimensions.size())};
}

bool isTrue(const ExtensionOperand& operand, std::size_t index) {
    switch (operand.type) {
        case TENSOR_FLOAT32:
            return reinterpret_cast<const float*>(operand.data)[index] != 0.0F;
        case TENSOR_INT32:
            return reinterpret_cast<const std::int32_t*>(operand.data)[index] != 0;
        default:
            return operand.data[index] != std::byte{0};
    }
}

Result<> runWhere(const RunContext& run, OutputSizes sizes) {
    const Sizes in = run.inputs[0].dimensions;
    const std::size_t count = countOf(in);
    std::int32_t* row = run.output<std::int32_t>();
    std::uint32_t rows = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (isTrue(run.inputs[0], i)) {
            std::size_t rest = i;
            for (std::size_t axis = in.size(); axis-- > 0; rest /= in[axis]) {
                row[axis] = static_cast<std::int32_t>(rest % in[axis]);
            }
            row += in.size();
            ++rows;
        }
        if (run.limit.isOverAfter(1)) {
            return {};
        }
    }
    sizes[0][0] = rows;
    return {};
}

// ---- UNIQUE: vector; outputs: its different elements in the order in which they first appear, and
// for each element of the vector its place among them.

Result<> checkUnique(Operands inputs, Operands outputs) {
    NNBURST_TRY(checkCounts(inputs, outputs, 1, 2));
    NNBURST_TRY(
        checkType(inputs[0], "input 0",
                  {TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED}));
    NNBURST_TRY(checkType(outputs[1], "output 1 (places)", {TENSOR_INT32}));
    return checkSameType(inputs[0], outputs[0]);
}

Result<Dimensions> shapeOfUnique(Operands inputs, std::size_t /*output*/) {
    if (inputs[0].dimensions.size() != 1 || inputs[0].dimensions[0] > INT32_MAX) {
        return invalid("elements of shape {}; must have one dimension of less than 2^31",
                       dimensionsText(inputs[0].dimensions));
    }
    return dimensionsOf(inputs[0]);
}

/// The elements in the order of their values, then for each element its place in the output.
std::size_t scratchOfUnique(Operands inputs) {
    return countOf(inputs[0]) * (sizeof(Ranked) + sizeof(std::uint32_t));
}

Result<> runUnique(const RunContext& run, OutputSizes sizes) {
    const std::size_t count = countOf(run.inputs[0]);
    const std::size_t bytes = elementBytes(run.inputs[0].type);
    const std::span ranked(reinterpret_cast<Ranked*>(run.scratch.data()), count);
    const std::span firsts(reinterpret_cast<std::uint32_t*>(ranked.data() + count), count);
    if (rank(run, 0, ranked)) {
        return {};
    }
    sortAll(
        ranked.begin(), ranked.end(),
        [](const Ranked& a, const Ranked& b) {
            return a.key < b.key || (a.key == b.key && a.index < b.index);
        },
        [&](std::size_t work) { return run.limit.isOverAfter(work); });
    // Also ends the run if sorting ended early.
    if (run.limit.isOverAfter(count) || forEachElement(run, count, [&](std::size_t i) {
            const bool isFirst = i == 0 || ranked[i].key != ranked[i - 1].key;
            firsts[ranked[i].index] = isFirst ? ranked[i].index : firsts[ranked[i - 1].index];
        })) {
        return {};
    }
    // The first of elements that are the same comes before the others, and has its place by then.
    std::uint32_t found = 0;
    const bool isOver = forEachElement(run, count, [&](std::size_t i) {
        if (firsts[i] == i) {
            std::copy_n(run.inputs[0].data + i * bytes, bytes, run.outputs[0].data + found * bytes);
            firsts[i] = found++;
        } else {
            firsts[i] = firsts[firsts[i]];
        }
        run.output<std::int32_t>(1)[i] = static_cast<std::int32_t>(firsts[i]);
    });
    if (isOver) {
        return {};
    }
    sizes[0][0] = found;
    return {};
}

constexpr std::array kSelectionOperations{
    OperationDefinition{Code::REDUCE_INTEGERS, "REDUCE_INTEGERS", checkReduce, shapeOfReduce,
                        runReduce, scratchOfReduce},
    OperationDefinition{Code::TOP_K, "TOP_K", checkTopK, shapeOfTopK, runTopK, scratchOfTopK},
    OperationDefinition{Code::NON_MAX_SUPPRESSION, "NON_MAX_SUPPRESSION", checkSuppression,
                        shapeOfSuppression, runSuppression, scratchOfSuppression},
    OperationDefinition{Code::WHERE, "WHERE", checkWhere, shapeOfWhere, nullptr, nullptr, runWhere},
    OperationDefinition{Code::UNIQUE, "UNIQUE", checkUnique, shapeOfUnique, nullptr,
                        scratchOfUnique, runUnique},
};

}  // namespace

std::span<const OperationDefinition> selectionOperations() noexcept {
    return kSelectionOperations;
}

}  // namespace nnburst::tflite_operations
