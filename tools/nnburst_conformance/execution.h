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

/// Options of an execution that the example does not have.
struct ExecutionWish {
    bool measures = false;
    /// The first output's buffer is this many bytes too small.
    std::uint32_t missingBytes = 0;
    OptionalTimeoutDuration loopTimeout;
};

/// The result of an execution.
struct Execution {
    Result<> status;
    std::vector<OutputShape> outputShapes;
    Timing timing;
    std::vector<std::vector<std::byte>> outputs;  ///< contents of the buffers
};

/// A prepared model with what its executions need. Used by one thread at a time.
class Executor {
  public:
    explicit Executor(SharedPreparedModel prepared) noexcept : prepared_(std::move(prepared)) {}

    /// Returns an error only if this process has no memory. Errors of the device are in
    /// Execution::status.
    [[nodiscard]] Result<Execution> execute(const VectorExample& example, Via via,
                                            const ExecutionWish& wish);

  private:
    /// The burst, which is configured at the first call.
    Result<Burst*> burst();
    Result<> executeAgain(const Request& request, const ExecutionOptions& options,
                          std::span<std::byte> outputs, ExecutionOutcome& outcome);
    Result<> executeVia(Via via, const Request& request, const ExecutionOptions& options,
                        ExecutionOutcome& outcome);

    SharedPreparedModel prepared_;
    std::unique_ptr<Burst> burst_;
};

}  // namespace nnburst::conformance
