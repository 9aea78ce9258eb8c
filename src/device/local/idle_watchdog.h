// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Gives back the memory of models that nobody runs.

#include <chrono>
#include <memory>
#include <thread>

#include "device/local/model_store.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// A thread that looks at the models of a store from time to time, from `create` until it is
/// dropped. It costs a look at each model in each period, and executions nothing.
class IdleWatchdog {
  public:
    /// A model that was not run for `idleTime` (more than 0), or up to twice as long, gives back
    /// the memory of its temporaries.
    [[nodiscard]] static Result<std::unique_ptr<IdleWatchdog>> create(
        std::shared_ptr<const ModelStore> models, std::chrono::milliseconds idleTime);
    ~IdleWatchdog();
    IdleWatchdog(const IdleWatchdog&) = delete;
    IdleWatchdog& operator=(const IdleWatchdog&) = delete;

  private:
    struct Shared;  // outlives this object where it is dropped on its thread

    explicit IdleWatchdog(std::shared_ptr<Shared> shared) noexcept : shared_(std::move(shared)) {}

    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace nnburst::device
