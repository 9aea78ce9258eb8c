// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/open_calls.h"

#include <fmt/format.h>

#include <utility>

namespace nnburst::device {

OpenCalls::OpenCalls(SharedAccount account) noexcept : account_(std::move(account)) {}

Result<> OpenCalls::noteReceived(capnp::rpc::Message::Reader message) {
    switch (message.which()) {
        case capnp::rpc::Message::BOOTSTRAP:
            return open(ofClient_, message.getBootstrap().getQuestionId());
        case capnp::rpc::Message::CALL:
            return open(ofClient_, message.getCall().getQuestionId());
        case capnp::rpc::Message::FINISH:
            ofClient_.erase(message.getFinish().getQuestionId());
            return {};
        case capnp::rpc::Message::RETURN:
            ofDriver_.erase(message.getReturn().getAnswerId());
            return {};
        default:
            return {};
    }
}

Result<> OpenCalls::noteSent(capnp::rpc::Message::Reader message) {
    if (!message.isCall()) {
        return {};
    }
    if (ofDriver_.size() >= kMaximumUnanswered) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            fmt::format("{} calls of callbacks are unanswered: must be fewer", ofDriver_.size()));
    }
    return open(ofDriver_, message.getCall().getQuestionId());
}

Result<> OpenCalls::open(Charges& calls, std::uint32_t number) {
    NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account_, Resource::MESSAGES, kBytesOfCall));
    calls.insert_or_assign(number, std::move(charge));
    return {};
}

std::uint64_t countCapabilities(capnp::rpc::Message::Reader message) {
    switch (message.which()) {
        case capnp::rpc::Message::CALL:
            return message.getCall().getParams().getCapTable().size();
        case capnp::rpc::Message::RETURN: {
            const auto answer = message.getReturn();
            return answer.isResults() ? answer.getResults().getCapTable().size() : 0;
        }
        default:
            return 0;
    }
}

}  // namespace nnburst::device
