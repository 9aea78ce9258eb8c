// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/driver_messages.h"

#include <capnp/rpc.capnp.h>

#include "device/rpc/resolution_check.h"
#include "log/logger.h"

namespace nnburst::device {

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> DriverMessages::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd> fdSpace, capnp::ReaderOptions options,
    kj::ArrayPtr<capnp::word> scratchSpace) {
    return stream_.tryReadMessage(fdSpace, options, scratchSpace)
        .then([](kj::Maybe<capnp::MessageReaderAndFds>&& read)
                  -> kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> {
            KJ_IF_MAYBE (message, read) {
                const auto root = message->reader->getRoot<capnp::rpc::Message>();
                const Result<> checked =
                    root.isResolve() ? checkResolution(root.getResolve()) : Result<>();
                if (!checked) {
                    logger().warn("a driver is cut off: {}", checked.error().message);
                    return KJ_EXCEPTION(FAILED, checked.error().message);
                }
            }
            return kj::mv(read);
        });
}

}  // namespace nnburst::device
