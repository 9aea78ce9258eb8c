// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/charged_network.h"

#include <utility>

namespace nnburst::device {

namespace {

class ChargedMessage final : public capnp::OutgoingRpcMessage {
  public:
    ChargedMessage(kj::Own<capnp::OutgoingRpcMessage> message, ClientMessages& messages) noexcept
        : message_(kj::mv(message)), messages_(messages) {}

    capnp::AnyPointer::Builder getBody() override { return message_->getBody(); }
    void setFds(kj::Array<int> fds) override { message_->setFds(kj::mv(fds)); }
    size_t sizeInWords() override { return message_->sizeInWords(); }

    void send() override {
        Result<Charge> charge = messages_.chargeUnwritten(sizeInWords() * sizeof(capnp::word));
        if (!charge) {
            // The RPC system answers the call with the exception instead.
            kj::throwFatalException(
                KJ_EXCEPTION(OVERLOADED, "message to a client", charge.error().message));
        }
        message_->send();
        messages_.noteUnwritten(std::move(*charge));
    }

  private:
    kj::Own<capnp::OutgoingRpcMessage> message_;
    ClientMessages& messages_;
};

}  // namespace

class ChargedNetwork::ChargedConnection final : public Connection {
  public:
    ChargedConnection(kj::Own<Connection> connection, ClientMessages& messages) noexcept
        : connection_(kj::mv(connection)), messages_(messages) {}

    kj::Own<capnp::RpcFlowController> newStream() override { return connection_->newStream(); }
    capnp::rpc::twoparty::VatId::Reader getPeerVatId() override {
        return connection_->getPeerVatId();
    }
    kj::Own<capnp::OutgoingRpcMessage> newOutgoingMessage(unsigned firstSegmentWords) override {
        return kj::heap<ChargedMessage>(connection_->newOutgoingMessage(firstSegmentWords),
                                        messages_);
    }
    kj::Promise<kj::Maybe<kj::Own<capnp::IncomingRpcMessage>>> receiveIncomingMessage() override {
        return connection_->receiveIncomingMessage();
    }
    kj::Promise<void> shutdown() override { return connection_->shutdown(); }

  private:
    kj::Own<Connection> connection_;
    ClientMessages& messages_;
};

kj::Own<ChargedNetwork::Connection> ChargedNetwork::charged(kj::Own<Connection> connection) {
    return kj::heap<ChargedConnection>(kj::mv(connection), messages_);
}

kj::Maybe<kj::Own<ChargedNetwork::Connection>> ChargedNetwork::connect(
    capnp::rpc::twoparty::VatId::Reader peer) {
    KJ_IF_MAYBE (connection, network_.connect(peer)) {
        return charged(kj::mv(*connection));
    }
    return nullptr;
}

kj::Promise<kj::Own<ChargedNetwork::Connection>> ChargedNetwork::accept() {
    return network_.accept().then(
        [this](kj::Own<Connection>&& connection) { return charged(kj::mv(connection)); });
}

}  // namespace nnburst::device
