// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A `Buffer` is memory that the driver manages (HAL 1.3, memory domains).

#include <memory>

#include "nnburst/export.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// Memory that the driver manages (HAL 1.3 IBuffer). The driver frees it after the object is
/// destroyed and the executions that use it have ended. Both calls block until the driver has
/// copied.
class NNBURST_EXPORT Buffer {
  public:
    virtual ~Buffer() = default;

    /// Copies the buffer's contents to `destination`. INVALID_ARGUMENT unless `destination` has
    /// exactly the size of the contents, GENERAL_FAILURE if the buffer has no contents.
    [[nodiscard]] virtual Result<> copyTo(const SharedRegion& destination) = 0;
    /// Copies `source` into the buffer. `dimensions` are those of the contents, or empty if the
    /// buffer's are fully known; INVALID_ARGUMENT if they contradict the buffer's or the size of
    /// `source`; GENERAL_FAILURE if the driver has no memory for them, or a limit is reached. After
    /// any error the buffer has no contents (HAL 1.3 IBuffer).
    [[nodiscard]] virtual Result<> copyFrom(const SharedRegion& source,
                                            const Dimensions& dimensions) = 0;
};

/// A driver-managed buffer and the token by which requests name it.
struct AllocatedBuffer {
    std::shared_ptr<Buffer> buffer;
    BufferToken token{};
};

}  // namespace nnburst
