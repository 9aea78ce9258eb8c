// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where a client sends its frames. Only this file knows how each path executes a frame.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "nnburst_stream/frame_bank.h"
#include "nnburst_stream/options.h"
#include "support/pooled_request.h"

namespace nnburst::stream {

/// How both ends of a burst wait, as a policy of the library.
[[nodiscard]] WaitPolicy policyOf(WaitMode wait) noexcept;

/// Executes a model for one client, on one path, with its own states and outcome. Each frame is
/// executed in a frame buffer, which has memory for one frame; as many frames as there are buffers
/// can be in flight. Movable. Not thread-safe.
class Target {
  public:
    /// Prepares `model` on `device`. Model and frames must outlive this object. INVALID_ARGUMENT
    /// for a model with states if several frames are to be in flight.
    [[nodiscard]] static Result<Target> create(Path path, Device& device, const TfliteModel& model,
                                               const FrameBank& frames, const Options& options);

    [[nodiscard]] std::size_t bufferCount() const noexcept { return buffers_.size(); }

    /// Whether executions measure from now on. Requires that no frame is in flight.
    [[nodiscard]] Result<> setMeasure(MeasureTiming measure);

    /// Writes the inputs of a frame into a buffer that is not in flight. Never allocates.
    void write(std::size_t buffer, std::uint64_t number) const {
        frames_->write(number, buffers_[buffer].operands);
    }
    /// Starts the execution of the frame in `buffer`. If there is only one buffer, waits for its
    /// end. Errors of the execution itself are returned by `collect`.
    [[nodiscard]] Result<> send(std::size_t buffer, const OptionalTimePoint& deadline);
    /// Waits for the output of the frame in `buffer`.
    [[nodiscard]] Result<> collect(std::size_t buffer);
    /// Feeds the states back. To be called after each frame that has outputs.
    void finish() const;

    /// The timing of the frame that was collected last.
    [[nodiscard]] const Timing& timing() const noexcept { return outcome_.timing; }
    [[nodiscard]] std::uint64_t checksumOfOutputs(std::size_t buffer) const;
    /// nullopt unless frames go over a burst to a driver process.
    [[nodiscard]] std::optional<BurstWaitStats> waitStats() const;

  private:
    struct FrameBuffer {
        tools::PooledRequest operands;
        std::unique_ptr<ReusableExecution> reusable;  ///< null if requests are sent as a whole
        Submission submission{};                      ///< in flight, if there are several buffers
        Result<> result;                              ///< of the last frame, if there is one buffer
    };

    Target(const TfliteModel& model, const FrameBank& frames) : model_(&model), frames_(&frames) {}

    Result<> execute(FrameBuffer& buffer, const OptionalTimePoint& deadline);
    Result<Submission> submit(FrameBuffer& buffer, const OptionalTimePoint& deadline);

    const TfliteModel* model_;
    const FrameBank* frames_;
    SharedPreparedModel prepared_;
    std::unique_ptr<Burst> burst_;  ///< null if executions go over the control plane
    bool isReusable_ = false;
    bool hasDriver_ = false;  ///< the burst goes to a driver process
    MeasureTiming measure_ = MeasureTiming::NO;
    std::vector<FrameBuffer> buffers_;
    ExecutionOutcome outcome_;
};

}  // namespace nnburst::stream
