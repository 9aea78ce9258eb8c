// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/peer_descriptors.h"

#include <fmt/format.h>
#include <kj/debug.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "device/rpc/descriptor_thread.h"
#include "device/rpc/descriptors.h"
#include "device/rpc/peer_socket.h"
#include "device/rpc/promise_timeout.h"
#include "log/client_log.h"

namespace nnburst::device {

namespace {

/// A descriptor that has arrived, and its stand-in.
constexpr std::uint64_t kDescriptorsOfArrival = 2;

/// After its message has come, a descriptor is claimed within this time, except for one of a
/// capability that is still a promise.
constexpr kj::Duration kClaimedWithin = 1 * kj::SECONDS;

}  // namespace

kj::Exception overLimit(const Error& error) {
    clientLog().write(LogLevel::WARNING, "a client is cut off: " + error.message);
    return KJ_EXCEPTION(OVERLOADED, error.message);
}

PeerFile::~PeerFile() {
    if (file_.fd && !closesAtOnce(file_.fd.get())) {
        dropOn(thread_, std::move(file_));
    }
}

SharedRegion droppedOn(std::shared_ptr<DescriptorThread> thread, SharedRegion region) {
    const Region* const pointer = region.get();
    return {pointer, [thread = std::move(thread),
                      region = std::move(region)](const Region* /*pointer*/) mutable noexcept {
                if (closesAtOnce(region->fd())) {
                    region = nullptr;
                } else {
                    dropOn(thread, std::move(region));
                }
            }};
}

Result<std::shared_ptr<PeerDescriptors>> PeerDescriptors::create(
    EventLoop& loop, const kj::AsyncCapabilityStream& stream, SharedAccount account) {
    UniqueFd standIn(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!standIn) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            fmt::format("cannot create an eventfd for a connection: {}", std::strerror(errno)));
    }
    KJ_IF_MAYBE (fd, stream.getFd()) {
        NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account, Resource::DESCRIPTORS, 1));
        NNBURST_TRY_ASSIGN(UniqueFd socket, UniqueFd::duplicate(*fd));
        // Reading would drop urgent bytes, with their descriptors, without a word.
        const int isInline = 1;
        (void)::setsockopt(socket.get(), SOL_SOCKET, SO_OOBINLINE, &isInline, sizeof(isInline));
        return std::shared_ptr<PeerDescriptors>(
            new PeerDescriptors(loop, {.charge = std::move(charge), .fd = std::move(socket)},
                                std::move(standIn), std::move(account)));
    }
    return failure(ErrorStatus::INVALID_ARGUMENT, "cannot serve a connection that is no socket");
}

PeerDescriptors::PeerDescriptors(EventLoop& loop, ReceivedDescriptor socket, UniqueFd standIn,
                                 SharedAccount account)
    : loop_(loop),
      account_(std::move(account)),
      standIn_(std::move(standIn)),
      thread_(account_ == nullptr ? DescriptorThread::ofSockets()
                                  : std::make_shared<DescriptorThread>(account_)),
      socket_(std::make_shared<Socket>(thread_, std::move(socket))) {}

PeerDescriptors::~PeerDescriptors() {
    for (Arrived& arrived : arrived_) {
        close(std::move(arrived.received));
    }
}

std::size_t PeerDescriptors::acceptedCount() const noexcept {
    return account_ == nullptr ? 0
                               : std::min<std::size_t>(account_->available(Resource::DESCRIPTORS) /
                                                           kDescriptorsOfArrival,
                                                       kMaximumFdsAtOnce);
}

void PeerDescriptors::noteRefusal(std::size_t count) {
    auto charge = chargeTo(account_, Resource::DESCRIPTORS, count * kDescriptorsOfArrival);
    noteRefusal(charge ? Error{ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                               "received descriptor is lost: there was no room for it"}
                       : std::move(charge.error()));
}

void PeerDescriptors::noteRefusal(Error error) {
    refusal_ = std::move(error);
    refusedAt_ = loop_.timer().now();
}

UniqueFd PeerDescriptors::keep(UniqueFd fd) {
    auto charge = chargeTo(account_, Resource::DESCRIPTORS, kDescriptorsOfArrival);
    auto standIn = charge ? UniqueFd::duplicate(standIn_.get()) : failureOf<UniqueFd>(charge);
    if (!standIn) {
        noteRefusal(std::move(standIn.error()));
        refuse(std::move(fd));
        return {};
    }
    // The RPC system has closed the earlier stand-in of this number.
    const auto stale = std::find_if(arrived_.begin(), arrived_.end(), [&](const Arrived& arrived) {
        return arrived.standIn == standIn->get();
    });
    if (stale != arrived_.end()) {
        close(std::move(stale->received));
        arrived_.erase(stale);
    }
    if (arrived_.size() >= kMaximumUnclaimed) {
        close(std::move(arrived_.front().received));
        arrived_.pop_front();
    }
    arrived_.push_back({.standIn = standIn->get(),
                        .received = {.charge = std::move(*charge), .fd = std::move(fd)}});
    return std::move(*standIn);
}

kj::Promise<Result<ReceivedDescriptor>> PeerDescriptors::claim(
    capnp::Capability::Client capability) {
    auto held = kj::heap<capnp::Capability::Client>(kj::mv(capability));
    auto number = held->getFd();
    return number.exclusiveJoin(resolutionTimeout<kj::Maybe<int>>(loop_))
        .then([self = shared_from_this()](kj::Maybe<int> received) -> Result<ReceivedDescriptor> {
            KJ_IF_MAYBE (standIn, received) {
                auto& arrived = self->arrived_;
                const auto found = std::find_if(
                    arrived.begin(), arrived.end(),
                    [&](const Arrived& candidate) { return candidate.standIn == *standIn; });
                if (found != arrived.end()) {
                    ReceivedDescriptor claimed = std::move(found->received);
                    arrived.erase(found);
                    return claimed;
                }
            }
            // Others may have been kept since: what was refused is claimed after its message is
            // read.
            if (self->refusal_ && self->loop_.timer().now() - self->refusedAt_ < kClaimedWithin) {
                return tl::unexpected<Error>(*self->refusal_);
            }
            if (const Result<> free = checkDescriptorsFree(self->standIn_.get()); !free) {
                return tl::unexpected<Error>(free.error());
            }
            return ReceivedDescriptor();
        })
        .attach(kj::mv(held));
}

void PeerDescriptors::refuse(UniqueFd fd) {
    if (fd) {
        auto charge = chargeTo(account_, Resource::DESCRIPTORS, 1);
        close({.charge = charge ? std::move(*charge) : Charge(), .fd = std::move(fd)});
    }
}

void PeerDescriptors::close(ReceivedDescriptor received) {
    if (received.fd) {
        dropOn(thread_, std::move(received));
    }
}

Result<> PeerDescriptors::runOnThread(std::function<void()> job) {
    return thread_->run(std::move(job));
}

Error PeerDescriptors::timeoutError() {
    return {ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            fmt::format("cannot examine a received descriptor: its file system has not answered "
                        "for {} ms",
                        kExaminationTimeout.count())};
}

}  // namespace nnburst::device
