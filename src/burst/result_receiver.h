// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Takes results out of the client's result queue, checks their frames and gives each to the
/// execution that it belongs to. Everything in the queue is untrusted.

#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "burst/burst_errors.h"
#include "burst/pending_executions.h"
#include "burst/result_frame.h"
#include "nnburst/hal_version.h"
#include "nnburst/result.h"

namespace nnburst::burst {

/// Used by one thread at a time. In the steady state it allocates nothing.
class ResultReceiver {
  public:
    /// `pending`, which outlives the receiver, has the executions. `driver` is the HAL version of
    /// the driver.
    ResultReceiver(FrameQueue::Reader results, PendingExecutions& pending, HalVersion driver)
        : results_(results), pending_(pending), driver_(driver), lines_(results.capacity()) {}

    [[nodiscard]] bool hasResult() const noexcept { return results_.hasElement(); }

    /// Takes one result and gives it to its execution, which is ENDED or UNKNOWN_TO_DRIVER
    /// afterwards, or was given up. An execution for whose result there is no memory has failed.
    /// DEVICE_UNAVAILABLE if there is no result; if it is not a frame, or its serial matches no
    /// request: then the queue is unusable.
    [[nodiscard]] Result<> take() noexcept {
        try {
            return tryTake();
        } catch (const std::bad_alloc&) {
            return lostOutOfMemory();  // no memory for the message of the error
        }
    }

  private:
    Result<> tryTake();
    void give(PendingExecution& execution, std::span<const FrameLine> frame);
    void giveSameShapes(PendingExecution& execution, const FrameLine& line);
    void giveOutOfMemory(PendingExecution& execution) noexcept;

    /// Only NONE and OUTPUT_INSUFFICIENT_SIZE come with shapes.
    [[nodiscard]] bool hasRightShapeCount(const PendingExecution& execution) const noexcept {
        if (!execution.status &&
            execution.status.error().status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
            return true;
        }
        const std::size_t shapeCount =
            supportsOutputShapes(driver_) ? execution.request->outputs.size() : 0;
        return execution.outcome->outputShapes.size() == shapeCount;
    }

    /// Takes the next frame, which begins with `header`, into `lines_`; gives its number of lines,
    /// 0 if it is not a frame.
    std::uint32_t readFrame(const FrameLine& header) noexcept {
        const std::uint32_t lineCount = announcedLineCount(header, results_.capacity());
        if (lineCount == 0 || !results_.tryRead(std::span(lines_).first(lineCount))) {
            return 0;
        }
        lines_[0] = header;  // what was looked at, whatever the driver has written since
        return lineCount;
    }

    FrameQueue::Reader results_;
    PendingExecutions& pending_;
    const HalVersion driver_;
    std::vector<FrameLine> lines_;  // reused
};

}  // namespace nnburst::burst
