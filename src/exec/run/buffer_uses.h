// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a request uses driver-managed buffers (HAL 1.3 IDevice::allocate): which uses are allowed,
/// and how the output buffers of a failed execution lose their contents.

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
/// that a buffer that is written has no other use. The buffers of tokens were looked up before;
/// each argument with a value names one of the pools. INVALID_ARGUMENT names the argument and the
/// rule.
[[nodiscard]] Result<> checkBufferUses(const Executable& executable,
                                       const RequestArguments& request,
                                       std::span<const RequestMemory> pools);

/// Checks that the buffers of inputs have contents, as ManagedBuffer::checkContents.
[[nodiscard]] Result<> checkBufferContents(const RequestArguments& request,
                                           std::span<const RequestMemory> pools, bool orPending);

/// After a failed execution with these outputs: discards the contents of their buffers. A buffer
/// that was not allocated for the output keeps its contents, because the request could not have
/// written it.
void discardOutputs(const Executable& executable, std::span<const BufferOutput> outputs);

/// Announces the buffers that an execution is going to write, from its launch to its end:
/// executions that wait for it may name them as inputs before they have contents.
class PendingWrites {
  public:
    PendingWrites() = default;
    /// `request` was checked by checkBufferUses.
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
