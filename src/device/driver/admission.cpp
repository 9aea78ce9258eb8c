// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/admission.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "device/driver/limits.h"
#include "device/driver/refusal.h"
#include "device/rpc/closing_sockets.h"
#include "device/rpc/kj_conversions.h"
#include "log/client_log.h"
#include "log/logger.h"

namespace nnburst::device {

namespace {

/// Pause after a failed accept(2), which would fail again at once.
constexpr std::chrono::milliseconds kAcceptPause{100};

/// Pause while many connections are still being closed.
constexpr kj::Duration kClosingPause = 10 * kj::MILLISECONDS;

}  // namespace

Result<ClientIdentity> identityOf(kj::AsyncIoStream& client) {
    KJ_IF_MAYBE (socket, client.getFd()) {
        return identifyClient(*socket);
    }
    return failure(ErrorStatus::GENERAL_FAILURE, "a client without a socket");
}

Admission::Admission(EventLoop& loop, Options options, ClientAccounts& accounts)
    : loop_(loop),
      options_(std::move(options)),
      accounts_(accounts),
      maximumRefusals_(maximumRefusals(MachineSize::get())),
      clients_(*this) {}

void Admission::taskFailed(kj::Exception&& exception) {
    logger().debug("client: {}", exception.getDescription().cStr());
}

kj::Promise<void> Admission::listen(int socket, Serve serve) {
    auto receiver = loop_.io().lowLevelProvider->wrapListenSocketFd(socket);
    auto& borrowed = *receiver;
    auto held = kj::heap<Serve>(std::move(serve));
    auto accepting = acceptNext(borrowed, *held);
    return accepting.attach(kj::mv(receiver)).attach(kj::mv(held));
}

kj::Promise<void> Admission::acceptNext(kj::ConnectionReceiver& receiver, const Serve& serve) {
    retryClosing();
    if (countClosingSockets() >= maximumRefusals_) {
        return loop_.timer().afterDelay(kClosingPause).then([this, &receiver, &serve] {
            return acceptNext(receiver, serve);
        });
    }
    // accept() throws if a client waits and no descriptor is free; evalNow() turns the exception
    // into a failed promise. After any failure the next client is accepted.
    return kj::evalNow([&receiver] { return receiver.accept(); })
        .then([this, &serve](kj::Own<kj::AsyncIoStream>&& stream) {
            admit(stream.downcast<kj::AsyncCapabilityStream>(), serve);
        })
        .catch_([this](kj::Exception&& exception) {
            // Clients may have taken all descriptors. The waiting client stays in the backlog.
            logger().warn("cannot accept a client, next attempt in {} ms: {}", kAcceptPause.count(),
                          exception.getDescription().cStr());
            return loop_.timer().afterDelay(toKj(kAcceptPause));
        })
        .then([this, &receiver, &serve] { return acceptNext(receiver, serve); });
}

void Admission::admit(ClientStream stream, const Serve& serve) {
    loop_.noteWork();
    const Result<ClientIdentity> identity = identityOf(*stream);
    if (!identity) {
        clientLog().write(LogLevel::WARNING, "refused a client: " + identity.error().message);
        dropConnection(kj::mv(stream));
        return;
    }
    const std::string who = options_.userNames.describe(*identity);
    if (const Result<> admitted = options_.access.check(*identity); !admitted) {
        clientLog().write(
            LogLevel::WARNING,
            fmt::format("refused {}: neither its user nor a group of it is admitted", who));
        clients_.add(kj::evalNow([&] { return sendReason(kj::mv(stream), admitted.error()); }));
        return;
    }
    auto opened = open(*identity, lastNumber_ + 1);
    if (!opened) {
        clients_.add(kj::evalNow([&] { return refuse(kj::mv(stream), who, opened.error()); }));
        return;
    }
    lastNumber_ = opened->number;
    clientLog().write(LogLevel::INFO,
                      fmt::format("client {} has connected: {}; {} are", lastNumber_, who,
                                  accounts_.driver()->usage(Resource::CONNECTIONS).used));
    clients_.add(kj::evalNow([&] { return serve(kj::mv(stream), std::move(*opened)); }));
}

kj::Promise<void> Admission::admitAs(ClientStream stream, std::uint64_t number,
                                     const Serve& serve) {
    const Result<ClientIdentity> identity = identityOf(*stream);
    if (!identity) {
        clientLog().write(LogLevel::WARNING, "refused a client: " + identity.error().message);
        dropConnection(kj::mv(stream));
        return kj::READY_NOW;
    }
    auto opened = open(*identity, number);
    if (!opened) {
        return refuse(kj::mv(stream), options_.userNames.describe(*identity), opened.error());
    }
    return serve(kj::mv(stream), std::move(*opened));
}

Result<AdmittedClient> Admission::open(const ClientIdentity& identity, std::uint64_t number) {
    AdmittedClient client{.number = number,
                          .identity = identity,
                          .description = options_.userNames.describe(identity),
                          .account = {}};
    NNBURST_TRY_ASSIGN(
        client.account,
        accounts_.open(identity, fmt::format("client {} ({})", number, client.description)));
    return client;
}

kj::Promise<void> Admission::refuse(ClientStream stream, const std::string& who,
                                    const Error& reason) {
    clientLog().write(LogLevel::WARNING, fmt::format("refused {}: {}", who, reason.message));
    return sendReason(kj::mv(stream), reason);
}

kj::Promise<void> Admission::sendReason(ClientStream stream, const Error& reason) {
    if (refusalCount_ >= maximumRefusals_) {
        dropConnection(kj::mv(stream));
        return kj::READY_NOW;
    }
    ++refusalCount_;
    return serveRefusal(loop_, kj::mv(stream), options_.versions, reason).attach(kj::defer([this] {
        --refusalCount_;
    }));
}

}  // namespace nnburst::device
