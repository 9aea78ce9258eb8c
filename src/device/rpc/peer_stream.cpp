// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
/// \file
/// The stream of PeerDescriptors::wrap.

#include <kj/debug.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "device/rpc/descriptor_thread.h"
#include "device/rpc/peer_descriptors.h"
#include "device/rpc/peer_socket.h"
#include "system/interruption.h"

namespace nnburst::device {

namespace {

/// What one recvmsg(2) has brought.
struct Received {
    ssize_t bytes = 0;  // 0 at the end of the stream, -1 with an error
    int error = 0;
    std::vector<UniqueFd> fds;
    bool isCut = false;  // more descriptors came than were taken

    [[nodiscard]] bool isTooEarly() const noexcept {
        return bytes < 0 && (error == EAGAIN || error == EWOULDBLOCK);
    }
};

/// Reads what has come to a socket. Takes at most `room` descriptors; the kernel drops the others,
/// unless `flags` has MSG_PEEK.
Received receive(int socket, void* buffer, std::size_t bytes, std::size_t room, int flags) {
    iovec part{.iov_base = buffer, .iov_len = bytes};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(PeerDescriptors::kMaximumFdsAtOnce * sizeof(int))>
        control;
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (room > 0) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_LEN(room * sizeof(int));
    }
    Received received;
    do {
        received.bytes = ::recvmsg(socket, &message, flags | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (received.bytes < 0 && errno == EINTR);
    if (received.bytes < 0) {
        received.error = errno;
        return received;
    }
    received.isCut = (message.msg_flags & MSG_CTRUNC) != 0;
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(fd));
            received.fds.emplace_back(fd);
        }
    }
    return received;
}

}  // namespace

/// Passes everything on to the socket's stream, but reads itself, and gives stand-ins instead of
/// descriptors.
class PeerDescriptors::Stream final : public kj::AsyncCapabilityStream {
  public:
    Stream(std::shared_ptr<PeerDescriptors> peer, kj::Own<kj::AsyncCapabilityStream> inner)
        : peer_(std::move(peer)),
          socket_(std::move(peer_->socket_)),
          inner_(kj::mv(inner)),
          readable_(peer_->loop_.io().unixEventPort, socket_->fd(),
                    kj::UnixEventPort::FdObserver::OBSERVE_READ) {}

    kj::Promise<ReadResult> tryReadWithFds(void* buffer, size_t minBytes, size_t maxBytes,
                                           kj::AutoCloseFd* fdBuffer, size_t maxFds) override {
        KJ_IF_MAYBE (exception, chargeFor(minBytes)) {
            return kj::mv(*exception);
        }
        return readAll(minBytes, {.buffer = static_cast<kj::byte*>(buffer),
                                  .maxBytes = maxBytes,
                                  .fdBuffer = fdBuffer,
                                  .maxFds = maxFds});
    }

    kj::Promise<size_t> tryRead(void* buffer, size_t minBytes, size_t maxBytes) override {
        return tryReadWithFds(buffer, minBytes, maxBytes, nullptr, 0).then([](ReadResult read) {
            return read.byteCount;
        });
    }
    kj::Promise<void> write(const void* buffer, size_t size) override {
        return inner_->write(buffer, size);
    }
    kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
        return inner_->write(pieces);
    }
    kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }
    void shutdownWrite() override { inner_->shutdownWrite(); }
    void abortRead() override { inner_->abortRead(); }
    kj::Promise<void> writeWithFds(kj::ArrayPtr<const kj::byte> data,
                                   kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> moreData,
                                   kj::ArrayPtr<const int> fds) override {
        return inner_->writeWithFds(data, moreData, fds);
    }
    kj::Promise<void> writeWithStreams(
        kj::ArrayPtr<const kj::byte> data,
        kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> moreData,
        kj::Array<kj::Own<kj::AsyncCapabilityStream>> streams) override {
        return inner_->writeWithStreams(data, moreData, kj::mv(streams));
    }
    kj::Promise<ReadResult> tryReadWithStreams(void* /*buffer*/, size_t /*minBytes*/,
                                               size_t /*maxBytes*/,
                                               kj::Own<kj::AsyncCapabilityStream>* /*streams*/,
                                               size_t /*maxStreams*/) override {
        return KJ_EXCEPTION(UNIMPLEMENTED, "streams are not received over this connection");
    }

  private:
    /// Smaller reads are not charged while they last.
    static constexpr std::size_t kChargedReadBytes = 4096;
    /// The most that the peer's thread reads at once.
    static constexpr std::size_t kMaximumBytesOnThread = 16384;
    /// A peer that may have no thread now is read from after this time.
    static constexpr kj::Duration kThreadRetry = 100 * kj::MILLISECONDS;
    /// A piece below kSmallPieceBytes that does not complete a read is small. After kFreePieces
    /// small ones, each further read waits first: 1 ms, then twice as long each time,
    /// kMaximumDoublings times at most (half a second).
    static constexpr std::size_t kSmallPieceBytes = 4096;
    static constexpr std::uint32_t kFreePieces = 8;
    static constexpr std::uint32_t kMaximumDoublings = 9;

    /// Where a read puts what it brings.
    struct Destination {
        kj::byte* buffer;
        std::size_t maxBytes;
        kj::AutoCloseFd* fdBuffer;
        std::size_t maxFds;
    };

    /// A read on the peer's thread. It has a buffer of its own, because the destination may be
    /// destroyed before the read ends. Descriptors that nobody takes are dropped on the peer's
    /// thread, since closing them on the event loop could block.
    struct ThreadRead {
        ThreadRead(std::shared_ptr<DescriptorThread> ofPeer, std::shared_ptr<Socket> from,
                   std::size_t bytes)
            : thread(std::move(ofPeer)), socket(std::move(from)), buffer(bytes) {}
        ThreadRead(const ThreadRead&) = delete;
        ThreadRead& operator=(const ThreadRead&) = delete;
        ~ThreadRead() {
            if (!received.fds.empty()) {
                dropOn(thread, std::move(received.fds));
            }
        }

        const std::shared_ptr<DescriptorThread> thread;
        const std::shared_ptr<Socket> socket;
        std::vector<kj::byte> buffer;
        Received received;
    };

    /// The buffer of a read is there from its begin, however long the peer takes to fill it.
    kj::Maybe<kj::Exception> chargeFor(std::size_t bytes) {
        if (bytes < kChargedReadBytes) {
            return nullptr;
        }
        auto charge = chargeTo(peer_->account_, Resource::MESSAGES, bytes);
        if (!charge) {
            return overLimit(charge.error());
        }
        peer_->readCharge_ = std::move(*charge);
        return nullptr;
    }

    /// Reads until `minBytes` have come, beside what has come `already`. Nothing follows the last
    /// call: a chain of as many promises as a peer sends pieces would take memory, and its end more
    /// stack than there is.
    kj::Promise<ReadResult> readAll(size_t minBytes, Destination destination,
                                    ReadResult already = {0, 0}) {
        return readOnce(destination)
            .then(
                [this, minBytes, destination, already](ReadResult read) -> kj::Promise<ReadResult> {
                    const ReadResult sum{already.byteCount + read.byteCount,
                                         already.capCount + read.capCount};
                    if (read.byteCount == 0 || read.byteCount >= minBytes) {
                        smallPieces_ = 0;
                        return sum;
                    }
                    const Destination rest{.buffer = destination.buffer + read.byteCount,
                                           .maxBytes = destination.maxBytes - read.byteCount,
                                           .fdBuffer = destination.fdBuffer + read.capCount,
                                           .maxFds = destination.maxFds - read.capCount};
                    const std::size_t missing = minBytes - read.byteCount;
                    if (read.byteCount >= kSmallPieceBytes || ++smallPieces_ <= kFreePieces) {
                        return readAll(missing, rest, sum);
                    }
                    return pause().then(
                        [this, missing, rest, sum] { return readAll(missing, rest, sum); });
                });
    }

    /// Senders write all that they have at once, so that large pieces come. Of one that does not
    /// do so, each piece would wake the loop.
    kj::Promise<void> pause() {
        const std::uint32_t doublings = std::min(smallPieces_ - kFreePieces - 1, kMaximumDoublings);
        return peer_->loop_.timer().afterDelay((1 << doublings) * kj::MILLISECONDS);
    }

    /// Reads what has come, or waits until something has.
    kj::Promise<ReadResult> readOnce(Destination destination) {
        peer_->loop_.noteWork();
        const std::size_t room = peer_->acceptedCount();
        std::size_t bytes = destination.maxBytes;
        if (room < kMaximumFdsAtOnce) {
            Received seen = receive(socket_->fd(), destination.buffer, bytes, 0, MSG_PEEK);
            if (seen.bytes > 0 && seen.isCut) {
                return readOnThread(destination);
            }
            if (seen.bytes <= 0) {
                return take(std::move(seen), destination);
            }
            bytes = static_cast<std::size_t>(seen.bytes);  // these bring no descriptor
        }
        return take(receive(socket_->fd(), destination.buffer, bytes, room, 0), destination);
    }

    /// Descriptors may come for which there is no room. The kernel drops them on the thread that
    /// reads, and that may take long.
    kj::Promise<ReadResult> readOnThread(Destination destination) {
        const auto read = std::make_shared<ThreadRead>(
            peer_->thread_, socket_, std::min(destination.maxBytes, kMaximumBytesOnThread));
        auto pair = kj::newPromiseAndFulfiller<void>();
        const auto fulfiller = ownedByLoop(peer_->loop_, kj::mv(pair.fulfiller));
        const Result<> started = peer_->runOnThread(
            [&loop = peer_->loop_, fulfiller, read, room = peer_->acceptedCount()] {
                const system::ScopedInterruption interruption;
                read->received =
                    receive(read->socket->fd(), read->buffer.data(), read->buffer.size(), room, 0);
                (void)loop.post([fulfiller, read] { (*fulfiller)->fulfill(); });
            });
        if (!started) {
            return peer_->loop_.timer().afterDelay(kThreadRetry).then([this, destination] {
                return readOnce(destination);
            });
        }
        return pair.promise.then([this, read, destination] {
            if (read->received.bytes > 0) {
                std::memcpy(destination.buffer, read->buffer.data(),
                            static_cast<std::size_t>(read->received.bytes));
            }
            return take(std::move(read->received), destination);
        });
    }

    /// Delivers the result of a read. Reads again if nothing has arrived yet.
    kj::Promise<ReadResult> take(Received received, Destination destination) {
        if (received.isTooEarly()) {
            return readable_.whenBecomesReadable().then(
                [this, destination] { return readOnce(destination); });
        }
        if (received.bytes < 0) {
            return KJ_EXCEPTION(DISCONNECTED, "cannot read from a peer's socket",
                                std::strerror(received.error));
        }
        ReadResult read{static_cast<std::size_t>(received.bytes), 0};
        for (UniqueFd& fd : received.fds) {
            // After one that is not kept, none is delivered: the RPC system identifies descriptors
            // by their index.
            UniqueFd standIn =
                read.capCount < destination.maxFds ? peer_->keep(std::move(fd)) : UniqueFd();
            if (!standIn) {
                break;
            }
            destination.fdBuffer[read.capCount++] = kj::AutoCloseFd(standIn.release());
        }
        for (UniqueFd& fd : received.fds) {
            peer_->refuse(std::move(fd));
        }
        if (received.isCut) {
            peer_->noteRefusal(received.fds.size() + 1);
        }
        return read;
    }

    const std::shared_ptr<PeerDescriptors> peer_;
    const std::shared_ptr<Socket> socket_;
    kj::Own<kj::AsyncCapabilityStream> inner_;
    kj::UnixEventPort::FdObserver readable_;
    std::uint32_t smallPieces_ = 0;  // that have come of what is read
};

kj::Own<kj::AsyncCapabilityStream> PeerDescriptors::wrap(
    kj::Own<kj::AsyncCapabilityStream> stream) {
    return kj::heap<Stream>(shared_from_this(), kj::mv(stream));
}

}  // namespace nnburst::device
