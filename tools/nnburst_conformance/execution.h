// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// One execution of an example on a prepared model, in any of the HAL's ways.

#include <cstddef>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/memory.h"
#include "nnburst_conformance/options.h"
#include "vectors/vector_file.h"

namespace nnburst::conformance {

/// What an execution is asked for beside the example.
struct ExecutionWish {
    bool measures = false;
    /// Bytes that the first output's buffer lacks.
    std::uint32_t missingBytes = 0;
    OptionalTimeoutDuration loopTimeout;
};

/// What became of it.
struct Execution {
    Result<> status;
    std::vector<OutputShape> outputShapes;
    Timing timing;
    std::vector<std::vector<std::byte>> outputs;  ///< contents of the buffers
};

/// A prepared model and what it needs to be executed. Used by one thread at a time.
class Executor {
  public:
    explicit Executor(SharedPreparedModel prepared) noexcept : prepared_(std::move(prepared)) {}

    /// The error is one of this side: no memory. Everything else is in Execution::status.
    [[nodiscard]] Result<Execution> execute(const VectorExample& example, Via via,
                                            const ExecutionWish& wish);

  private:
    /// The burst, which is configured when it is needed first.
    Result<Burst*> burst();
    Result<> executeAgain(const Request& request, const ExecutionOptions& options,
                          std::span<std::byte> outputs, ExecutionOutcome& outcome);
    Result<> executeVia(Via via, const Request& request, const ExecutionOptions& options,
                        ExecutionOutcome& outcome);

    SharedPreparedModel prepared_;
    std::unique_ptr<Burst> burst_;
};

}  // namespace nnburst::conformance
