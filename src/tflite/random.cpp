// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that draw random numbers. Their generators go on from one execution to
/// the next: how far they are is a state of the model.

#include <sys/random.h>

#include <array>

#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The two seeds, each as its low and its high half. TFLite reads the low half as a signed number.
/// Two zeros mean arbitrary seeds.
Result<std::array<std::int32_t, 4>> seedsOf(const schema::RandomOptions& options) {
    std::array<std::int64_t, 2> seeds{static_cast<std::int32_t>(options.seed()),
                                      static_cast<std::int32_t>(options.seed2())};
    if (seeds[0] == 0 && seeds[1] == 0 &&
        ::getrandom(seeds.data(), sizeof seeds, 0) != static_cast<ssize_t>(sizeof seeds)) {
        return failure(ErrorStatus::GENERAL_FAILURE, "cannot get a random seed from the system");
    }
    constexpr int kHalf = 32;
    return std::array{
        static_cast<std::int32_t>(seeds[0]), static_cast<std::int32_t>(seeds[0] >> kHalf),
        static_cast<std::int32_t>(seeds[1]), static_cast<std::int32_t>(seeds[1] >> kHalf)};
}

/// Adds `operation` with the inputs and outputs that all have, and `more` inputs behind.
Result<> addDrawing(OperatorImport& op, OperationType operation,
                    const std::vector<std::uint32_t>& more) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::RandomOptions>());
    NNBURST_TRY_ASSIGN(const auto words, seedsOf(*options));
    NNBURST_TRY_ASSIGN(const std::uint32_t seeds, op.constant(words));
    Operand drawn;
    drawn.type = OperandType::TENSOR_INT32;
    drawn.dimensions = {2};
    NNBURST_TRY_ASSIGN(const std::size_t state, op.tensors().states().addState(drawn));
    std::vector<std::uint32_t> inputs{op.input(0), seeds, op.tensors().states().stateValue(state)};
    inputs.insert(inputs.end(), more.begin(), more.end());
    const std::uint32_t next = op.temporary(drawn.type, drawn.dimensions);
    op.add(operation, std::move(inputs), {op.output(), next});
    op.tensors().states().setStateValue(state, next);
    return {};
}

}  // namespace

/// RANDOM_UNIFORM and RANDOM_STANDARD_NORMAL.
Result<> convertRandom(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const std::vector<std::int32_t> shape, op.integers(0, "shape"));
    Dimensions result;
    for (const std::int32_t size : shape) {
        if (size < 1) {
            return invalid("shape with size {}: must be at least 1", size);
        }
        result.push_back(static_cast<std::uint32_t>(size));
    }
    if (result.empty()) {
        return invalid("shape without sizes: must have at least 1");
    }
    op.inferOutputShape(result);
    return addDrawing(op, operation, {});
}

Result<> convertMultinomial(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const std::int32_t samples, op.integer(1, "number of samples"));
    if (samples < 1) {
        return invalid("{} samples: must be at least 1", samples);
    }
    op.inferOutputShape({sizeAt(op.shape(0), 0), static_cast<std::uint32_t>(samples)});
    return addDrawing(op, operation, {op.scalar(samples)});
}

}  // namespace nnburst::tflite
