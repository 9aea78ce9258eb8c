// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One model on each path to the kernels: in this process, through a burst to a driver process, and
/// by remote calls of the same driver.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "devices.h"
#include "nnburst/device.h"
#include "nnburst/types.h"
#include "support/pooled_request.h"

namespace nnburst::bench {

/// Uses the devices of devices.h. The calls return false if the execution failed; each overwrites
/// the outputs.
class ModelPaths {
  public:
    /// Prepares `model` on both devices. Ends the program with a message if that fails.
    explicit ModelPaths(const Model& model,
                        DriverPlacement placement = DriverPlacement::OWN_PROCESSOR,
                        std::uint32_t threads = 1);

    [[nodiscard]] bool runLocal();
    [[nodiscard]] bool runBurst();
    [[nodiscard]] bool runReusable();
    [[nodiscard]] bool runLocalReusable();
    [[nodiscard]] bool runRpc();

    [[nodiscard]] std::span<std::byte> input() const noexcept { return request_.input(0); }
    [[nodiscard]] std::span<std::byte> output() const noexcept { return request_.output(0); }

  private:
    tools::PooledRequest request_;
    SharedPreparedModel remote_;
    std::unique_ptr<Burst> localBurst_;  // keeps the memory mapped, as burst_ does
    std::unique_ptr<Burst> burst_;
    std::unique_ptr<ReusableExecution> localReusable_;
    std::unique_ptr<ReusableExecution> reusable_;
    ExecutionOutcome outcome_;
};

}  // namespace nnburst::bench
