// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a request uses driver-managed buffers (HAL 1.3 IDevice::allocate): what is allowed, and what
/// becomes of the buffers that an execution was to write when it fails.

#include <memory>
#include <span>
#include <vector>

#include "exec/run/executable.h"
#include "exec/run/request_memory.h"
#include "model/buffer_outputs.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Checks that the buffers among `pools` are used for arguments that they were allocated for, and
/// that one that is written is used for nothing else. Buffers were found; each argument with a
/// value names one of the pools. INVALID_ARGUMENT names the argument and the rule.
[[nodiscard]] Result<> checkBufferUses(const Executable& executable,
                                       const RequestArguments& request,
                                       std::span<const RequestMemory> pools);

/// Checks that the buffers of inputs hold something, as ManagedBuffer::checkContents.
[[nodiscard]] Result<> checkBufferContents(const RequestArguments& request,
                                           std::span<const RequestMemory> pools, bool orPending);

/// An execution with these outputs has failed: their buffers hold nothing any more. A buffer that
/// was not allocated for the output keeps its contents, so that a request takes them from no buffer
/// that it could not have written.
void discardOutputs(const Executable& executable, std::span<const BufferOutput> outputs);

/// The buffers that an execution is going to write, from its launch to its end: executions that
/// wait for it may name them as inputs before they hold anything.
class PendingWrites {
  public:
    PendingWrites() = default;
    /// Of a request that checkBufferUses has allowed.
    PendingWrites(const RequestArguments& request, std::span<const RequestMemory> pools);
    PendingWrites(PendingWrites&&) noexcept = default;
    PendingWrites& operator=(PendingWrites&&) = delete;
    ~PendingWrites() { end(); }

    /// The execution has ended. Does nothing the second time.
    void end() noexcept;

  private:
    std::vector<std::shared_ptr<ManagedBuffer>> buffers_;
};

}  // namespace nnburst::exec
