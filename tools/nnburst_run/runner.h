// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs the steps of one model on one device.

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>

#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst_run/options.h"
#include "support/pooled_request.h"

namespace nnburst::run {

/// Owns the operands' memory; states begin as ModelState says. Movable. Not thread-safe.
class Runner {
  public:
    /// Prepares `model`, which must outlive this object, on `device`.
    [[nodiscard]] static Result<Runner> create(const TfliteModel& model, Device& device, Via via);

    /// The bytes of an input or output, by its index in the file: without states.
    [[nodiscard]] std::span<std::byte> input(std::size_t index) const noexcept {
        return operands_.input(index);
    }
    [[nodiscard]] std::span<const std::byte> output(std::size_t index) const noexcept {
        return operands_.output(index);
    }

    /// Executes one step on the inputs as they are, and returns how long that took.
    [[nodiscard]] Result<std::chrono::nanoseconds> execute();
    /// Copies the states that the last execution computed to the inputs of the next step.
    void feedBack();
    /// Begins a new sequence: states are as before the first step.
    void resetStates();

  private:
    Runner(const TfliteModel& model, tools::PooledRequest operands)
        : model_(&model), operands_(std::move(operands)) {}

    const TfliteModel* model_;
    tools::PooledRequest operands_;
    SharedPreparedModel prepared_;
    std::unique_ptr<Burst> burst_;  ///< null if executions go over the control plane
    ExecutionOutcome outcome_;
};

}  // namespace nnburst::run
