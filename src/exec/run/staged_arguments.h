// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arguments of an execution that do not lie in mapped memory. Arguments in foreign memory are
/// copied before and after the run, outside of the gate, because their copies may block; an
/// argument in a driver-managed buffer is the whole buffer.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "account/account.h"
#include "exec/run/argument_copies.h"
#include "exec/run/charged_buffer.h"
#include "exec/run/executable.h"
#include "exec/run/request_memory.h"
#include "nnburst/execution.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// Belongs to one session. Order of use: attach, run, finish if the run succeeded, all while a
/// Scope lives. Memory for copies is reused. Not thread-safe.
class StagedArguments {
  public:
    StagedArguments() noexcept;
    ~StagedArguments();
    StagedArguments(const StagedArguments&) = delete;
    StagedArguments& operator=(const StagedArguments&) = delete;

    /// RAII: detaches, that is, releases regions and buffers at the end of an execution.
    class Scope {
      public:
        explicit Scope(StagedArguments& staged) noexcept : staged_(staged) {}
        ~Scope() { staged_.detach(); }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        StagedArguments& staged_;
    };

    /// Finds memory for the arguments in `bindings`, which `request` was bound to, that have no
    /// address. INVALID_ARGUMENT for a use of a buffer that checkBufferUses does not allow;
    /// GENERAL_FAILURE for an input buffer without contents; RESOURCE_EXHAUSTED_* if copies exceed
    /// a limit of the account of `limits`. Errors of ArgumentCopies, when `limits` end the copies
    /// early.
    [[nodiscard]] Result<> attach(const Executable& executable, const RequestArguments& request,
                                  std::span<const RequestMemory> pools, const RunLimits& limits,
                                  RequestBindings& bindings);

    /// Copies the outputs of a run that has succeeded to their foreign memory and buffers. Errors
    /// of ArgumentCopies, when `limits` end that early.
    [[nodiscard]] Result<> finish(const Executable& executable, const RequestBindings& bindings,
                                  const ExecutionOutcome& outcome, const RunLimits& limits);

  private:
    void detach() noexcept;

    class ManagedOutput;
    struct ForeignArgument {
        ChargedBuffer copy;
        std::byte* data = nullptr;
        const Region* region = nullptr;
        std::uint64_t offset = 0;
        std::size_t output = 0;  ///< which output; not for inputs
    };

    Result<> attachInput(const RequestArgument& argument, const RequestMemory& pool,
                         ArgumentCopies& copies, ArgumentBinding& binding);
    Result<> attachOutput(std::size_t index, const RequestArgument& argument,
                          const RequestMemory& pool, ArgumentBinding& binding);
    /// Memory for the copy of a foreign argument. Charged to the account of the current run.
    Result<ForeignArgument*> stage(const RequestArgument& argument, const RequestMemory& pool);

    std::vector<std::unique_ptr<ForeignArgument>> foreign_;  ///< inputs, outputs, unused ones
    Account* account_ = nullptr;  // of the current run; null: not charged
    std::size_t foreignInputCount_ = 0;
    std::size_t foreignCount_ = 0;
    std::vector<std::unique_ptr<ManagedBuffer::Contents>> managedInputs_;
    std::vector<std::unique_ptr<ManagedOutput>> managedOutputs_;
};

}  // namespace nnburst::exec
