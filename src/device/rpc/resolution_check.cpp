// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/resolution_check.h"

#include "model/invalid.h"

namespace nnburst::device {

Result<> checkResolution(capnp::rpc::Resolve::Reader resolve) {
    if (resolve.isCap()) {
        const auto capability = resolve.getCap();
        if (!capability.isSenderHosted() && !capability.isReceiverHosted()) {
            return invalid(
                "message that resolves promise {} to a capability of kind {}: must be to an object",
                resolve.getPromiseId(), static_cast<unsigned>(capability.which()));
        }
    }
    return {};
}

}  // namespace nnburst::device
