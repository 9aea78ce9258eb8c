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
/// Descriptors that may block are examined and closed on a thread of this peer, with a time limit.
/// If that thread is blocked, later descriptors of the same peer fail; other peers notice nothing.

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
#include "device/rpc/event_loop.h"
#include "nnburst/result.h"
#include "nnburst/unique_fd.h"

namespace nnburst::device {

class DescriptorThread;

/// The exception that ends the connection of a client that exceeds a limit. Logs it.
[[nodiscard]] kj::Exception overLimit(const Error& error);

/// Whether fstat(2), poll(2) or close(2) on a descriptor may wait for another process: regular
/// files and directories other than memfds and shared memory. Does not block itself.
[[nodiscard]] bool mayBlock(int fd) noexcept;

/// Used on the event loop's thread only, except for the destructor.
class PeerDescriptors final : public std::enable_shared_from_this<PeerDescriptors> {
  public:
    /// Descriptors that arrived and were not claimed. Beyond that the oldest is closed.
    static constexpr std::size_t kMaximumUnclaimed = 1024;
    /// An examination that takes longer fails.
    static constexpr std::chrono::milliseconds kExaminationTimeout{1000};

    /// Received descriptors are charged to `account`, which may be null.
    [[nodiscard]] static Result<std::shared_ptr<PeerDescriptors>> create(
        EventLoop& loop, SharedAccount account = nullptr);
    ~PeerDescriptors();
    PeerDescriptors(const PeerDescriptors&) = delete;
    PeerDescriptors& operator=(const PeerDescriptors&) = delete;

    /// A stream that reads from `stream` and keeps the descriptors that arrive.
    [[nodiscard]] kj::Own<kj::AsyncCapabilityStream> wrap(
        kj::Own<kj::AsyncCapabilityStream> stream);

    /// The descriptor that arrived with `capability`. It can be claimed once. Invalid if there is
    /// none; RESOURCE_EXHAUSTED_* if it was not accepted because of a limit.
    [[nodiscard]] kj::Promise<Result<UniqueFd>> claim(capnp::Capability::Client capability);

    /// What the peer is charged for. Null if it is not.
    [[nodiscard]] const SharedAccount& account() const noexcept { return account_; }

    /// Calls `examine` with a descriptor: here if that cannot block, else on the peer's thread.
    /// RESOURCE_EXHAUSTED_TRANSIENT after kExaminationTimeout, or if the peer has too many
    /// descriptors to examine.
    template <class T>
    [[nodiscard]] kj::Promise<Result<T>> examine(UniqueFd fd,
                                                 std::function<Result<T>(UniqueFd)> examine);

    /// A message is read into memory that is charged as soon as its size is known. Gives that
    /// charge back: the message has come.
    void dropReadCharge() noexcept { readCharge_ = Charge(); }

    /// Closes a descriptor without blocking.
    void close(UniqueFd fd);

  private:
    class Stream;
    struct Arrived {
        int standIn;
        UniqueFd fd;
        Charge charge;
    };

    PeerDescriptors(EventLoop& loop, UniqueFd standIn, SharedAccount account);

    /// Keeps a descriptor and returns its stand-in, or an invalid one if the system gives none.
    [[nodiscard]] UniqueFd keep(UniqueFd fd);
    [[nodiscard]] Result<> runOnThread(std::function<void()> job);
    [[nodiscard]] static Error timeoutError();

    EventLoop& loop_;
    const SharedAccount account_;
    const UniqueFd standIn_;  // an eventfd that is never signalled
    std::deque<Arrived> arrived_;
    Charge readCharge_;             // of the message that is being read
    std::optional<Error> refusal_;  // why the last descriptor that came was not kept
    const std::shared_ptr<DescriptorThread> thread_;
};

template <class T>
kj::Promise<Result<T>> PeerDescriptors::examine(UniqueFd fd,
                                                std::function<Result<T>(UniqueFd)> examine) {
    if (!fd || !mayBlock(fd.get())) {
        return examine(std::move(fd));
    }
    auto pair = kj::newPromiseAndFulfiller<Result<T>>();
    const auto fulfiller = ownedByLoop(loop_, kj::mv(pair.fulfiller));
    const auto shared = std::make_shared<UniqueFd>(std::move(fd));
    const Result<> started = runOnThread([&loop = loop_, fulfiller, shared, examine] {
        const auto result = std::make_shared<Result<T>>(examine(std::move(*shared)));
        (void)loop.post([fulfiller, result] { (*fulfiller)->fulfill(std::move(*result)); });
    });
    if (!started) {
        close(std::move(*shared));
        return Result<T>(tl::unexpected<Error>(started.error()));
    }
    return pair.promise.exclusiveJoin(
        loop_.timer()
            .afterDelay(static_cast<std::int64_t>(kExaminationTimeout.count()) * kj::MILLISECONDS)
            .then([]() -> Result<T> { return tl::unexpected<Error>(timeoutError()); }));
}

}  // namespace nnburst::device
