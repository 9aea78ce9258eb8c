// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A request as an execution session takes it: its arguments, and the memory that they lie in. How
/// a request names memory (regions, slots of a burst) is known to a RequestMemorySource alone.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/run/compiled_model.h"
#include "exec/run/managed_buffer.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Inputs and outputs of a request. Their locations name pools by index.
struct RequestArguments {
    std::span<const RequestArgument> inputs;
    std::span<const RequestArgument> outputs;
};

/// One pool of a request for the time of an execution: memory that is mapped, foreign memory, or a
/// driver-managed buffer.
struct RequestMemory {
    /// Address and size of mapped memory; of the two others the size alone.
    PoolView view;
    /// Memory of which arguments are copied.
    const Region* foreign = nullptr;
    /// The descriptor of mapped memory that is a device buffer; -1 for other memory.
    int deviceBuffer = -1;
    /// The buffer's token, given by the source; the session finds the buffer, unless the source has
    /// found it when the execution was launched.
    std::optional<BufferToken> token;
    std::shared_ptr<ManagedBuffer> buffer;

    [[nodiscard]] static RequestMemory mapped(const Mapping& mapping,
                                              int deviceBuffer = -1) noexcept {
        return {.view = {.data = mapping.data(), .sizeBytes = mapping.sizeBytes()},
                .deviceBuffer = deviceBuffer,
                .token = {},
                .buffer = {}};
    }
    [[nodiscard]] static RequestMemory copied(const Region& region) noexcept {
        return {.view = {.data = nullptr, .sizeBytes = region.sizeBytes()},
                .foreign = &region,
                .token = {},
                .buffer = {}};
    }
    [[nodiscard]] static RequestMemory managed(BufferToken token) noexcept {
        return {.view = {.data = nullptr, .sizeBytes = kDriverManagedPoolBytes},
                .token = token,
                .buffer = {}};
    }
};

/// Where the pools of one request come from.
class RequestMemorySource {
  public:
    virtual ~RequestMemorySource() = default;

    /// Fills `pools`, which is empty, with one entry a pool of the request, in order. What entries
    /// point to stays until the source is asked for the next request. The session calls this once
    /// an execution, inside the time that it measures; may block. An error leaves at least the
    /// entries of driver-managed buffers.
    [[nodiscard]] virtual Result<> resolve(std::vector<RequestMemory>& pools) = 0;
};

}  // namespace nnburst::exec
