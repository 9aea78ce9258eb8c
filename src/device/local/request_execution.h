// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Executions of requests that name memory by regions: finds the memory, keeps it mapped and
/// measures. Bursts across processes, which name memory by slots, have burst/server.h instead.

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/run/request_runner.h"
#include "nnburst/device.h"
#include "nnburst/memory.h"

namespace nnburst::device {

/// When a request arrived, if its execution is to be measured: else nothing reads the clock.
[[nodiscard]] OptionalTimePoint arrivalTime(const ExecutionOptions& options);

/// Checks all rules that `request` can break before it is executed, without touching its memory:
/// so that a launch can refuse at once. Errors as PreparedModel::executeSynchronously.
[[nodiscard]] Result<> checkRequest(const exec::Executable& executable, const Request& request);

/// Executes requests of one model, one after the other. Memory that was mapped for one request
/// stays mapped for the next, so that later executions with the same memory allocate nothing. Not
/// thread-safe.
class RequestExecution {
  public:
    /// Regions that stay mapped. A request that names more has all of them mapped while it runs.
    static constexpr std::size_t kMaximumMappings = 64;

    explicit RequestExecution(exec::Executable executable) noexcept;

    /// `outcome` is overwritten. Errors as PreparedModel::executeSynchronously. `arrival` is from
    /// `arrivalTime`.
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   const OptionalTimePoint& arrival, ExecutionOutcome& outcome);

    /// Checks `request`, maps its memory and resolves its arguments for executeBound, as long as
    /// this object and the request live. False if that cannot be done once for all executions:
    /// memory that is not mapped, a request that breaks a rule, older versions of the HAL.
    [[nodiscard]] bool bind(const Request& request, exec::RequestBindings& bindings);

    /// As execute, of a request that `bind` has resolved.
    [[nodiscard]] Result<> executeBound(exec::RequestBindings& bindings,
                                        const ExecutionOptions& options,
                                        const OptionalTimePoint& arrival,
                                        ExecutionOutcome& outcome);

    [[nodiscard]] const exec::Executable& executable() const noexcept {
        return runner_.executable();
    }

    /// Unmaps `region`, if it is mapped.
    void forget(const SharedRegion& region) noexcept;

  private:
    /// A region that is mapped. Its mapping holds a handle, so its address names it.
    struct MappedRegion {
        Mapping mapping;
        std::uint64_t lastExecution = 0;
    };

    static void finish(const Result<>& result, const OptionalTimePoint& arrival,
                       ExecutionOutcome& outcome);
    Result<> run(const Request& request, const ExecutionOptions& options,
                 ExecutionOutcome& outcome);
    Result<> findPools(const Request& request);
    Result<exec::RequestMemory> map(const SharedRegion& region);
    void makeRoom();

    exec::RequestRunner runner_;
    std::vector<MappedRegion> mapped_;
    std::uint64_t execution_ = 0;  // counts executions
    std::vector<exec::RequestMemory> pools_;
};

}  // namespace nnburst::device
