// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Releases memory of models that are idle.

#include <chrono>
#include <memory>
#include <thread>

#include "device/local/model_store.h"
#include "nnburst/result.h"

namespace nnburst::device {

/// A thread that checks the models of a store periodically, from `create` until this is destroyed.
/// The cost is one check of each model in each period; executions pay nothing.
class IdleWatchdog {
  public:
    /// A model that was not run for `idleTime` (more than 0), or up to twice as long, releases the
    /// memory of its temporaries.
    [[nodiscard]] static Result<std::unique_ptr<IdleWatchdog>> create(
        std::shared_ptr<const ModelStore> models, std::chrono::milliseconds idleTime);
    ~IdleWatchdog();
    IdleWatchdog(const IdleWatchdog&) = delete;
    IdleWatchdog& operator=(const IdleWatchdog&) = delete;

  private:
    struct Shared;  // outlives this object if its own thread destroys it

    explicit IdleWatchdog(std::shared_ptr<Shared> shared) noexcept : shared_(std::move(shared)) {}

    std::shared_ptr<Shared> shared_;
    std::thread thread_;
};

}  // namespace nnburst::device
