// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tracks the work that a service has accepted and not finished, so that a driver can finish it
/// before it ends.

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "device/local/fenced_execution.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// Used on the event loop's thread only; tokens may be released on any thread.
class WorkTracker {
  public:
    /// Work is not finished while a copy of its token lives.
    using Token = std::shared_ptr<const void>;

    [[nodiscard]] Token begin() const { return token_; }

    /// The execution is not finished until its end is given.
    void add(const std::shared_ptr<FencedEnd>& execution);

    /// RAII: `stop` is called once when no more work is accepted, unless this is destroyed before.
    class Stoppable {
      public:
        Stoppable(std::shared_ptr<WorkTracker> tracker, std::function<void(Token)> stop);
        ~Stoppable();
        Stoppable(const Stoppable&) = delete;
        Stoppable& operator=(const Stoppable&) = delete;

      private:
        const std::shared_ptr<WorkTracker> tracker_;
    };

    /// DEVICE_UNAVAILABLE once no more work is accepted.
    [[nodiscard]] Result<> check() const;

    /// No more work is accepted. Stops what is stoppable: bursts.
    void refuseMore();

    /// All that was accepted is finished.
    [[nodiscard]] bool isIdle();

  private:
    const Token token_ = std::make_shared<char>();
    std::vector<std::weak_ptr<FencedEnd>> fenced_;
    std::map<const Stoppable*, std::function<void(Token)>> stoppables_;
    bool isRefusing_ = false;
};

}  // namespace nnburst::device
