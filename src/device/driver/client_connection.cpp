// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/client_connection.h"

#include <utility>

#include "device/rpc/rpc_limits.h"

namespace nnburst::device {

namespace {

/// Limit on the bytes of unanswered calls; no more are read meanwhile.
constexpr std::size_t kMaximumUnansweredBytes = 2 * kMaximumMessageBytes;

}  // namespace

ClientConnection::ClientConnection(SharedPeer peer, kj::Own<kj::AsyncCapabilityStream> socket,
                                   rpc::Driver::Client driver, const capnp::ReaderOptions& options)
    : stream_(peer->wrap(kj::mv(socket))),
      messages_(std::move(peer), *stream_),
      network_(messages_, kMaximumFdsPerMessage, capnp::rpc::twoparty::Side::SERVER, options),
      chargedNetwork_(network_, messages_),
      rpcSystem_(capnp::makeRpcServer(chargedNetwork_, kj::mv(driver))) {
    rpcSystem_.setFlowLimit(kMaximumUnansweredBytes / sizeof(capnp::word));
}

}  // namespace nnburst::device
