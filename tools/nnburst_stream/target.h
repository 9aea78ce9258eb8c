// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where a client sends its frames: the only place that knows how a way executes them.

#include <cstdint>
#include <memory>

#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst_stream/frame_bank.h"
#include "nnburst_stream/options.h"
#include "support/pooled_request.h"

namespace nnburst::stream {

/// How both ends of a burst wait, as a policy of the library.
[[nodiscard]] WaitPolicy policyOf(Wait wait) noexcept;

/// One client's way to a model, with operands, states and outcome of its own; frames are executed
/// one after the other. Movable. Not thread-safe.
class Target {
  public:
    /// Prepares `model` on `device`. Model and frames must outlive this object.
    [[nodiscard]] static Result<Target> create(Way way, Device& device, const TfliteModel& model,
                                               const FrameBank& frames, Wait wait);

    /// Writes the inputs of a frame. Never allocates.
    void write(std::uint64_t number) const { frames_->write(number, operands_); }
    /// Executes the frame that was written and waits for its output.
    [[nodiscard]] Result<> execute(const ExecutionOptions& options);
    /// Feeds the states back: to be called after a frame that has outputs.
    void finish() const;

    /// Of the last execution.
    [[nodiscard]] const Timing& timing() const noexcept { return outcome_.timing; }
    [[nodiscard]] std::uint64_t checksumOfOutputs() const;

  private:
    Target(const TfliteModel& model, const FrameBank& frames, tools::PooledRequest operands)
        : model_(&model), frames_(&frames), operands_(std::move(operands)) {}

    const TfliteModel* model_;
    const FrameBank* frames_;
    tools::PooledRequest operands_;
    SharedPreparedModel prepared_;
    std::unique_ptr<Burst> burst_;  ///< null if executions go over the control plane
    ExecutionOutcome outcome_;
};

}  // namespace nnburst::stream
