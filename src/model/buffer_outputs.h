// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The outputs of a request that go into driver-managed buffers: what an execution that fails takes
/// the contents of (HAL 1.3 IDevice::allocate).

#include <cstdint>
#include <vector>

#include "nnburst/types.h"

namespace nnburst {

struct BufferOutput {
    std::uint32_t index = 0;  ///< among the outputs of the request
    BufferToken token{};
};

/// The outputs of `request` that name a buffer. The request may break any rule.
[[nodiscard]] std::vector<BufferOutput> bufferOutputs(const Request& request);

}  // namespace nnburst
