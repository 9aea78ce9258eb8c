// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/driver/open_calls.h"

#include <fmt/format.h>

#include <utility>

namespace nnburst::device {

OpenCalls::OpenCalls(SharedAccount account) noexcept : account_(std::move(account)) {}

Result<> OpenCalls::noteReceived(capnp::rpc::Message::Reader message) {
    const std::uint64_t capabilities = countCapabilities(message);
    if (capabilities > kMaximumCapabilities) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                       fmt::format("message with {} capabilities: must be at most {}", capabilities,
                                   kMaximumCapabilities));
    }
    switch (message.which()) {
        case capnp::rpc::Message::BOOTSTRAP:
            return open(ofClient_, message.getBootstrap().getQuestionId());
        case capnp::rpc::Message::CALL: {
            const std::uint32_t number = message.getCall().getQuestionId();
            // A number that is in use ends the connection when the RPC system sees it.
            if (!unanswered_.contains(number)) {
                NNBURST_TRY_ASSIGN(Charge charge, chargeTo(account_, Resource::CALLS, 1));
                unanswered_.emplace(number, UnansweredCall{.charge = std::move(charge),
                                                           .capabilities = capabilities});
                unansweredCapabilities_ += capabilities;
            }
            return open(ofClient_, number);
        }
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
    if (message.isReturn()) {
        if (const auto call = unanswered_.extract(message.getReturn().getAnswerId())) {
            unansweredCapabilities_ -= call.mapped().capabilities;
        }
    }
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
