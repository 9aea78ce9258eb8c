// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/message_check.h"

#include <fmt/format.h>

#include <cstdint>

#include "device/rpc/resolution_check.h"
#include "model/invalid.h"

namespace nnburst::device {

namespace {

/// The RPC system copies the texts of an exception and nothing else. Looks at no other pointer:
/// many may lead to the same bytes, so that following all of them could take 20 ms of the event
/// loop.
Result<> checkException(capnp::rpc::Exception::Reader exception) {
    const std::uint64_t bytes =
        std::uint64_t{exception.getReason().size()} + exception.getTrace().size();
    if (bytes > kMaximumExceptionBytes) {
        return invalid("message with an exception of {} bytes: must be at most {}", bytes,
                       kMaximumExceptionBytes);
    }
    return {};
}

Result<> checkSteps(capnp::rpc::PromisedAnswer::Reader promise) {
    const std::size_t steps = promise.getTransform().size();
    if (steps > kMaximumPromiseSteps) {
        return invalid("message with {} steps to a promised object: must be at most {}", steps,
                       kMaximumPromiseSteps);
    }
    return {};
}

Result<> checkTarget(capnp::rpc::MessageTarget::Reader target) {
    return target.isPromisedAnswer() ? checkSteps(target.getPromisedAnswer()) : Result<>();
}

Result<> checkCapability(capnp::rpc::CapDescriptor::Reader capability) {
    if (capability.isReceiverAnswer()) {
        return invalid(
            "message with an object of an answer that has not come: must name objects of answers "
            "that were received");
    }
    return {};
}

Result<> checkCapabilities(capnp::rpc::Payload::Reader payload) {
    for (const auto capability : payload.getCapTable()) {
        NNBURST_TRY(checkCapability(capability));
    }
    return {};
}

Result<> checkCall(capnp::rpc::Call::Reader call) {
    if (!call.getSendResultsTo().isCaller()) {
        return invalid("call whose results are not for the client");
    }
    NNBURST_TRY(checkTarget(call.getTarget()));
    return checkCapabilities(call.getParams());
}

Result<> checkReturn(capnp::rpc::Return::Reader answer) {
    if (answer.isException()) {
        return checkException(answer.getException());
    }
    return answer.isResults() ? checkCapabilities(answer.getResults()) : Result<>();
}

Result<> checkResolve(capnp::rpc::Resolve::Reader resolve) {
    return resolve.isException() ? checkException(resolve.getException())
                                 : checkResolution(resolve);
}

}  // namespace

Result<> checkMessage(capnp::rpc::Message::Reader message) {
    switch (message.which()) {
        case capnp::rpc::Message::UNIMPLEMENTED:
        case capnp::rpc::Message::BOOTSTRAP:
        case capnp::rpc::Message::FINISH:
        case capnp::rpc::Message::RELEASE:
            return {};
        case capnp::rpc::Message::ABORT:
            return checkException(message.getAbort());
        case capnp::rpc::Message::CALL:
            return checkCall(message.getCall());
        case capnp::rpc::Message::RETURN:
            return checkReturn(message.getReturn());
        case capnp::rpc::Message::RESOLVE:
            return checkResolve(message.getResolve());
        case capnp::rpc::Message::DISEMBARGO:
            return checkTarget(message.getDisembargo().getTarget());
        default:
            return invalid("message of kind {}, which no client sends",
                           static_cast<unsigned>(message.which()));
    }
}

}  // namespace nnburst::device
