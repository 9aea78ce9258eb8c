// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From a request to its outcome: maps the memory that it names, binds its arguments, runs the
/// compiled model in place and measures. All executions go through here except those of bursts
/// across processes, which name memory by slots.

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/compiled_model.h"
#include "nnburst/device.h"
#include "nnburst/memory.h"

namespace nnburst::device {

/// When a request arrived, if its execution is to be measured: else nothing reads the clock.
[[nodiscard]] OptionalTimePoint arrivalTime(const ExecutionOptions& options);

/// Executes requests of one model, one after the other. Memory that was mapped for one request
/// stays mapped for the next, so that later executions with the same memory allocate nothing. Not
/// thread-safe.
class RequestExecution {
  public:
    /// Regions that stay mapped. A request that names more has all of them mapped while it runs.
    static constexpr std::size_t kMaximumMappings = 64;

    explicit RequestExecution(std::shared_ptr<exec::CompiledModel> model) noexcept;

    /// `outcome` is overwritten. Errors as PreparedModel::executeSynchronously. `arrival` is from
    /// `arrivalTime`.
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   const OptionalTimePoint& arrival, ExecutionOutcome& outcome);

    /// Unmaps `region`, if it is mapped.
    void forget(const SharedRegion& region) noexcept;

  private:
    /// A region that is mapped. Its mapping holds a handle, so its address names it.
    struct MappedRegion {
        Mapping mapping;
        std::uint64_t lastExecution = 0;
    };

    Result<> run(const Request& request, const ExecutionOptions& options,
                 ExecutionOutcome& outcome);
    Result<> mapPools(const Request& request);
    Result<exec::PoolView> map(const SharedRegion& region);
    void makeRoom();

    std::shared_ptr<exec::CompiledModel> model_;
    std::vector<MappedRegion> mapped_;
    std::uint64_t execution_ = 0;  // counts executions
    std::vector<exec::PoolView> pools_;
    exec::RequestBindings bindings_;
};

}  // namespace nnburst::device
