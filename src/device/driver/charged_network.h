// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The network of the RPC system with one peer, that of Cap'n Proto: charges each large message to
/// the client from the time when it is sent until it is written. A client that does not read its
/// answers would otherwise make the driver hold them uncharged.

#include <capnp/rpc-twoparty.h>

#include "device/driver/client_messages.h"

namespace nnburst::device {

/// Used on the event loop's thread only.
class ChargedNetwork final : public capnp::TwoPartyVatNetworkBase {
  public:
    /// `messages` is the stream of `network`. Both must outlive this.
    ChargedNetwork(capnp::TwoPartyVatNetwork& network, ClientMessages& messages) noexcept
        : network_(network), messages_(messages) {}

    kj::Maybe<kj::Own<Connection>> connect(capnp::rpc::twoparty::VatId::Reader peer) override;
    kj::Promise<kj::Own<Connection>> accept() override;

  private:
    class ChargedConnection;

    [[nodiscard]] kj::Own<Connection> charged(kj::Own<Connection> connection);

    capnp::TwoPartyVatNetwork& network_;
    ClientMessages& messages_;
};

}  // namespace nnburst::device
