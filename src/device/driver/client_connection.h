// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The RPC system of one client.

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include "device/driver/charged_network.h"
#include "device/driver/client_messages.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/nnburst.capnp.h"

namespace nnburst::device {

/// Used on the event loop's thread only. Serves while it lives.
class ClientConnection {
  public:
    /// `driver` is the first object that the client gets. `peer` owns the descriptors that the
    /// client sends and has its account.
    ClientConnection(SharedPeer peer, kj::Own<kj::AsyncCapabilityStream> socket,
                     rpc::Driver::Client driver, const capnp::ReaderOptions& options);

    /// The client has closed its end, also where its messages are not read.
    [[nodiscard]] kj::Promise<void> onDisconnect() {
        return network_.onDisconnect().exclusiveJoin(stream_->whenWriteDisconnected());
    }

  private:
    kj::Own<kj::AsyncCapabilityStream> stream_;
    ClientMessages messages_;
    capnp::TwoPartyVatNetwork network_;
    ChargedNetwork chargedNetwork_;
    capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpcSystem_;
};

}  // namespace nnburst::device
