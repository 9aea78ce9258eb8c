// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the steps of this room have in common: one input and one output whose addresses change, and
/// scratch memory for each thread.

#include <cstddef>
#include <cstdint>
#include <span>

#include "exec/dot8/shared_work.h"
#include "exec/operation/step.h"
#include "log/assert.h"

namespace nnburst::exec::dot8 {

/// Of a layer: input, weights, bias and output, at least.
inline constexpr std::size_t kLayerOperands = 4;
/// Of an average: input and output, at least.
inline constexpr std::size_t kMeanOperands = 2;

/// A step that does its work as tasks (runTasks). Its first operand is the input; its last ones are
/// the output and, if there is any, the scratch memory.
class TaskStep : public Step {
  public:
    /// The operation has at least `operandCount` inputs and outputs. `threads` may be null, and
    /// outlives the step.
    TaskStep(std::size_t operandCount, pthreadpool_t threads) noexcept
        : operandCount_(operandCount), threads_(threads) {}

    [[nodiscard]] std::size_t scratchBytes() const noexcept final {
        return threadScratchBytes_ * threadCount(threads_);
    }
    [[nodiscard]] bool isMultithreaded() const noexcept final { return threads_ != nullptr; }

    Result<> setUp(std::span<std::byte* const> operands) final {
        const std::size_t scratch = threadScratchBytes_ == 0 ? 0 : 1;
        NNBURST_ASSERT(operands.size() >= operandCount_ + scratch, "{} operands", operands.size());
        input_ = reinterpret_cast<const std::uint8_t*>(operands.front());
        output_ = reinterpret_cast<std::uint8_t*>(operands[operands.size() - 1 - scratch]);
        scratch_ = reinterpret_cast<std::uint8_t*>(operands.back());
        return {};
    }

  protected:
    /// To be called by the constructor of a step that needs scratch memory.
    void setThreadScratchBytes(std::size_t bytes) noexcept { threadScratchBytes_ = bytes; }

    [[nodiscard]] pthreadpool_t threads() const noexcept { return threads_; }
    [[nodiscard]] const std::uint8_t* input() const noexcept { return input_; }
    [[nodiscard]] std::uint8_t* output() const noexcept { return output_; }
    /// Memory that the tasks of thread number `thread` use.
    [[nodiscard]] std::uint8_t* scratchOf(std::size_t thread) const noexcept {
        return scratch_ + thread * threadScratchBytes_;
    }

  private:
    const std::size_t operandCount_;
    const pthreadpool_t threads_;
    std::size_t threadScratchBytes_ = 0;
    const std::uint8_t* input_ = nullptr;
    std::uint8_t* output_ = nullptr;
    std::uint8_t* scratch_ = nullptr;  // the output if there is none
};

}  // namespace nnburst::exec::dot8
