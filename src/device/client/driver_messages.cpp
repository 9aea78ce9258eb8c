// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/client/driver_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/rpc/resolution_check.h"
#include "log/logger.h"
#include "model/invalid.h"

namespace nnburst::device {

namespace {

bool isAnswer(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
    capnp::SegmentArrayMessageReader message(segments);
    return message.getRoot<capnp::rpc::Message>().isReturn();
}

}  // namespace

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> DriverMessages::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd> fdSpace, capnp::ReaderOptions options,
    kj::ArrayPtr<capnp::word> scratchSpace) {
    return stream_.tryReadMessage(fdSpace, options, scratchSpace)
        .then([this](kj::Maybe<capnp::MessageReaderAndFds>&& read)
                  -> kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> {
            KJ_IF_MAYBE (message, read) {
                const Result<> noted =
                    noteReceived(message->reader->getRoot<capnp::rpc::Message>());
                if (!noted) {
                    logger().warn("a driver is cut off: {}", noted.error().message);
                    cutOff_.fulfiller->fulfill();
                    return KJ_EXCEPTION(FAILED, noted.error().message);
                }
            }
            return kj::mv(read);
        });
}

Result<> DriverMessages::noteReceived(capnp::rpc::Message::Reader message) {
    switch (message.which()) {
        case capnp::rpc::Message::BOOTSTRAP:
            return noteCall(message.getBootstrap().getQuestionId());
        case capnp::rpc::Message::CALL:
            return noteCall(message.getCall().getQuestionId());
        case capnp::rpc::Message::FINISH:
            unfinished_.erase(message.getFinish().getQuestionId());
            return {};
        case capnp::rpc::Message::RESOLVE:
            return checkResolution(message.getResolve());
        case capnp::rpc::Message::UNIMPLEMENTED:
        case capnp::rpc::Message::ABORT:
        case capnp::rpc::Message::RETURN:
        case capnp::rpc::Message::RELEASE:
        case capnp::rpc::Message::DISEMBARGO:
            return {};
        default:
            return invalid("message of kind {}, which no driver sends",
                           static_cast<unsigned>(message.which()));
    }
}

Result<> DriverMessages::noteCall(std::uint32_t number) {
    unfinished_.insert(number);
    ++unanswered_;
    if (unfinished_.size() > kMaximumUnfinished || unanswered_ > kMaximumUnanswered) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            fmt::format("it has not finished {} calls (at most {}) or not read the "
                        "answers to {} (at most {})",
                        unfinished_.size(), kMaximumUnfinished, unanswered_, kMaximumUnanswered));
    }
    return {};
}

kj::Promise<void> DriverMessages::writeMessage(
    kj::ArrayPtr<const int> fds, kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
    return counted(stream_.writeMessage(fds, segments), isAnswer(segments) ? 1 : 0);
}

kj::Promise<void> DriverMessages::writeMessages(
    kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) {
    const auto answers = std::count_if(messages.begin(), messages.end(), isAnswer);
    return counted(stream_.writeMessages(messages), static_cast<std::size_t>(answers));
}

kj::Promise<void> DriverMessages::counted(kj::Promise<void> write, std::size_t answers) {
    return write.then([this, answers] { unanswered_ -= answers; });
}

}  // namespace nnburst::device
