// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Calls of clients as work of a service.

#include <capnp/capability.h>
#include <kj/exception.h>

#include "device/driver/work_tracker.h"

namespace nnburst::device {

using AnyCallContext = capnp::CallContext<capnp::AnyPointer, capnp::AnyPointer>;

/// Dispatches a call of a client, which is work until it is answered. A call that comes when no
/// more work is accepted fails as it does when the driver is gone.
template <class Dispatch>
[[nodiscard]] capnp::Capability::Server::DispatchCallResult dispatchTracked(
    const WorkTracker& work, const Dispatch& dispatch) {
    if (const Result<> accepted = work.check(); !accepted) {
        kj::throwFatalException(kj::Exception(kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__,
                                              kj::str(accepted.error().message.c_str())));
    }
    capnp::Capability::Server::DispatchCallResult result = dispatch();
    result.promise = result.promise.attach(work.begin());
    return result;
}

}  // namespace nnburst::device
