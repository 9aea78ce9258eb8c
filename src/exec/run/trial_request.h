// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A request for a compiled model with private memory, to run the model before any client does.

#include <chrono>
#include <cstdint>
#include <vector>

#include "exec/run/compiled_model.h"
#include "memory/aligned_buffer.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Zeroed memory for all inputs and outputs of a model, bound to them.
class TrialRequest {
  public:
    /// Limit on the memory of all inputs and outputs together, which is charged to no client.
    static constexpr std::uint64_t kMaximumBytes = std::uint64_t{64} << 20;

    /// INVALID_ARGUMENT if the size of an input or output is not known before the model runs,
    /// RESOURCE_EXHAUSTED_PERSISTENT if they are larger than kMaximumBytes,
    /// RESOURCE_EXHAUSTED_TRANSIENT if there is no memory.
    [[nodiscard]] Result<> make(const CompiledModel& model);

    [[nodiscard]] RequestBindings& bindings() noexcept { return bindings_; }

  private:
    Result<> add(std::span<const Operand> operands, std::vector<ArgumentBinding>& arguments);

    std::uint64_t bytes_ = 0;
    std::vector<AlignedBuffer> buffers_;
    RequestBindings bindings_;
};

/// Limit on a warm-up run: a longer one is ended between two operations.
inline constexpr std::chrono::milliseconds kWarmUpLimit{100};

/// Runs `model` on zeros for a moment (Plan::warmUp), so that its first execution is not slower
/// than later ones: kernels are set up, the pages of arena, weights and code are in memory, kernel
/// threads have run. Does nothing for a model that has no TrialRequest. Ignores errors of the run.
void warmUp(CompiledModel& model);

}  // namespace nnburst::exec
