// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The outputs of a request that go into driver-managed buffers. If the execution fails, these
/// buffers lose their contents (HAL 1.3 IDevice::allocate).

#include <cstdint>
#include <vector>

#include "nnburst/types.h"

namespace nnburst {

struct BufferOutput {
    std::uint32_t index = 0;  ///< among the outputs of the request
    BufferToken token{};
};

/// The outputs of `request` that name a buffer. The request need not be valid.
[[nodiscard]] std::vector<BufferOutput> bufferOutputs(const Request& request);

}  // namespace nnburst
