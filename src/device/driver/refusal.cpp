// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/refusal.h"

#include <memory>
#include <utility>

#include "device/driver/client_connection.h"
#include "device/rpc/closing_sockets.h"
#include "device/rpc/conversion.h"
#include "device/rpc/nnburst.capnp.h"
#include "device/rpc/peer_descriptors.h"
#include "log/client_log.h"

namespace nnburst::device {

namespace {

/// Time for a refused client to read the answer.
constexpr kj::Duration kTimeToRead = 5 * kj::SECONDS;
/// The size of messages of a refused client; `open` takes a few words.
constexpr std::uint64_t kMaximumMessageWords = 1024;

class RefusingDriver final : public rpc::Driver::Server {
  public:
    RefusingDriver(const ProtocolVersions& versions, Error reason)
        : versions_(versions), reason_(std::move(reason)) {}

  protected:
    kj::Promise<void> open(OpenContext context) override {
        auto results = context.getResults();
        results.setProtocolVersion(versions_.answerTo(context.getParams().getProtocolVersion()));
        toMessage(tl::unexpected<Error>(reason_), results.initStatus());
        return kj::READY_NOW;
    }
    kj::Promise<void> ping(PingContext /*context*/) override { return kj::READY_NOW; }

  private:
    const ProtocolVersions versions_;
    const Error reason_;
};

}  // namespace

kj::Promise<void> serveRefusal(EventLoop& loop, kj::Own<kj::AsyncCapabilityStream> client,
                               const ProtocolVersions& versions, const Error& reason) {
    const auto peer = PeerDescriptors::create(loop, *client);
    if (!peer) {
        clientLog().write(LogLevel::WARNING,
                          "a refused client is not told why: " + peer.error().message);
        dropConnection(kj::mv(client));
        return kj::READY_NOW;
    }
    auto connection = kj::heap<ClientConnection>(
        *peer, kj::mv(client), kj::heap<RefusingDriver>(versions, reason),
        capnp::ReaderOptions{.traversalLimitInWords = kMaximumMessageWords, .nestingLimit = 16});
    auto gone = connection->onDisconnect();
    return gone.exclusiveJoin(loop.timer().afterDelay(kTimeToRead)).attach(kj::mv(connection));
}

}  // namespace nnburst::device
