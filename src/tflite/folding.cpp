// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/folding.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The elements of inputs 0 and 1, whose elements are `a` and `b`, that an operator combines;
/// nullopt if it repeats more than a single element.
template <class T>
std::optional<std::vector<std::pair<T, T>>> pairsOf(OperatorImport& op,
                                                    const std::optional<std::vector<T>>& a,
                                                    const std::optional<std::vector<T>>& b) {
    if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) {
        return std::nullopt;
    }
    const std::size_t count = a->empty() || b->empty() ? 0 : std::max(a->size(), b->size());
    if (count != 0 && elementCount(broadcastShape(op.shape(0), op.shape(1))) != count) {
        return std::nullopt;  // such as 3x1 and 1x3, which give 3x3
    }
    std::vector<std::pair<T, T>> pairs;
    for (std::size_t i = 0; i < count; ++i) {
        pairs.emplace_back((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
    }
    return pairs;
}

}  // namespace

Result<bool> foldReals(OperatorImport& op, float (*combine)(float, float)) {
    const auto pairs = pairsOf(op, op.knownReals(0), op.knownReals(1));
    if (!pairs) {
        return false;
    }
    std::vector<float> result;
    for (const auto& [a, b] : *pairs) {
        result.push_back(combine(a, b));
    }
    NNBURST_TRY(op.forwardReals(result));
    return true;
}

Result<bool> foldReals(OperatorImport& op, float (*function)(float)) {
    auto values = op.knownReals(0);
    if (!values) {
        return false;
    }
    std::transform(values->begin(), values->end(), values->begin(), function);
    NNBURST_TRY(op.forwardReals(*values));
    return true;
}

Result<bool> foldIntegers(OperatorImport& op, std::int64_t (*combine)(std::int64_t, std::int64_t)) {
    const auto pairs = pairsOf(op, op.knownIntegers(0), op.knownIntegers(1));
    if (!pairs) {
        return false;
    }
    std::vector<std::int32_t> result;
    for (const auto& [a, b] : *pairs) {
        const std::int64_t value = combine(a, b);
        if (!std::in_range<std::int32_t>(value)) {
            return false;
        }
        result.push_back(static_cast<std::int32_t>(value));
    }
    NNBURST_TRY(op.forwardIntegers(result));
    return true;
}

}  // namespace nnburst::tflite
