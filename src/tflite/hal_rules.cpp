// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "tflite/hal_rules.h"

#include <algorithm>
#include <array>

namespace nnburst::tflite {

namespace {

using enum OperationType;

constexpr std::array kRules{
    Rule{ADD, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{SUB, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{MUL, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{DIV, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{POW, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{PRELU, Axes::ELEMENTWISE, Lacks::NOTHING, 2},
    Rule{FLOOR, Axes::ELEMENTWISE},
    Rule{LOGISTIC, Axes::ELEMENTWISE},
    Rule{RELU, Axes::ELEMENTWISE},
    Rule{RELU1, Axes::ELEMENTWISE},
    Rule{RELU6, Axes::ELEMENTWISE},
    Rule{TANH, Axes::ELEMENTWISE},
    Rule{DEQUANTIZE, Axes::ELEMENTWISE},
    Rule{SELECT, Axes::ELEMENTWISE, Lacks::SMALL_TYPES, 3},
    Rule{SOFTMAX, Axes::LAST},
    Rule{LOG_SOFTMAX, Axes::LAST},
    Rule{L2_NORMALIZATION, Axes::LAST},
    Rule{MEAN, Axes::REDUCED},
    Rule{REDUCE_SUM, Axes::REDUCED},
    Rule{REDUCE_PROD, Axes::REDUCED},
    Rule{REDUCE_MAX, Axes::REDUCED},
    Rule{REDUCE_MIN, Axes::REDUCED},
    Rule{REDUCE_ALL, Axes::REDUCED},
    Rule{REDUCE_ANY, Axes::REDUCED},
    Rule{RESHAPE, Axes::RESHAPED, Lacks::ALL_INTEGER_TYPES},
    Rule{SQUEEZE, Axes::RESHAPED, Lacks::ALL_INTEGER_TYPES},
    Rule{EXPAND_DIMS, Axes::RESHAPED, Lacks::SMALL_TYPES},
    Rule{CONCATENATION, Axes::CONCATENATED, Lacks::ALL_INTEGER_TYPES, kAllButLast},
    Rule{SPLIT, Axes::ALONG, Lacks::SMALL_TYPES},
    Rule{GATHER, Axes::ALONG, Lacks::SMALL_TYPES},
    Rule{TRANSPOSE, Axes::PERMUTED, Lacks::ALL_INTEGER_TYPES},
    Rule{PAD, Axes::PADDED, Lacks::ALL_INTEGER_TYPES},
    Rule{PAD_V2, Axes::PADDED, Lacks::ALL_INTEGER_TYPES},
    Rule{TILE, Axes::TILED, Lacks::SMALL_TYPES},
    Rule{SLICE, Axes::SLICED, Lacks::SMALL_TYPES},
    Rule{STRIDED_SLICE, Axes::STRIDED, Lacks::ALL_INTEGER_TYPES},
    Rule{DEPTH_TO_SPACE, Axes::FIXED, Lacks::ALL_INTEGER_TYPES},
    Rule{SPACE_TO_DEPTH, Axes::FIXED, Lacks::ALL_INTEGER_TYPES},
    Rule{SPACE_TO_BATCH_ND, Axes::FIXED, Lacks::ALL_INTEGER_TYPES},
    Rule{BATCH_TO_SPACE_ND, Axes::FIXED, Lacks::ALL_INTEGER_TYPES},
};

}  // namespace

const Rule* findRule(OperationType type) noexcept {
    const auto* rule = std::find_if(kRules.begin(), kRules.end(),
                                    [type](const Rule& row) { return row.type == type; });
    return rule == kRules.end() ? nullptr : rule;
}

}  // namespace nnburst::tflite
