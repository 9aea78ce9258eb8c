// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The check of callbacks, which are given to launches: without one, nothing could be reported.

#include "model/invalid.h"
#include "nnburst/device.h"
#include "nnburst/prepared_model.h"
#include "nnburst/result.h"

namespace nnburst {

/// INVALID_ARGUMENT if `callback` is empty. `call`: the name of the call that got it.
[[nodiscard]] inline Result<> checkCallback(const PreparedModelCallback& callback,
                                            const char* call) {
    if (!callback) {
        return invalid("{} without a callback: give one, which receives the prepared model", call);
    }
    return {};
}

/// The same for `execute`.
[[nodiscard]] inline Result<> checkCallback(const ExecutionCallback& callback) {
    if (!callback) {
        return invalid("execute without a callback: give one, or use executeSynchronously");
    }
    return {};
}

}  // namespace nnburst
