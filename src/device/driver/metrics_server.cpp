// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/metrics_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "device/rpc/closing_sockets.h"
#include "device/rpc/peer_descriptors.h"
#include "log/logger.h"

namespace nnburst::device {

namespace {

constexpr int kWaitingConnections = 16;
/// Time for a client to send its request and to read the answer.
constexpr kj::Duration kTimeout = 5 * kj::SECONDS;
/// Pause after a failed accept(2), which would fail again at once.
constexpr kj::Duration kPauseAfterFailedAccept = 1 * kj::SECONDS;

/// The first bytes of a request, which are read and ignored: there is one answer to all.
constexpr std::size_t kRequestBytes = 4096;

}  // namespace

Result<UniqueFd> listenOnLoopback(std::uint16_t port) {
    UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int reuse = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!socket ||
        ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse)) != 0 ||
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(socket.get(), kWaitingConnections) != 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot listen at port {} of 127.0.0.1 for metrics: {}", port,
                                   std::strerror(errno)));
    }
    return socket;
}

kj::Promise<void> MetricsServer::listen(int socket) {
    auto receiver = loop_.io().lowLevelProvider->wrapListenSocketFd(socket);
    auto& borrowed = *receiver;
    return acceptNext(borrowed).attach(kj::mv(receiver));
}

kj::Promise<void> MetricsServer::acceptNext(kj::ConnectionReceiver& receiver) {
    return kj::evalNow([&receiver] { return receiver.accept(); })
        .then([this](kj::Own<kj::AsyncIoStream>&& stream) {
            auto socket = stream.downcast<kj::AsyncCapabilityStream>();
            const auto peer = PeerDescriptors::create(loop_, *socket);
            if (!peer) {
                dropConnection(kj::mv(socket));
                return;
            }
            if (ends_.size() >= kMaximumRequests) {
                ends_.begin()->second->fulfill();
                ends_.erase(ends_.begin());
            }
            auto end = kj::newPromiseAndFulfiller<void>();
            ends_.emplace(++lastNumber_, kj::mv(end.fulfiller));
            connections_.add(
                answer((*peer)->wrap(kj::mv(socket)))
                    .exclusiveJoin(kj::mv(end.promise))
                    .exclusiveJoin(loop_.timer().afterDelay(kTimeout))
                    .attach(kj::defer([this, number = lastNumber_] { ends_.erase(number); })));
        })
        .catch_([this](kj::Exception&& exception) {
            logger().debug("metrics: {}", exception.getDescription().cStr());
            return loop_.timer().afterDelay(kPauseAfterFailedAccept);
        })
        .then([this, &receiver] { return acceptNext(receiver); });
}

kj::Promise<void> MetricsServer::answer(kj::Own<kj::AsyncIoStream> stream) {
    auto request = kj::heapArray<char>(kRequestBytes);
    auto& borrowed = *stream;
    return borrowed.tryRead(request.begin(), 1, request.size())
        .then([this, &borrowed](std::size_t) {
            auto sent = response();
            auto written = borrowed.write(sent->data(), sent->size());
            return written.attach(kj::heap(std::move(sent)));
        })
        .attach(kj::mv(request), kj::mv(stream));
}

std::shared_ptr<const std::string> MetricsServer::response() {
    const auto now = std::chrono::steady_clock::now();
    if (response_ == nullptr || now - responseMade_ >= kKeptFor) {
        const std::string text = text_();
        response_ = std::make_shared<const std::string>(
            fmt::format("HTTP/1.0 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n"
                        "Content-Length: {}\r\n\r\n{}",
                        text.size(), text));
        responseMade_ = now;
    }
    return response_;
}

}  // namespace nnburst::device
