// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/promise_timeout.h"

#include <kj/debug.h>

namespace nnburst::device {

void throwUnresolved() {
    kj::throwFatalException(
        KJ_EXCEPTION(OVERLOADED, "an object that the peer has promised did not come in time"));
}

}  // namespace nnburst::device
