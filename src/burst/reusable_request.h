// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the client's controller knows of a reusable execution, and the names that it gives them.

#include <cstdint>
#include <vector>

#include "burst/request_frame.h"
#include "burst/result_frame.h"
#include "fmq/wait_forecast.h"
#include "log/assert.h"
#include "nnburst/burst.h"
#include "nnburst/execution.h"
#include "nnburst/types.h"
#include "system/mutex.h"

namespace nnburst::burst {

/// Used by the thread that executes on the burst.
struct ReusableRequest {
    ReusableRequest(const Request& itsRequest, const ExecutionOptions& itsOptions,
                    const ExecutionName& itsName)
        : request(itsRequest),
          options(itsOptions),
          name(itsName),
          resultLines(longestResultLineCount(itsRequest.outputs.size())) {}

    Request request;
    ExecutionOptions options;  ///< the deadline is that of the last computation
    ExecutionName name;        ///< number 0: sent as a whole each time
    /// The driver remembers it, with the slots of this version of the slot table.
    bool isRemembered = false;
    std::uint64_t slotVersion = 0;
    /// The output shapes of the last result that had any.
    std::vector<OutputShape> shapes;
    std::uint64_t resultLines;  ///< of the result queue that its longest result takes
    fmq::WaitForecast forecast;
};

/// Names for the reusable executions of one burst. Each has a generation that its number never has
/// again. Thread-safe.
class ExecutionNames {
  public:
    /// `areKept`: the driver remembers executions, so that names are of use.
    explicit ExecutionNames(bool areKept) noexcept : areKept_(areKept) {}

    /// Number 0 if all numbers are taken, or if the driver does not remember executions.
    [[nodiscard]] ExecutionName take() {
        if (!areKept_) {
            return {};
        }
        const system::MutexLock lock(mutex_);
        ++generation_;
        for (std::uint32_t index = 0; index < kMaximumReusableExecutions; ++index) {
            if ((taken_ & (std::uint64_t{1} << index)) == 0) {
                taken_ |= std::uint64_t{1} << index;
                return {.number = index + 1, .generation = generation_};
            }
        }
        return {};
    }

    void giveBack(const ExecutionName& name) {
        const system::MutexLock lock(mutex_);
        if (name.number != 0) {
            NNBURST_ASSERT(name.number <= kMaximumReusableExecutions &&
                               (taken_ >> (name.number - 1) & 1U) != 0,
                           "number {} was not taken", name.number);
            taken_ &= ~(std::uint64_t{1} << (name.number - 1));
        }
    }

  private:
    static_assert(kMaximumReusableExecutions <= 64);

    const bool areKept_;
    system::Mutex mutex_;
    std::uint64_t taken_ NNBURST_GUARDED_BY(mutex_) = 0;  // one bit a number
    std::uint32_t generation_ NNBURST_GUARDED_BY(mutex_) = 0;
};

}  // namespace nnburst::burst
