// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The request of an execution session: its arguments, and the memory in which they lie. Only a
/// RequestMemorySource knows how the request names memory (by regions, or slots of a burst).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/run/managed_buffer.h"
#include "exec/run/request_bindings.h"
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
    /// Address and size of mapped memory; for the other two kinds only the size.
    PoolView view;
    /// Foreign memory, from and to which arguments are copied; null for other memory.
    const Region* foreign = nullptr;
    /// The descriptor of mapped memory that is a device buffer; -1 for other memory.
    int deviceBuffer = -1;
    /// The buffer's token, given by the source; the session finds the buffer, unless the source has
    /// found it when the execution was launched. There is no buffer if it belongs to other prepared
    /// models: then no argument may use it.
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

/// Resolves the pools of one request to memory of this process.
class RequestMemorySource {
  public:
    virtual ~RequestMemorySource() = default;

    /// Fills `pools`, which is empty, with one entry for each pool of the request, in order. The
    /// memory that entries point to stays until the next call. The session calls this once for each
    /// execution, inside the time that it measures; may block. After an error, at least the entries
    /// of driver-managed buffers are there.
    [[nodiscard]] virtual Result<> resolve(std::vector<RequestMemory>& pools) = 0;
};

}  // namespace nnburst::exec
