// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The replacement of a part of a model whose device fails: the same part, prepared for the device
/// in this process when it is first needed.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "nnburst/device.h"
#include "nnburst/runtime.h"
#include "system/mutex.h"

namespace nnburst::runtime {

/// RuntimeStats of a runtime, counted by its models.
struct FallbackCounters {
    std::atomic<std::uint64_t> preparations{0};
    std::atomic<std::uint64_t> executions{0};
};

/// Whether another device may succeed after a failure with `status`: the cause is the device (lost,
/// busy or faulty), not the request or its deadline.
[[nodiscard]] constexpr bool isDeviceFailure(ErrorStatus status) noexcept {
    return status == ErrorStatus::DEVICE_UNAVAILABLE || status == ErrorStatus::GENERAL_FAILURE ||
           isResourceExhausted(status);
}

/// Whether an execution that failed with `status` may be repeated on another device. Not after its
/// deadline: no device can succeed any more, and a device whose answer is late also gives
/// DEVICE_UNAVAILABLE.
[[nodiscard]] inline bool mayBeRepeated(ErrorStatus status, const OptionalTimePoint& deadline) {
    return isDeviceFailure(status) && (!deadline || std::chrono::steady_clock::now() < *deadline);
}

/// How replacements of a compilation with `options` are prepared: without its deadline, which is
/// over by then, and without cache files.
[[nodiscard]] inline PrepareOptions replacementOptions(const CompileOptions& options) {
    return {.preference = options.preference, .priority = options.priority};
}

/// The replacement of one part. Thread-safe.
class Replacement {
  public:
    /// `part` describes the part in messages: its device and operations. `model` refers to memory
    /// that does not change. `options` are those of its preparation.
    Replacement(std::string part, Model model, PrepareOptions options, SharedDevice reference,
                std::shared_ptr<FallbackCounters> counters);

    /// Whether the device of the part is lost: then all further executions go to the replacement.
    [[nodiscard]] bool isPermanent() const noexcept {
        // sync [part-replaced]: model() gives the replacement at once
        return isPermanent_.load(std::memory_order_acquire);
    }

    /// The replacement for an execution that failed with `why`, or the error of its preparation.
    [[nodiscard]] Result<SharedPreparedModel> replace(const Error& why);

    /// The replacement, prepared if it was not yet. An error is kept, except
    /// RESOURCE_EXHAUSTED_TRANSIENT: each call tries again.
    [[nodiscard]] Result<SharedPreparedModel> model();

    /// Counts an execution that has ended on the replacement.
    void countExecution() noexcept {
        counters_->executions.fetch_add(1, std::memory_order_relaxed);  // only a count
    }

  private:
    const std::string part_;
    const Model model_;
    const PrepareOptions options_;
    const SharedDevice reference_;
    const std::shared_ptr<FallbackCounters> counters_;

    std::atomic<bool> isPermanent_{false};
    system::Mutex mutex_;  // held while the model is prepared: once for all threads
    std::optional<Result<SharedPreparedModel>> prepared_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::runtime
