// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One operation with operands of its own, to check and run its reference kernel without a model.
/// Every operand has its own heap memory of exactly its size, so that the address sanitizer sees an
/// access beyond it.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/operation/float16.h"
#include "exec/operation/operation.h"
#include "nnburst/types.h"

namespace nnburst::exec {

struct TestOperand {
    OperandType type = OperandType::TENSOR_FLOAT32;
    Dimensions dimensions;
    float scale = 0.0F;
    std::int32_t zeroPoint = 0;
    std::optional<SymmPerChannelQuantParams> channelQuant;
    std::vector<std::byte> data;
    bool isConstant = false;
    bool isOmitted = false;

    template <class T>
    [[nodiscard]] std::vector<T> values() const {
        std::vector<T> result(data.size() / sizeof(T));
        if (!result.empty()) {
            std::memcpy(result.data(), data.data(), data.size());
        }
        return result;
    }
};

/// The bytes of `values`.
template <class T>
std::vector<std::byte> toBytes(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

/// Operands that come with a request.
[[nodiscard]] TestOperand floats(Dimensions dimensions, const std::vector<float>& values);
[[nodiscard]] TestOperand halves(Dimensions dimensions, const std::vector<float>& values);
[[nodiscard]] TestOperand int32s(Dimensions dimensions, const std::vector<std::int32_t>& values,
                                 float scale = 0.0F);
/// TENSOR_QUANT8_ASYMM.
[[nodiscard]] TestOperand quant8(Dimensions dimensions, const std::vector<std::uint8_t>& values,
                                 float scale, std::int32_t zeroPoint);
/// TENSOR_QUANT8_ASYMM_SIGNED.
[[nodiscard]] TestOperand quant8Signed(Dimensions dimensions,
                                       const std::vector<std::int8_t>& values, float scale,
                                       std::int32_t zeroPoint);
[[nodiscard]] TestOperand quant8PerChannel(Dimensions dimensions,
                                           const std::vector<std::int8_t>& values,
                                           std::vector<float> scales, std::uint32_t channelDim);
/// Constant scalars.
[[nodiscard]] TestOperand scalar(std::int32_t value);
[[nodiscard]] TestOperand scalar(float value);
[[nodiscard]] TestOperand scalar(Float16 value);
[[nodiscard]] TestOperand scalar(bool value);
[[nodiscard]] TestOperand omitted(OperandType type);
/// A tensor without value, for outputs; without dimensions its rank is unknown.
[[nodiscard]] TestOperand tensor(OperandType type, Dimensions dimensions = {}, float scale = 0.0F,
                                 std::int32_t zeroPoint = 0);

struct TestOperation {
    OperationType type = OperationType::ADD;
    std::vector<TestOperand> inputs;
    std::vector<TestOperand> outputs;
    /// Shapes to run with instead of those that are inferred.
    std::vector<Shape> outputShapes = {};
    /// Outputs that lie where an input lies.
    struct SamePlace {
        std::size_t input = 0;
        std::size_t output = 0;
    };
    std::vector<SamePlace> inPlace = {};
    TimeLimit* timeLimit = nullptr;  ///< of the run

    /// The result of the definition's check before a run, when only constants have values.
    [[nodiscard]] Result<> check();
    /// The first HAL version that allows the operation, from the last check.
    HalVersion minimumVersion = HalVersion::V1_0;

    /// Checks, infers the shapes of the outputs, gives these memory of that size and runs. Expects
    /// that a run that succeeds allocates nothing.
    [[nodiscard]] Result<> run();

    /// The message of check, of inferShapes, or of run; empty if none of them refuses.
    [[nodiscard]] std::string refusal();
};

/// A change that makes an operation invalid, and the error that says so.
struct Refusal {
    std::function<void(TestOperation&)> change;
    std::string message;
};

/// Expects that `makeValid()` runs, and that each of the changes makes it refused.
void expectRefusals(const std::function<TestOperation()>& makeValid,
                    const std::vector<Refusal>& refusals);

}  // namespace nnburst::exec
