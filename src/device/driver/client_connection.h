// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The RPC system of one client.

#include <capnp/rpc-twoparty.h>
#include <capnp/serialize-async.h>
#include <kj/async-io.h>

#include "device/rpc/nnburst.capnp.h"

namespace nnburst::device {

/// Used on the event loop's thread only. Serves while it lives.
class ClientConnection {
  public:
    /// `driver` is the first object that the client gets.
    ClientConnection(kj::Own<kj::AsyncCapabilityStream> clientStream, rpc::Driver::Client driver,
                     const capnp::ReaderOptions& options);

    [[nodiscard]] kj::Promise<void> onDisconnect() { return network_.onDisconnect(); }

  private:
    kj::Own<kj::AsyncCapabilityStream> stream_;
    /// Without a buffer: with the one that Cap'n Proto 1.1 takes by itself, large messages arrived
    /// without their descriptors now and then.
    capnp::AsyncCapabilityMessageStream messages_;
    capnp::TwoPartyVatNetwork network_;
    capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpcSystem_;
};

}  // namespace nnburst::device
