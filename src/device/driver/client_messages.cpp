// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/client_messages.h"

#include <fmt/format.h>
#include <kj/debug.h>

#include <utility>

#include "device/driver/message_check.h"
#include "device/rpc/event_loop.h"
#include "device/rpc/kj_conversions.h"
#include "log/assert.h"
#include "log/client_log.h"
#include "log/logger.h"

namespace nnburst::device {

namespace {

/// MessageReader::sizeInWords of Cap'n Proto 0.9 needs a root that was read before.
std::uint64_t sizeOf(capnp::MessageReader& message) {
    std::uint64_t bytes = 0;
    for (unsigned id = 0;; ++id) {
        const kj::ArrayPtr<const capnp::word> segment = message.getSegment(id);
        if (segment.begin() == nullptr) {  // not for an empty one
            return bytes;
        }
        bytes += segment.asBytes().size();
    }
}

}  // namespace

ClientMessages::ClientMessages(SharedPeer peer, kj::AsyncCapabilityStream& stream)
    : peer_(std::move(peer)), openCalls_(peer_->account()), stream_(stream) {}

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> ClientMessages::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd> fdSpace, capnp::ReaderOptions options,
    kj::ArrayPtr<capnp::word> scratchSpace) {
    return whenMayRead()
        .then([this, fdSpace, options, scratchSpace] {
            return stream_.tryReadMessage(fdSpace, options, scratchSpace);
        })
        .then([this](kj::Maybe<capnp::MessageReaderAndFds>&& read)
                  -> kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> {
            KJ_IF_MAYBE (message, read) {
                peer_->dropReadCharge();
                Result<Charge> charge = chargeFor(*message->reader);
                if (!charge) {
                    return overLimit(charge.error());
                }
                message->reader = message->reader.attach(kj::heap(std::move(*charge)));
            }
            return kj::mv(read);
        });
}

Result<Charge> ClientMessages::chargeFor(capnp::MessageReader& message) {
    NNBURST_TRY(sent_);
    const auto root = message.getRoot<capnp::rpc::Message>();
    NNBURST_TRY(openCalls_.noteReceived(root));
    NNBURST_TRY(checkMessage(root));
    return chargeTo(peer_->account(), Resource::MESSAGES,
                    sizeOf(message) + kBytesBesideMessage * (1 + countCapabilities(root)));
}

/// A message that exceeds a limit is sent all the same, since the RPC system has made its objects;
/// the next one that comes ends the connection.
void ClientMessages::noteSent(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
    capnp::SegmentArrayMessageReader message(segments);
    if (Result<> noted = openCalls_.noteSent(message.getRoot<capnp::rpc::Message>()); !noted) {
        sent_ = std::move(noted);
    }
}

kj::Promise<void> ClientMessages::writeMessage(
    kj::ArrayPtr<const int> fds, kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
    noteSent(segments);
    return counted(kj::evalNow([&] { return stream_.writeMessage(fds, segments); }), 1);
}

kj::Promise<void> ClientMessages::writeMessages(
    kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) {
    for (const auto segments : messages) {
        noteSent(segments);
    }
    return counted(kj::evalNow([&] { return stream_.writeMessages(messages); }), messages.size());
}

Result<Charge> ClientMessages::chargeUnwritten(std::uint64_t bytes) const {
    return bytes <= OpenCalls::kBytesOfCall ? Charge()
                                            : chargeTo(peer_->account(), Resource::MESSAGES, bytes);
}

kj::Promise<void> ClientMessages::counted(kj::Promise<void> write, std::size_t messages) {
    ++writeCount_;
    return write.then([this, messages] { endWrite(messages); },
                      [this, messages](kj::Exception&& exception) {
                          endWrite(messages);
                          logFailedWrite(exception);
                          kj::throwFatalException(kj::mv(exception));
                      });
}

/// The RPC system ends the connection without a reason.
void ClientMessages::logFailedWrite(const kj::Exception& exception) const {
    if (exception.getType() == kj::Exception::Type::DISCONNECTED) {
        return;  // the client has gone
    }
    const SharedAccount& account = peer_->account();
    clientLog().write(LogLevel::WARNING,
                      fmt::format("cannot send to {}, which is disconnected: {}",
                                  account == nullptr ? "the client" : account->name(),
                                  toError(exception).message));
}

/// A call is answered by a write, so no other event lets the reader go on.
void ClientMessages::endWrite(std::size_t messages) {
    NNBURST_ASSERT(writeCount_ > 0, "a write has ended that did not begin");
    --writeCount_;
    NNBURST_ASSERT(messages <= unwritten_.size(), "{} messages are written of {} that were sent",
                   messages, unwritten_.size());
    unwritten_.erase(unwritten_.begin(),
                     unwritten_.begin() + static_cast<std::ptrdiff_t>(messages));
    if (mayRead() && whenMayRead_.get() != nullptr) {
        auto waiting = kj::mv(whenMayRead_);
        waiting->fulfill();
    }
}

kj::Promise<void> ClientMessages::whenMayRead() {
    if (mayRead()) {
        return kj::READY_NOW;
    }
    auto pair = kj::newPromiseAndFulfiller<void>();
    whenMayRead_ = kj::mv(pair.fulfiller);
    return kj::mv(pair.promise);
}

}  // namespace nnburst::device
