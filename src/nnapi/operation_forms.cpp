// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/operation_forms.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace nnburst::nnapi {

namespace {

using enum OperandType;

/// A letter is an operand. Tensors: f float32, h float16, i int32, u quant8 asymm, s quant8 asymm
/// signed, y quant8 symm, c quant8 symm per channel, w quant16 symm, r quant16 asymm, b bool8.
/// Scalars: F float32, H float16, I int32, B bool. Those that depend on the type that T stands for,
/// one of `types`:
///     T  a tensor of that type
///     P  a real scalar: FLOAT16 for h, else FLOAT32
///     S  a scalar element: FLOAT32 for f, FLOAT16 for h, else INT32
///     W  a filter: that type; for u and s also c
///     Z  a bias: TENSOR_INT32 for u and s, else that type
///     R  corners of boxes: TENSOR_QUANT16_ASYMM for u and s, else that type
///     G  anchors of boxes: TENSOR_QUANT16_SYMM for u and s, else that type
/// A number before a letter repeats it. [4] or [1-4] after it is the rank, where that is known. +
/// is one operand or more. The list may end where ? stands.
struct Form {
    OperationType type;
    std::string_view types;
    std::string_view inputs;
    std::string_view outputs;
};

constexpr Form kForms[] = {
    {OperationType::ABS, "fhi", "T", "T"},
    {OperationType::ADD, "fhius", "2T[1-4] I", "T"},
    {OperationType::ARGMAX, "fhius", "T I", "i"},
    {OperationType::ARGMIN, "fhius", "T I", "i"},
    {OperationType::AVERAGE_POOL_2D, "fhus", "T[4] 6I ?B", "T"},
    {OperationType::AVERAGE_POOL_2D, "fhus", "T[4] 9I ?B", "T"},
    {OperationType::AXIS_ALIGNED_BBOX_TRANSFORM, "fh", "2T i T", "T"},
    {OperationType::AXIS_ALIGNED_BBOX_TRANSFORM, "us", "R T i R", "R"},
    {OperationType::BATCH_TO_SPACE_ND, "fhus", "T i ?B", "T"},
    {OperationType::BIDIRECTIONAL_SEQUENCE_LSTM, "fh", "48T I 2P 2B 8T", "T ?T ?3T ?T"},
    {OperationType::BIDIRECTIONAL_SEQUENCE_RNN, "fh", "12T I 2B", "T ?T ?T ?T"},
    {OperationType::BOX_WITH_NMS_LIMIT, "fhus", "T R i P 2I 3P", "T R 2i"},
    {OperationType::CAST, "fhiu", "T", "f"},
    {OperationType::CAST, "fhiu", "T", "h"},
    {OperationType::CAST, "fhiu", "T", "i"},
    {OperationType::CAST, "fhiu", "T", "u"},
    {OperationType::CAST, "bsywr", "T", "T"},
    {OperationType::CHANNEL_SHUFFLE, "fhus", "T[1-4] 2I", "T"},
    {OperationType::CONCATENATION, "fhus", "T[1-4]+ I", "T"},
    {OperationType::CONV_2D, "fhus", "T[4] W[4] Z 4I ?B ?2I", "T"},
    {OperationType::CONV_2D, "fhus", "T[4] W[4] Z 7I ?B ?2I", "T"},
    {OperationType::DEPTHWISE_CONV_2D, "fhus", "T[4] W[4] Z 5I ?B ?2I", "T"},
    {OperationType::DEPTHWISE_CONV_2D, "fhus", "T[4] W[4] Z 8I ?B ?2I", "T"},
    {OperationType::DEPTH_TO_SPACE, "fhus", "T I ?B", "T"},
    {OperationType::DEQUANTIZE, "usyc", "T[1-4]", "f"},
    {OperationType::DEQUANTIZE, "usyc", "T[1-4]", "h"},
    {OperationType::DETECTION_POSTPROCESSING, "fh", "3T 4P B 3I 2P B", "2T 2i"},
    {OperationType::DIV, "fhi", "2T[1-4] I", "T"},
    {OperationType::ELU, "fh", "T P", "T"},
    {OperationType::EMBEDDING_LOOKUP, "fhius", "i T", "T"},
    {OperationType::EQUAL, "fhiusb", "2T", "b"},
    {OperationType::EXP, "fh", "T", "T"},
    {OperationType::EXPAND_DIMS, "fhius", "T I", "T"},
    {OperationType::FILL, "fhi", "i S", "T"},
    {OperationType::FLOOR, "fh", "T[1-4]", "T"},
    {OperationType::FULLY_CONNECTED, "fhus", "T[2-4] T[2] Z[1] I", "T"},
    {OperationType::GATHER, "fhius", "T I i", "T"},
    {OperationType::GENERATE_PROPOSALS, "fhus", "2T G R 2P 2I 2P B", "T R i"},
    {OperationType::GREATER, "fhiusb", "2T", "b"},
    {OperationType::GREATER_EQUAL, "fhiusb", "2T", "b"},
    {OperationType::GROUPED_CONV_2D, "fhus", "T W Z 5I B", "T"},
    {OperationType::GROUPED_CONV_2D, "fhus", "T W Z 8I B", "T"},
    {OperationType::HARD_SWISH, "fhus", "T", "T"},
    {OperationType::HASHTABLE_LOOKUP, "fiu", "2i T", "T u"},
    {OperationType::HEATMAP_MAX_KEYPOINT, "fhus", "T R B", "T R"},
    {OperationType::INSTANCE_NORMALIZATION, "fh", "T 3P B", "T"},
    {OperationType::L2_NORMALIZATION, "fhus", "T[1-4] ?I", "T"},
    {OperationType::L2_POOL_2D, "fh", "T[4] 6I ?B", "T"},
    {OperationType::L2_POOL_2D, "fh", "T[4] 9I ?B", "T"},
    {OperationType::LESS, "fhiusb", "2T", "b"},
    {OperationType::LESS_EQUAL, "fhiusb", "2T", "b"},
    {OperationType::LOCAL_RESPONSE_NORMALIZATION, "fh", "T[1-4] I 3P ?I", "T"},
    {OperationType::LOG, "fh", "T", "T"},
    {OperationType::LOGICAL_AND, "b", "2T", "T"},
    {OperationType::LOGICAL_NOT, "b", "T", "T"},
    {OperationType::LOGICAL_OR, "b", "2T", "T"},
    {OperationType::LOGISTIC, "fhus", "T[1-4]", "T"},
    {OperationType::LOG_SOFTMAX, "fh", "T P I", "T"},
    {OperationType::LSH_PROJECTION, "fhiu", "f T f I", "i"},
    {OperationType::LSH_PROJECTION, "fhiu", "h T h I", "i"},
    {OperationType::LSTM, "fh", "20T I 2P ?4T", "4T"},
    {OperationType::MAXIMUM, "fhius", "2T", "T"},
    {OperationType::MAX_POOL_2D, "fhus", "T[4] 6I ?B", "T"},
    {OperationType::MAX_POOL_2D, "fhus", "T[4] 9I ?B", "T"},
    {OperationType::MEAN, "fhus", "T[1-4] i I", "T"},
    {OperationType::MINIMUM, "fhius", "2T", "T"},
    {OperationType::MUL, "fhius", "2T[1-4] I", "T"},
    {OperationType::NEG, "fhi", "T", "T"},
    {OperationType::NOT_EQUAL, "fhiusb", "2T", "b"},
    {OperationType::PAD, "fhus", "T[1-4] i", "T"},
    {OperationType::PAD_V2, "fhus", "T[1-4] i S", "T"},
    {OperationType::POW, "fh", "2T", "T"},
    {OperationType::PRELU, "fhus", "2T", "T"},
    {OperationType::QUANTIZE, "fh", "T", "u"},
    {OperationType::QUANTIZE, "fh", "T", "s"},
    {OperationType::QUANTIZED_16BIT_LSTM, "u", "9u 4i w u", "w u"},
    {OperationType::QUANTIZED_LSTM, "s", "s 8y 3w 4i y i s w 4w 6F I F", "s w s"},
    {OperationType::RANDOM_MULTINOMIAL, "fh", "T I i", "i"},
    {OperationType::RANK, "fhiusycwrb", "T", "I"},
    {OperationType::REDUCE_ALL, "b", "T[1-4] i B", "T"},
    {OperationType::REDUCE_ANY, "b", "T[1-4] i B", "T"},
    {OperationType::REDUCE_MAX, "fhus", "T[1-4] i B", "T"},
    {OperationType::REDUCE_MIN, "fhus", "T[1-4] i B", "T"},
    {OperationType::REDUCE_PROD, "fh", "T[1-4] i B", "T"},
    {OperationType::REDUCE_SUM, "fh", "T[1-4] i B", "T"},
    {OperationType::RELU, "fhus", "T[1-4]", "T"},
    {OperationType::RELU1, "fhus", "T[1-4]", "T"},
    {OperationType::RELU6, "fhus", "T[1-4]", "T"},
    {OperationType::RESHAPE, "fhus", "T[1-4] i", "T"},
    {OperationType::RESIZE_BILINEAR, "fhus", "T 2I ?B ?B ?B", "T"},
    {OperationType::RESIZE_BILINEAR, "fhus", "T 2P ?B ?B ?B", "T"},
    {OperationType::RESIZE_NEAREST_NEIGHBOR, "fhus", "T 2I B ?B ?B", "T"},
    {OperationType::RESIZE_NEAREST_NEIGHBOR, "fhus", "T 2P B ?B ?B", "T"},
    {OperationType::RNN, "fh", "5T I", "2T"},
    {OperationType::ROI_ALIGN, "fhus", "T R i 2I 2P 2I B", "T"},
    {OperationType::ROI_POOLING, "fhus", "T R i 2I 2P B", "T"},
    {OperationType::RSQRT, "fh", "T", "T"},
    {OperationType::SELECT, "fhius", "b 2T", "T"},
    {OperationType::SIN, "fh", "T", "T"},
    {OperationType::SLICE, "fhius", "T 2i", "T"},
    {OperationType::SOFTMAX, "fhus", "T[1-4] P ?I", "T"},
    {OperationType::SPACE_TO_BATCH_ND, "fhus", "T 2i ?B", "T"},
    {OperationType::SPACE_TO_DEPTH, "fhus", "T I ?B", "T"},
    {OperationType::SPLIT, "fhius", "T 2I", "T+"},
    {OperationType::SQRT, "fh", "T", "T"},
    {OperationType::SQUEEZE, "fhus", "T[1-4] i", "T"},
    {OperationType::STRIDED_SLICE, "fhus", "T[1-4] 3i 3I", "T"},
    {OperationType::SUB, "fhius", "2T[1-4] I", "T"},
    {OperationType::SVDF, "fh", "5T 2I", "2T"},
    {OperationType::TANH, "fhus", "T[1-4]", "T"},
    {OperationType::TILE, "fhius", "T i", "T"},
    {OperationType::TOPK_V2, "fhius", "T I", "T i"},
    {OperationType::TRANSPOSE, "fhus", "T[1-4] i", "T"},
    {OperationType::TRANSPOSE_CONV_2D, "fhus", "T[4] W[4] Z 7I B", "T"},
    {OperationType::TRANSPOSE_CONV_2D, "fhus", "T[4] W[4] Z i 4I B", "T"},
    {OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM, "fh", "20T I 2P B 4T", "T ?2T"},
    {OperationType::UNIDIRECTIONAL_SEQUENCE_RNN, "fh", "5T 2I", "T ?T"},
};

/// One item of a list of operands.
struct Item {
    std::size_t count = 1;
    char letter = 0;
    std::size_t minimumRank = 0;
    std::size_t maximumRank = std::numeric_limits<std::size_t>::max();
    bool isRepeated = false;
};

bool isDigit(char character) {
    return character >= '0' && character <= '9';
}

/// Takes a number off the front of `list`.
std::size_t takeNumber(std::string_view& list) {
    std::size_t number = 0;
    for (; !list.empty() && isDigit(list.front()); list.remove_prefix(1)) {
        number = number * 10 + static_cast<std::size_t>(list.front() - '0');
    }
    return number;
}

/// Takes `character` off the front of `list`, if it is there.
bool take(std::string_view& list, char character) {
    const bool isThere = !list.empty() && list.front() == character;
    list.remove_prefix(isThere ? 1 : 0);
    return isThere;
}

Item takeItem(std::string_view& list) {
    Item item;
    if (isDigit(list.front())) {
        item.count = takeNumber(list);
    }
    item.letter = list.front();
    list.remove_prefix(1);
    if (take(list, '[')) {
        item.minimumRank = takeNumber(list);
        item.maximumRank = take(list, '-') ? takeNumber(list) : item.minimumRank;
        (void)take(list, ']');
    }
    item.isRepeated = take(list, '+');
    return item;
}

OperandType typeOf(char letter) {
    constexpr std::pair<char, OperandType> kTypes[] = {
        {'f', TENSOR_FLOAT32},
        {'h', TENSOR_FLOAT16},
        {'i', TENSOR_INT32},
        {'u', TENSOR_QUANT8_ASYMM},
        {'s', TENSOR_QUANT8_ASYMM_SIGNED},
        {'y', TENSOR_QUANT8_SYMM},
        {'c', TENSOR_QUANT8_SYMM_PER_CHANNEL},
        {'w', TENSOR_QUANT16_SYMM},
        {'r', TENSOR_QUANT16_ASYMM},
        {'b', TENSOR_BOOL8},
        {'F', FLOAT32},
        {'H', FLOAT16},
        {'I', INT32},
    };
    const auto* const found =
        std::find_if(std::begin(kTypes), std::end(kTypes),
                     [&](const auto& entry) { return entry.first == letter; });
    return found == std::end(kTypes) ? BOOL : found->second;
}

/// The type that `letter` stands for, if T stands for `bound`. A filter may also have another.
OperandType typeOf(char letter, char bound) {
    const bool isQuantized = bound == 'u' || bound == 's';
    switch (letter) {
        case 'T':
        case 'W':
            return typeOf(bound);
        case 'P':
            return bound == 'h' ? FLOAT16 : FLOAT32;
        case 'S':
            return bound == 'f' ? FLOAT32 : bound == 'h' ? FLOAT16 : INT32;
        case 'Z':
            return isQuantized ? TENSOR_INT32 : typeOf(bound);
        case 'R':
            return isQuantized ? TENSOR_QUANT16_ASYMM : typeOf(bound);
        case 'G':
            return isQuantized ? TENSOR_QUANT16_SYMM : typeOf(bound);
        default:
            return typeOf(letter);
    }
}

bool fits(const Item& item, char bound, const Operand& operand) {
    const std::size_t rank = operand.dimensions.size();
    if (rank != 0 && (rank < item.minimumRank || rank > item.maximumRank)) {
        return false;
    }
    return operand.type == typeOf(item.letter, bound) ||
           (item.letter == 'W' && (bound == 'u' || bound == 's') &&
            operand.type == TENSOR_QUANT8_SYMM_PER_CHANNEL);
}

bool fits(std::string_view list, char bound, const OperandPointers& operands) {
    auto operand = operands.begin();
    while (!list.empty()) {
        if (take(list, ' ')) {
            continue;
        }
        if (take(list, '?')) {
            if (operand == operands.end()) {
                return true;
            }
            continue;
        }
        const Item item = takeItem(list);
        for (std::size_t index = 0; index < item.count; ++index, ++operand) {
            if (operand == operands.end() || !fits(item, bound, **operand)) {
                return false;
            }
        }
        while (item.isRepeated && operand != operands.end() && fits(item, bound, **operand)) {
            ++operand;
        }
    }
    return operand == operands.end();
}

}  // namespace

bool hasForm(OperationType type, const OperandPointers& inputs, const OperandPointers& outputs) {
    return std::any_of(std::begin(kForms), std::end(kForms), [&](const Form& form) {
        return form.type == type &&
               std::any_of(form.types.begin(), form.types.end(), [&](char bound) {
                   return fits(form.inputs, bound, inputs) && fits(form.outputs, bound, outputs);
               });
    });
}

}  // namespace nnburst::nnapi
