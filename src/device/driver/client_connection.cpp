// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/client_connection.h"

#include "device/rpc/rpc_limits.h"

namespace nnburst::device {

ClientConnection::ClientConnection(kj::Own<kj::AsyncCapabilityStream> clientStream,
                                   rpc::Driver::Client driver, const capnp::ReaderOptions& options)
    : stream_(kj::mv(clientStream)),
      messages_(*stream_),
      network_(messages_, kMaximumFdsPerMessage, capnp::rpc::twoparty::Side::SERVER, options),
      rpcSystem_(capnp::makeRpcServer(network_, kj::mv(driver))) {}

}  // namespace nnburst::device
