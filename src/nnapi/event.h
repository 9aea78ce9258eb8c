// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Events of the API: the end of an execution, or a fence of another library. Thread-safe.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "nnapi/status.h"
#include "nnburst/fence.h"
#include "nnburst/prepared_model.h"
#include "nnburst/unique_fd.h"

namespace nnburst::nnapi {

class Event {
  public:
    Event() = default;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    virtual ~Event() = default;

    /// Waits for the execution or the fence, and returns its status; each call returns the same
    /// one.
    [[nodiscard]] virtual Status wait() = 0;
    /// The event's descriptor, owned by the event; -1 if it has none.
    [[nodiscard]] virtual int descriptor() const noexcept { return -1; }
    /// Waits, unless nothing of the program's depends on it.
    virtual void waitBeforeFree() { (void)wait(); }
};

/// The end of an execution that calls back.
class CompletionEvent final : public Event {
  public:
    /// Called once, when the execution has ended.
    void complete(Status status);
    [[nodiscard]] Status wait() override;

  private:
    std::mutex mutex_;
    std::condition_variable completed_;
    std::optional<Status> status_;  ///< guarded by mutex_
};

/// A fence that the program has made an event of.
class FenceEvent final : public Event {
  public:
    explicit FenceEvent(UniqueFd fence) : fence_(std::move(fence)) {}

    [[nodiscard]] Status wait() override;
    [[nodiscard]] int descriptor() const noexcept override { return fence_.get(); }
    void waitBeforeFree() override {}

  private:
    UniqueFd fence_;
};

/// The end of an execution behind fences.
class FencedExecutionEvent final : public Event {
  public:
    /// Waits for the device and ends the execution in the API; gives its status. Throws nothing.
    using Finish = std::function<Status(const FencedExecution& execution)>;

    explicit FencedExecutionEvent(Finish finish) : finish_(std::move(finish)) {}
    ~FencedExecutionEvent() override;

    /// Called once, before all other functions.
    void setLaunched(FencedExecution execution) noexcept { execution_ = std::move(execution); }

    /// Has a thread wait for the end, so that `finish` runs before the descriptor is signalled.
    [[nodiscard]] Status finishInBackground();

    [[nodiscard]] Status wait() override;
    [[nodiscard]] int descriptor() const noexcept override;

  private:
    /// The status, when the execution has ended; does not change any more.
    [[nodiscard]] const Status& finish();

    FencedExecution execution_;
    Finish finish_;
    UniqueFd ownFence_;  ///< signalled by thread_
    std::thread thread_;
    std::mutex mutex_;
    std::optional<Status> status_;  ///< guarded by mutex_
};

}  // namespace nnburst::nnapi

struct ANeuralNetworksEvent final {
    std::shared_ptr<nnburst::nnapi::Event> event;
};
