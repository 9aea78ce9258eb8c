// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Changes of what decides whether the server is ready: the driver, the loaded models, the end of
/// the server. Thread-safe.

#include <functional>
#include <mutex>
#include <utility>

namespace nnburst::serve {

class StateChanges {
  public:
    /// Calls `listener` now and at each change, one call at a time. An empty one ends the calls:
    /// none runs when this returns.
    void setListener(std::function<void()> listener) {
        const std::lock_guard lock(mutex_);
        listener_ = std::move(listener);
        call();
    }
    /// Calls the listener.
    void notify() {
        const std::lock_guard lock(mutex_);
        call();
    }

  private:
    /// Needs mutex_.
    void call() const {
        if (listener_) {
            listener_();
        }
    }

    std::mutex mutex_;
    std::function<void()> listener_;  ///< guarded by mutex_
};

}  // namespace nnburst::serve
