// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One 8-bit operation, run by our own kernels, by XNNPACK and by the reference kernel.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/dot8/backend.h"
#include "exec/dot8/instruction_set.h"
#include "exec/operation/operation_instance.h"
#include "exec/operation/step.h"
#include "exec/xnnpack/operator_cache.h"
#include "support/test_request.h"

namespace nnburst::exec {

/// Pages between two that cannot be touched.
class GuardedMemory {
  public:
    explicit GuardedMemory(std::size_t sizeBytes);
    ~GuardedMemory();
    GuardedMemory(const GuardedMemory&) = delete;
    GuardedMemory& operator=(const GuardedMemory&) = delete;

    [[nodiscard]] std::byte* front() const noexcept { return pages_; }
    /// `sizeBytes` bytes before the page behind.
    [[nodiscard]] std::byte* back() const noexcept { return pages_ + usedBytes_ - sizeBytes_; }

  private:
    std::size_t sizeBytes_;
    std::size_t usedBytes_;
    std::byte* pages_;
};

/// Element types of input and output, and of weights.
enum class Kind8 : std::uint8_t { UNSIGNED, UNSIGNED_PER_CHANNEL, SIGNED, SIGNED_PER_CHANNEL };

/// Axis of a convolution.
struct WindowAxis {
    std::uint32_t input = 1;
    std::uint32_t window = 1;
    std::int32_t stride = 1;
    std::int32_t dilation = 1;
    std::int32_t before = 0;
    std::int32_t after = 0;
};

/// What an operation is made of.
struct Case8 {
    OperationType type = OperationType::CONV_2D;
    Kind8 kind = Kind8::UNSIGNED;
    std::uint32_t batches = 1;
    WindowAxis height;
    WindowAxis width;
    std::uint32_t inputs = 1;   ///< channels
    std::uint32_t outputs = 1;  ///< channels; of DEPTHWISE_CONV_2D a multiple of the inputs
    std::int32_t groups = 1;
    std::int32_t activation = 0;
    float inputScale = 0.05F;
    float weightScale = 0.05F;
    float outputScale = 0.5F;
    std::int32_t inputZeroPoint = 0;
    std::int32_t weightZeroPoint = 0;  ///< used with UNSIGNED
    std::int32_t outputZeroPoint = 0;

    [[nodiscard]] std::string description() const;
};

/// A case with its operands.
class StepCase {
  public:
    /// Random weights, bias and input.
    StepCase(const Case8& given, Random& random);

    OperationInstance& operation() noexcept { return instance_; }
    std::vector<std::byte>& input() noexcept { return input_; }

    /// Forgets weights and bias, as a model does that has packed them.
    void dropConstants() noexcept;

    /// Null if the kernels do not cover the operation.
    [[nodiscard]] std::unique_ptr<Step> makeDot8(const dot8::Microkernels& kernels,
                                                 pthreadpool_t threads = nullptr);
    [[nodiscard]] std::unique_ptr<Step> makeXnnpack();
    /// `multipliesSigned`: plainMicrokernels.
    [[nodiscard]] std::unique_ptr<Step> makePlain(bool multipliesSigned);

    /// Of the filters that makeDot8 has packed.
    [[nodiscard]] std::uint64_t filterBytes() const noexcept { return weights_.memoryBytes(); }

    using Output = std::vector<std::byte>;
    /// Runs a step with operands and scratch memory that lie between pages that cannot be touched:
    /// before the one or behind the other.
    [[nodiscard]] Output runGuarded(Step& step, bool isAtBack);
    [[nodiscard]] Output run(Step& step);
    [[nodiscard]] Output runReference();

    /// Expects that our kernels take the operation if XNNPACK does, and give the same bits as plain
    /// code and as XNNPACK on x86-64. XNNPACK of arm64 rounds some products in fixed point, so
    /// there its elements may differ by 1. Returns whether the kernels take the operation.
    bool compare(const dot8::Microkernels& kernels, pthreadpool_t threads);

  private:
    void expectXnnpacks(const Output& output, const Output& expected) const;
    std::byte* scalar(const void* value, std::size_t sizeBytes);
    void addScalar(OperandType type, const void* value, std::size_t sizeBytes);
    void addInteger(std::int32_t value) { addScalar(OperandType::INT32, &value, sizeof(value)); }
    void addConstant(const OperandView& view, std::vector<std::byte> data);
    void addArguments();

    Case8 case_;
    OperationInstance instance_;
    std::vector<std::byte> input_;
    std::deque<std::vector<std::byte>> constants_;
    std::optional<SymmPerChannelQuantParams> channels_;
    dot8::PackedWeights weights_;
    dot8::PackedWeights plainWeights_;
    xnnpack::OperatorCache operators_;
};

/// Names a test after its instruction set.
[[nodiscard]] std::string testName(const testing::TestParamInfo<dot8::InstructionSet>& info);

}  // namespace nnburst::exec
