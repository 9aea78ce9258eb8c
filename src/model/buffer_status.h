// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The statuses of IDevice::allocate and IBuffer.

#include "nnburst/result.h"

namespace nnburst {

/// `result` of IDevice::allocate or of a call of IBuffer, for which HAL 1.3 has no
/// RESOURCE_EXHAUSTED_*: GENERAL_FAILURE instead, with the same message.
template <class T>
[[nodiscard]] Result<T> toBufferStatus(Result<T> result) {
    if (!result && isResourceExhausted(result.error().status)) {
        result.error().status = ErrorStatus::GENERAL_FAILURE;
    }
    return result;
}

}  // namespace nnburst
