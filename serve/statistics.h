// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The costs of the inferences of one version of a model so far. Thread-safe.

#include <chrono>
#include <cstdint>
#include <mutex>

namespace nnburst::serve {

/// The phases of one inference, in their order.
struct InferenceTimes {
    std::chrono::nanoseconds queue{0};   ///< waiting for a session
    std::chrono::nanoseconds input{0};   ///< copying inputs
    std::chrono::nanoseconds run{0};     ///< on the driver, with all attempts
    std::chrono::nanoseconds output{0};  ///< copying outputs
    std::uint32_t retries = 0;           ///< runs that were repeated because the driver was lost
};

struct Total {
    std::uint64_t count = 0;
    std::chrono::nanoseconds time{0};

    void add(std::chrono::nanoseconds more) noexcept {
        ++count;
        time += more;
    }
};

struct Statistics {
    Total success;  ///< whole inferences
    Total failure;
    Total queue;  ///< the phases of those that succeeded
    Total input;
    Total run;
    Total output;
    std::uint64_t retries = 0;
    std::uint64_t lastInferenceMs = 0;  ///< milliseconds since 1970; 0: never
};

class StatisticsRecorder {
  public:
    void addSuccess(const InferenceTimes& times) {
        const std::lock_guard lock(mutex_);
        statistics_.success.add(times.queue + times.input + times.run + times.output);
        statistics_.queue.add(times.queue);
        statistics_.input.add(times.input);
        statistics_.run.add(times.run);
        statistics_.output.add(times.output);
        note(times);
    }
    void addFailure(const InferenceTimes& times) {
        const std::lock_guard lock(mutex_);
        statistics_.failure.add(times.queue + times.input + times.run + times.output);
        note(times);
    }
    [[nodiscard]] Statistics statistics() const {
        const std::lock_guard lock(mutex_);
        return statistics_;
    }

  private:
    void note(const InferenceTimes& times) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        statistics_.retries += times.retries;
        statistics_.lastInferenceMs = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
    }

    mutable std::mutex mutex_;
    Statistics statistics_;  ///< guarded by mutex_
};

}  // namespace nnburst::serve
