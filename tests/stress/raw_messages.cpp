// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "raw_messages.h"

#include <capnp/message.h>
#include <capnp/rpc.capnp.h>
#include <capnp/serialize.h>

#include <span>

#include "device/rpc/conversion.h"
#include "device/rpc/nnburst.capnp.h"

namespace nnburst::stress {

namespace {

constexpr std::uint32_t kDoorQuestion = 0;
constexpr std::uint32_t kOpenQuestion = 1;
// Ordinals of the methods in nnburst.capnp.
constexpr std::uint16_t kOpenMethod = 0;
constexpr std::uint16_t kGetCapabilitiesMethod = 0;
constexpr std::uint16_t kGetSupportedOperationsMethod = 6;
constexpr std::uint16_t kPrepareModelMethod = 7;
/// `device` among the pointers of the results of Driver.open, after `status`.
constexpr std::uint16_t kDevicePointer = 1;

void append(std::vector<std::byte>& bytes, capnp::MessageBuilder& message) {
    const auto words = capnp::messageToFlatArray(message);
    const auto flat = words.asBytes();
    for (const kj::byte byte : flat) {
        bytes.push_back(static_cast<std::byte>(byte));
    }
}

capnp::rpc::Call::Builder initDeviceCall(capnp::MallocMessageBuilder& message,
                                         std::uint32_t question, std::uint16_t method) {
    auto call = message.initRoot<capnp::rpc::Message>().initCall();
    call.setQuestionId(question);
    auto answer = call.initTarget().initPromisedAnswer();
    answer.setQuestionId(kOpenQuestion);
    answer.initTransform(1)[0].setGetPointerField(kDevicePointer);
    call.setInterfaceId(capnp::typeId<rpc::Device>());
    call.setMethodId(method);
    return call;
}

}  // namespace

std::vector<std::byte> openingMessages() {
    std::vector<std::byte> bytes;
    capnp::MallocMessageBuilder door;
    door.initRoot<capnp::rpc::Message>().initBootstrap().setQuestionId(kDoorQuestion);
    append(bytes, door);
    const std::vector<std::byte> open = openingCall(kOpenQuestion);
    bytes.insert(bytes.end(), open.begin(), open.end());
    return bytes;
}

std::vector<std::byte> openingCall(std::uint32_t question) {
    std::vector<std::byte> bytes;
    capnp::MallocMessageBuilder open;
    auto call = open.initRoot<capnp::rpc::Message>().initCall();
    call.setQuestionId(question);
    call.initTarget().initPromisedAnswer().setQuestionId(kDoorQuestion);
    call.setInterfaceId(capnp::typeId<rpc::Driver>());
    call.setMethodId(kOpenMethod);
    call.initParams().getContent().initAs<rpc::Driver::OpenParams>().setProtocolVersion(
        rpc::PROTOCOL_VERSION);
    append(bytes, open);
    return bytes;
}

std::vector<std::byte> capabilitiesCall(std::uint32_t question) {
    std::vector<std::byte> bytes;
    capnp::MallocMessageBuilder message;
    auto call = initDeviceCall(message, question, kGetCapabilitiesMethod);
    call.initParams().getContent().initAs<rpc::Device::GetCapabilitiesParams>();
    append(bytes, message);
    return bytes;
}

std::vector<std::byte> callWithCapabilities(std::uint32_t question, std::uint32_t count) {
    std::vector<std::byte> bytes;
    capnp::MallocMessageBuilder message(4 * count + 1000);
    auto call = initDeviceCall(message, question, kGetCapabilitiesMethod);
    call.initParams().getContent().initAs<rpc::Device::GetCapabilitiesParams>();
    auto capabilities = call.getParams().initCapTable(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        capabilities[i].setSenderHosted(i);
    }
    append(bytes, message);
    return bytes;
}

std::vector<std::byte> messageOfRepeatedBytes(std::uint16_t which, std::uint32_t count,
                                              std::uint32_t bytes) {
    // Pointers as in the encoding of Cap'n Proto: kind and offset in words, then sizes.
    constexpr std::uint64_t kOneWordAndOnePointer =
        (std::uint64_t{1} << 32) | (std::uint64_t{1} << 48);
    const auto listPointer = [](std::uint64_t offset, std::uint64_t elementSize,
                                std::uint64_t elements) {
        constexpr std::uint64_t kList = 1;
        return kList | (offset << 2) | (elementSize << 32) | (elements << 35);
    };
    constexpr std::uint64_t kBytes = 2;
    constexpr std::uint64_t kPointers = 6;
    std::vector<std::uint64_t> words{0, kOneWordAndOnePointer, which,
                                     listPointer(0, kPointers, count)};
    for (std::uint32_t i = 0; i < count; ++i) {
        words.push_back(listPointer(count - i - 1, kBytes, bytes));
    }
    words.resize(words.size() + (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    words[0] = (words.size() - 1) << 32;  // one segment of so many words
    const auto flat = std::as_bytes(std::span(words));
    return {flat.begin(), flat.end()};
}

std::vector<std::byte> modelCall(std::uint32_t question, const Model& model, bool isPreparation) {
    std::vector<std::byte> bytes;
    // One segment, as readers of these bytes may expect.
    constexpr unsigned kMaximumWords = 1 << 20;
    capnp::MallocMessageBuilder message(kMaximumWords);
    auto call = initDeviceCall(message, question,
                               isPreparation ? kPrepareModelMethod : kGetSupportedOperationsMethod);
    auto content = call.initParams().getContent();
    if (isPreparation) {
        auto params = content.initAs<rpc::Device::PrepareModelParams>();
        (void)device::structureToMessage(model, params.initModel());
        device::toMessage(PrepareOptions(), params.initOptions());
    } else {
        auto params = content.initAs<rpc::Device::GetSupportedOperationsParams>();
        (void)device::structureToMessage(model, params.initModel());
    }
    append(bytes, message);
    return bytes;
}

}  // namespace nnburst::stress
