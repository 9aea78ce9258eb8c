// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Owns the descriptors that one peer sends. A descriptor may belong to a file system whose owner
/// is the peer itself (FUSE) or a distant machine: examining or closing it may fail, and may block
/// for ever. So descriptors never reach the RPC system, which closes them on the event loop and
/// throws if that fails. It gets stand-ins, duplicates of an eventfd, and the stand-in's number
/// leads back to the descriptor:
///
///     socket -> stream of wrap() -> RPC system (stand-in 17) -> claim(capability) -> descriptor
///                     \__ keeps {17: descriptor} until it is claimed
///
/// Descriptors that may block are examined on a thread of this peer, with a time limit, and closed
/// there, since the kernel may have much to free. If that thread is blocked, later descriptors of
/// the same peer fail; other peers are not affected. All are charged to the peer until they are
/// closed. No more are taken from the socket than its account has room for: the kernel drops the
/// others, which asks no file system but may take long. So a read that may bring more than there is
/// room for runs on the peer's thread: while that is busy, what the peer sends stays in its socket.
/// The socket is closed there, too, if anything lies in it.

#include <capnp/capability.h>
#include <kj/async-io.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "account/account.h"
#include "device/rpc/descriptor_kind.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/kj_conversions.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/unique_fd.h"

namespace nnburst::device {

class DescriptorThread;

/// The exception that ends the connection of a client that exceeds a limit. Logs it.
[[nodiscard]] kj::Exception overLimit(const Error& error);

/// A descriptor that a peer has sent, and what is charged for it.
struct ReceivedDescriptor {
    Charge charge;  ///< given back after `fd` is closed
    UniqueFd fd;
};

/// A file of a peer. Dropping it does not block.
class PeerFile final {
  public:
    PeerFile() noexcept = default;
    PeerFile(std::shared_ptr<DescriptorThread> thread, ReceivedDescriptor file) noexcept
        : thread_(std::move(thread)), file_(std::move(file)) {}
    PeerFile(PeerFile&&) noexcept = default;
    PeerFile& operator=(PeerFile&&) noexcept = delete;
    ~PeerFile();

    [[nodiscard]] int get() const noexcept { return file_.fd.get(); }

  private:
    std::shared_ptr<DescriptorThread> thread_;
    ReceivedDescriptor file_;
};

/// A pointer to the same region. When its last copy goes, the region is released on `thread`,
/// unless its descriptor closesAtOnce().
[[nodiscard]] SharedRegion droppedOn(std::shared_ptr<DescriptorThread> thread, SharedRegion region);

/// Used on the event loop's thread only, except for the destructor.
class PeerDescriptors final : public std::enable_shared_from_this<PeerDescriptors> {
  public:
    /// Descriptors that arrived and were not claimed. Beyond that the oldest is closed.
    static constexpr std::size_t kMaximumUnclaimed = 1024;
    /// The most descriptors that come at once (SCM_MAX_FD, unix(7)).
    static constexpr std::size_t kMaximumFdsAtOnce = 253;
    /// An examination that takes longer fails.
    static constexpr std::chrono::milliseconds kExaminationTimeout{1000};

    /// For the peer at the other end of `stream`, a socket. Received descriptors and one of the
    /// socket are charged to `account`. Without an account no descriptors are taken.
    [[nodiscard]] static Result<std::shared_ptr<PeerDescriptors>> create(
        EventLoop& loop, const kj::AsyncCapabilityStream& stream, SharedAccount account = nullptr);
    ~PeerDescriptors();
    PeerDescriptors(const PeerDescriptors&) = delete;
    PeerDescriptors& operator=(const PeerDescriptors&) = delete;

    /// A stream that reads from the stream of `create`, and keeps the descriptors that arrive
    /// (peer_stream.cpp).
    [[nodiscard]] kj::Own<kj::AsyncCapabilityStream> wrap(
        kj::Own<kj::AsyncCapabilityStream> stream);

    /// The descriptor that arrived with `capability`. It can be claimed once. Invalid if there is
    /// none; RESOURCE_EXHAUSTED_* if it was not accepted because of a limit.
    [[nodiscard]] kj::Promise<Result<ReceivedDescriptor>> claim(
        capnp::Capability::Client capability);

    /// What the peer is charged for. Null if it is not.
    [[nodiscard]] const SharedAccount& account() const noexcept { return account_; }

    /// Calls `examine` with a descriptor: here if that cannot block, else on the peer's thread.
    /// RESOURCE_EXHAUSTED_TRANSIENT after kExaminationTimeout, or if there may be no thread.
    template <class T>
    [[nodiscard]] kj::Promise<Result<T>> examine(
        ReceivedDescriptor received, std::function<Result<T>(ReceivedDescriptor)> examine);

    /// A message is read into memory that is charged as soon as its size is known. Gives that
    /// charge back: the message has come.
    void dropReadCharge() noexcept { readCharge_ = Charge(); }

    /// Where the peer's descriptors are examined and closed.
    [[nodiscard]] const std::shared_ptr<DescriptorThread>& thread() const noexcept {
        return thread_;
    }

    /// Closes a descriptor without blocking.
    void close(ReceivedDescriptor received);

  private:
    class Socket;
    class Stream;
    struct Arrived {
        int standIn;
        ReceivedDescriptor received;
    };

    PeerDescriptors(EventLoop& loop, ReceivedDescriptor socket, UniqueFd standIn,
                    SharedAccount account);

    /// How many descriptors the next read may take.
    [[nodiscard]] std::size_t acceptedCount() const noexcept;
    /// `count` descriptors were not accepted, or the last of them was not: notes why.
    void noteRefusal(std::size_t count);
    void noteRefusal(Error error);
    /// Closes a descriptor that is not kept.
    void refuse(UniqueFd fd);
    /// Keeps a descriptor and returns its stand-in, or an invalid one if the system gives none.
    [[nodiscard]] UniqueFd keep(UniqueFd fd);
    [[nodiscard]] Result<> runOnThread(std::function<void()> job);
    [[nodiscard]] static Error timeoutError();

    EventLoop& loop_;
    const SharedAccount account_;
    const UniqueFd standIn_;  // an eventfd that is never signalled
    std::deque<Arrived> arrived_;
    Charge readCharge_;             // of the message that is being read
    std::optional<Error> refusal_;  // why a descriptor that came was not kept, the last time
    kj::TimePoint refusedAt_ = kj::origin<kj::TimePoint>();  // when that was
    const std::shared_ptr<DescriptorThread> thread_;
    std::shared_ptr<Socket> socket_;  // the peer's, for its stream
};

template <class T>
kj::Promise<Result<T>> PeerDescriptors::examine(
    ReceivedDescriptor received, std::function<Result<T>(ReceivedDescriptor)> examine) {
    if (!received.fd || !mayBlock(received.fd.get())) {
        return examine(std::move(received));
    }
    auto pair = kj::newPromiseAndFulfiller<Result<T>>();
    const auto fulfiller = ownedByLoop(loop_, kj::mv(pair.fulfiller));
    // With its charge: the job may wait, or be blocked, long after its caller has given it up.
    const auto shared = std::make_shared<ReceivedDescriptor>(std::move(received));
    const Result<> started = runOnThread([&loop = loop_, fulfiller, shared, examine] {
        const auto result = std::make_shared<Result<T>>(examine(std::move(*shared)));
        (void)loop.post([fulfiller, result] { (*fulfiller)->fulfill(std::move(*result)); });
    });
    if (!started) {
        close(std::move(*shared));
        return failureOf<T>(started);
    }
    return pair.promise.exclusiveJoin(
        loop_.timer().afterDelay(toKj(kExaminationTimeout)).then([]() -> Result<T> {
            return tl::unexpected<Error>(timeoutError());
        }));
}

}  // namespace nnburst::device
