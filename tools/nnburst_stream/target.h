// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where a client sends its frames: the only place that knows how a way executes them.

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

/// One client's way to a model, with states and outcome of its own. Frames are executed in places,
/// each of which has memory for one; so as many as there are places can be under way. Movable. Not
/// thread-safe.
class Target {
  public:
    /// Prepares `model` on `device`. Model and frames must outlive this object. INVALID_ARGUMENT
    /// for a model with states if several frames are to be under way.
    [[nodiscard]] static Result<Target> create(Way way, Device& device, const TfliteModel& model,
                                               const FrameBank& frames, const Options& options);

    [[nodiscard]] std::size_t placeCount() const noexcept { return places_.size(); }

    /// Whether executions measure from now on. With no frame under way.
    [[nodiscard]] Result<> setMeasure(MeasureTiming measure);

    /// Writes the inputs of a frame into a place where none is under way. Never allocates.
    void write(std::size_t place, std::uint64_t number) const {
        frames_->write(number, places_[place].operands);
    }
    /// Executes the frame that was written, at least until it is under way; where there is but one
    /// place, until its end. Errors of the execution itself come from `collect`.
    [[nodiscard]] Result<> send(std::size_t place, const OptionalTimePoint& deadline);
    /// Waits for the output of the frame that was sent.
    [[nodiscard]] Result<> collect(std::size_t place);
    /// Feeds the states back: to be called after a frame that has outputs.
    void finish() const;

    /// Of the frame that was collected last.
    [[nodiscard]] const Timing& timing() const noexcept { return outcome_.timing; }
    [[nodiscard]] std::uint64_t checksumOfOutputs(std::size_t place) const;
    /// None of what is no burst to a driver process.
    [[nodiscard]] std::optional<BurstWaitStats> waitStats() const;

  private:
    struct Place {
        tools::PooledRequest operands;
        std::unique_ptr<ReusableExecution> reusable;  ///< null where requests are sent as a whole
        Submission submission{};                      ///< under way, if there are several places
        Result<> result;                              ///< of the last frame, if there is one place
    };

    Target(const TfliteModel& model, const FrameBank& frames) : model_(&model), frames_(&frames) {}

    Result<> execute(Place& place, const OptionalTimePoint& deadline);
    Result<Submission> submit(Place& place, const OptionalTimePoint& deadline);

    const TfliteModel* model_;
    const FrameBank* frames_;
    SharedPreparedModel prepared_;
    std::unique_ptr<Burst> burst_;  ///< null if executions go over the control plane
    bool isReusable_ = false;
    bool hasDriver_ = false;  ///< a process at the burst's other end
    MeasureTiming measure_ = MeasureTiming::NO;
    std::vector<Place> places_;
    ExecutionOutcome outcome_;
};

}  // namespace nnburst::stream
