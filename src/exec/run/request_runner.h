// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// From the arguments and memory of a request to its outcome. Mapped memory is used in place;
/// foreign memory is copied; driver-managed buffers stand for whole arguments. Executions of all
/// kinds, in process and in the driver, go through here.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/run/executable.h"
#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// A pool of a request, found and held for the time of an execution: one of three.
struct RequestMemory {
    /// Memory that is mapped; or only its size, with no address, for one of the two others.
    PoolView view;
    /// Memory that is copied.
    const Region* foreign = nullptr;
    /// A buffer that the driver manages.
    std::shared_ptr<ManagedBuffer> buffer;

    [[nodiscard]] static RequestMemory mapped(const Mapping& mapping) noexcept {
        return {.view = {.data = mapping.data(), .sizeBytes = mapping.sizeBytes()}, .buffer = {}};
    }
    [[nodiscard]] static RequestMemory copied(const Region& region) noexcept {
        return {.view = {.data = nullptr, .sizeBytes = region.sizeBytes()},
                .foreign = &region,
                .buffer = {}};
    }
    [[nodiscard]] static RequestMemory managed(std::shared_ptr<ManagedBuffer> buffer) noexcept {
        return {.view = {.data = nullptr, .sizeBytes = kDriverManagedPoolBytes},
                .buffer = std::move(buffer)};
    }
};

/// Runs requests one after the other. Repeated runs with mapped memory allocate nothing. Not
/// thread-safe.
class RequestRunner {
  public:
    explicit RequestRunner(Executable executable) noexcept;
    RequestRunner(const RequestRunner&) = delete;
    RequestRunner& operator=(const RequestRunner&) = delete;
    ~RequestRunner();

    [[nodiscard]] const Executable& executable() const noexcept { return executable_; }

    /// Checks the arguments, runs the model and overwrites `outcome`, of whose timing only
    /// timeOnDevice is set. Errors as PreparedModel::executeSynchronously.
    [[nodiscard]] Result<> run(std::span<const RequestArgument> inputs,
                               std::span<const RequestArgument> outputs,
                               std::span<const RequestMemory> pools,
                               const ExecutionOptions& options, ExecutionOutcome& outcome);

  private:
    class ManagedOutput;
    struct ForeignArgument {
        GrowingBuffer copy;
        const Region* region = nullptr;
        std::uint64_t offset = 0;
        std::size_t output = 0;  ///< which output; not for inputs
    };

    Result<> runWithShapes(std::span<const RequestArgument> inputs,
                           std::span<const RequestArgument> outputs,
                           std::span<const RequestMemory> pools, const ExecutionOptions& options,
                           ExecutionOutcome& outcome);
    Result<> runWithoutShapes(std::span<const RequestArgument> inputs,
                              std::span<const RequestArgument> outputs,
                              std::span<const RequestMemory> pools, const ExecutionOptions& options,
                              ExecutionOutcome& outcome);
    Result<> attach(std::span<const RequestArgument> inputs,
                    std::span<const RequestArgument> outputs, std::span<const RequestMemory> pools);
    Result<> attachInput(std::size_t index, const RequestArgument& argument,
                         const RequestMemory& pool);
    Result<> attachOutput(std::size_t index, const RequestArgument& argument,
                          const RequestMemory& pool);
    Result<> checkSharing();
    Result<ForeignArgument*> stage(const RequestArgument& argument, const RequestMemory& pool);
    Result<> finish(const ExecutionOutcome& outcome);
    void detach() noexcept;

    const Executable executable_;
    std::vector<PoolView> views_;
    RequestBindings bindings_;
    ExecutionOutcome outcomeWithShapes_;  ///< of versions that do not give the shapes

    // Of requests whose memory is not all mapped; their memory is reused.
    std::vector<std::unique_ptr<ForeignArgument>> foreign_;
    std::size_t foreignInputCount_ = 0;
    std::size_t foreignCount_ = 0;
    struct ManagedInput {
        std::shared_ptr<ManagedBuffer> buffer;
        ManagedBuffer::Contents contents;
    };
    std::vector<std::unique_ptr<ManagedInput>> managedInputs_;
    std::vector<std::unique_ptr<ManagedOutput>> managedOutputs_;
};

}  // namespace nnburst::exec
