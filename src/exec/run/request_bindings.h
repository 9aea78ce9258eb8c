// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The inputs and outputs of one execution, resolved to addresses of this process by
/// CompiledModel::bind. Owned by the session, which reuses them; used by one thread at a time.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/run/run_memo.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// A pool of a request as this process sees it.
struct PoolView {
    std::byte* data = nullptr;    ///< null if arguments in it get their addresses later
    std::uint64_t sizeBytes = 0;  ///< kDriverManagedPoolBytes for a driver-managed buffer
};

/// Finds the memory of an output once its shape is known.
class OutputMemory {
  public:
    virtual ~OutputMemory() = default;
    /// At least `sizeBytes` for the output, which has these dimensions.
    [[nodiscard]] virtual Result<std::byte*> place(std::span<const std::uint32_t> dimensions,
                                                   std::uint64_t sizeBytes) = 0;
};

/// One input or output, resolved to memory of this process.
struct ArgumentBinding {
    std::byte* data = nullptr;  ///< null if the argument has no value or no address yet
    std::uint32_t lengthBytes = 0;
    std::span<const std::uint32_t> dimensions{};  ///< of the request; empty to take the model's
    bool hasNoValue = false;
    OutputMemory* memory = nullptr;  ///< of an output whose memory is not at `data`
    bool isUnaligned = false;        ///< `data` is not a multiple of the size of an element
};

/// All inputs and outputs of one execution. Reuse the object: binding again allocates nothing, and
/// running the same bindings repeatedly is the fastest.
struct RequestBindings {
    std::vector<ArgumentBinding> inputs;
    std::vector<ArgumentBinding> outputs;
    bool hasUnaligned = false;  ///< an argument is unaligned: runs use an aligned copy of it
    RunMemo memo;  ///< of the model that has bound them, as long as nothing in them changes
};

}  // namespace nnburst::exec
