// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that join tensors or split them.

#include <algorithm>
#include <optional>

#include "model/operand_info.h"
#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The elements of all inputs, one after the other, if all are constants of at most one dimension.
std::optional<std::vector<std::int32_t>> joinedIntegers(OperatorImport& op) {
    std::vector<std::int32_t> result;
    for (std::size_t i = 0; i < op.inputCount(); ++i) {
        const auto values = op.knownIntegers(i);
        if (!values || op.shape(i).size() > 1 ||
            result.size() + values->size() > kMaximumIntegers) {
            return std::nullopt;
        }
        result.insert(result.end(), values->begin(), values->end());
    }
    return result;
}

/// The number of dimensions of the first input that has any.
Result<std::uint32_t> sharedRank(OperatorImport& op) {
    for (std::size_t i = 0; i < op.inputCount(); ++i) {
        if (!op.shape(i).empty()) {
            return op.rank(i);
        }
    }
    return op.rank(0);
}

/// The inputs' shape with the sum of their sizes along `axis`.
Dimensions joinedShape(OperatorImport& op, std::uint32_t rank, std::uint32_t axis) {
    Dimensions result(rank, 0);
    std::uint64_t sum = 0;
    bool isSumKnown = true;
    for (std::size_t i = 0; i < op.inputCount(); ++i) {
        const Dimensions& shape = op.shape(i);
        for (std::size_t other = 0; other < rank; ++other) {
            result[other] = std::max(result[other], sizeAt(shape, other));
        }
        isSumKnown = isSumKnown && sizeAt(shape, axis) != 0;
        sum += sizeAt(shape, axis);
    }
    result[axis] = isSumKnown && sum <= UINT32_MAX ? static_cast<std::uint32_t>(sum) : 0;
    return result;
}

/// The shape of one of `parts` equal parts of `given` along `axis`; unknown if `given` is, or is
/// not divisible.
Dimensions partShape(const Dimensions& given, std::uint32_t axis, std::size_t parts) {
    Dimensions result = given;
    result[axis] = given[axis] % parts == 0 ? static_cast<std::uint32_t>(given[axis] / parts) : 0;
    return result;
}

/// Adds a SPLIT of the input into as many parts as there are outputs.
void addSplit(OperatorImport& op, std::size_t input, std::uint32_t axis,
              std::vector<std::uint32_t> results) {
    const auto count = static_cast<std::int32_t>(results.size());
    op.add(OperationType::SPLIT,
           {op.input(input), op.scalar(static_cast<std::int32_t>(axis)), op.scalar(count)},
           std::move(results));
}

}  // namespace

Result<> convertConcatenation(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::ConcatenationOptions>());
    if (options->fused_activation_function() != schema::ActivationFunctionType::NONE) {
        return invalid("fused activation {} is not supported",
                       static_cast<int>(options->fused_activation_function()));
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, sharedRank(op));
    NNBURST_TRY_ASSIGN(const std::uint32_t axis, OperatorImport::axis(options->axis(), rank));
    const Dimensions shape = joinedShape(op, rank, axis);
    op.inferOutputShape(shape);
    if (const auto values = joinedIntegers(op)) {
        return op.forwardIntegers(*values);
    }
    // Inputs without elements are left out: folding may have made them empty.
    std::vector<std::uint32_t> inputs;
    for (std::size_t i = 0; i < op.inputCount(); ++i) {
        if (op.operand(op.input(i)).lifetime != OperandLifeTime::NO_VALUE) {
            inputs.push_back(op.input(i));
        }
    }
    if (inputs.empty()) {
        return invalid("{} inputs without elements: one must have some", op.inputCount());
    }
    inputs.push_back(op.scalar(static_cast<std::int32_t>(axis)));
    op.add(operation, std::move(inputs), {op.output()});
    return {};
}

/// Adds the new axis to each input and joins them along it.
Result<> convertPack(OperatorImport& op, OperationType /*operation*/) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::PackOptions>());
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, sharedRank(op));
    NNBURST_TRY_ASSIGN(const std::uint32_t axis, OperatorImport::axis(options->axis(), rank + 1));
    const auto halAxis = static_cast<std::int32_t>(axis);
    const auto count = static_cast<std::uint32_t>(op.inputCount());
    if (rank == 0) {
        op.inferOutputShape({count});
        if (const auto values = joinedIntegers(op)) {
            return op.forwardIntegers(*values);
        }
    }
    std::vector<std::uint32_t> parts;
    for (std::size_t i = 0; i < op.inputCount(); ++i) {
        Dimensions shape = op.shape(i);
        if (rank == 0) {
            parts.push_back(op.input(i));
            continue;
        }
        if (shape.size() == rank) {
            shape.insert(shape.begin() + axis, 1);
        }
        const std::uint32_t part = count == 1 ? op.output() : op.temporaryLike(op.input(i), shape);
        op.add(OperationType::EXPAND_DIMS, {op.input(i), op.scalar(halAxis)}, {part});
        parts.push_back(part);
        if (i == 0 && !shape.empty()) {
            shape[axis] = count;
            op.inferOutputShape(shape);
        }
    }
    if (count == 1) {
        return rank == 0 ? op.forward(parts[0]) : Result<>();
    }
    parts.push_back(op.scalar(halAxis));
    op.add(OperationType::CONCATENATION, std::move(parts), {op.output()});
    return {};
}

Result<> convertUnpack(OperatorImport& op, OperationType /*operation*/) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::UnpackOptions>());
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    NNBURST_TRY_ASSIGN(const std::uint32_t axis, OperatorImport::axis(options->axis(), rank));
    const std::size_t count = op.outputCount();
    const Dimensions given = op.shape(0);
    if (given[axis] != 0 && given[axis] != count) {
        return invalid("{} outputs for axis {} of {}: must be one for each index", count, axis,
                       dimensionsText(given));
    }
    Dimensions kept = given;
    kept[axis] = 1;
    Dimensions dropped = kept;
    dropped.erase(dropped.begin() + axis);
    std::vector<std::uint32_t> parts;
    for (std::size_t i = 0; i < count; ++i) {
        if (rank == 1) {
            op.inferScalarOutput(i);
            parts.push_back(op.output(i));
        } else {
            op.inferOutputShape(dropped, i);
            parts.push_back(op.temporaryLike(op.output(i), kept));
        }
    }
    if (const auto values = op.knownIntegers(0); values && rank == 1 && values->size() == count) {
        for (std::size_t i = 0; i < count; ++i) {
            NNBURST_TRY(op.forwardIntegers({(*values)[i]}, i));
        }
        return {};
    }
    addSplit(op, 0, axis, parts);
    if (rank == 1) {
        return {};
    }
    const auto halAxis = static_cast<std::int32_t>(axis);
    NNBURST_TRY_ASSIGN(const std::uint32_t axes, op.constant(std::span(&halAxis, 1)));
    for (std::size_t i = 0; i < count; ++i) {
        op.add(OperationType::SQUEEZE, {parts[i], axes}, {op.output(i)});
    }
    return {};
}

/// The first input is the axis.
Result<> convertSplit(OperatorImport& op, OperationType /*operation*/) {
    constexpr std::size_t kValue = 1;
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::SplitOptions>());
    NNBURST_TRY_ASSIGN(const std::int32_t given, op.integer(0, "axis"));
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(kValue));
    NNBURST_TRY_ASSIGN(const std::uint32_t axis, OperatorImport::axis(given, rank));
    if (options->num_splits() < 1 ||
        static_cast<std::size_t>(options->num_splits()) != op.outputCount()) {
        return invalid("num_splits {} for {} outputs: must be the same", options->num_splits(),
                       op.outputCount());
    }
    const Dimensions shape = partShape(op.shape(kValue), axis, op.outputCount());
    std::vector<std::uint32_t> results;
    for (std::size_t i = 0; i < op.outputCount(); ++i) {
        op.inferOutputShape(shape, i);
        results.push_back(op.output(i));
    }
    addSplit(op, kValue, axis, std::move(results));
    return {};
}

/// The parts, of different sizes (one of them may be -1), become slices.
Result<> convertSplitV(OperatorImport& op, OperationType /*operation*/) {
    constexpr std::size_t kSizes = 1;
    constexpr std::size_t kAxis = 2;
    NNBURST_TRY_ASSIGN(std::vector<std::int32_t> sizes, op.integers(kSizes, "sizes"));
    NNBURST_TRY_ASSIGN(const std::int32_t given, op.integer(kAxis, "axis"));
    NNBURST_TRY_ASSIGN(const std::uint32_t rank, op.rank(0));
    NNBURST_TRY_ASSIGN(const std::uint32_t axis, OperatorImport::axis(given, rank));
    const Dimensions shape = op.shape(0);
    if (sizes.size() != op.outputCount()) {
        return invalid("{} sizes for {} outputs: must be one for each", sizes.size(),
                       op.outputCount());
    }
    std::int64_t sum = 0;
    for (const std::int32_t size : sizes) {
        if (size < -1) {
            return invalid("size {}: must be at least -1", size);
        }
        sum += std::max(size, 0);
    }
    const std::int64_t rest = std::int64_t{shape[axis]} - sum;
    const auto open = std::count(sizes.begin(), sizes.end(), -1);
    if (shape[axis] == 0 || shape[axis] > INT32_MAX || open > 1 || rest < 0 ||
        (open == 0 && rest != 0)) {
        return invalid("sizes of {} together for axis {} of {}: must be those of the axis", sum,
                       axis, dimensionsText(shape));
    }
    std::replace(sizes.begin(), sizes.end(), -1, static_cast<std::int32_t>(rest));
    std::vector<std::int32_t> begins(rank, 0);
    std::vector<std::int32_t> counts(rank, -1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Dimensions part = shape;
        part[axis] = static_cast<std::uint32_t>(sizes[i]);
        op.inferOutputShape(part, i);
        for (std::uint32_t other = 0; other < rank; ++other) {
            counts[other] =
                part[other] == 0 && other != axis ? -1 : static_cast<std::int32_t>(part[other]);
        }
        NNBURST_TRY_ASSIGN(const std::uint32_t begin, op.constant(begins));
        NNBURST_TRY_ASSIGN(const std::uint32_t count, op.constant(counts));
        op.add(OperationType::SLICE, {op.input(0), begin, count}, {op.output(i)});
        begins[axis] += sizes[i];
    }
    return {};
}

}  // namespace nnburst::tflite
