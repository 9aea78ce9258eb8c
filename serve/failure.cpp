// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

namespace nnburst::serve {
namespace {

/// gRPC's clients take 8 KiB of metadata, where a byte may take three.
constexpr std::size_t kMaximumMessageBytes = 1024;
constexpr std::string_view kEllipsis = "...";

/// Whether a text must not be cut before this byte of UTF-8.
bool continuesCharacter(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace

std::string shortened(std::string message) {
    if (message.size() <= kMaximumMessageBytes) {
        return message;
    }
    constexpr std::size_t kHalf = (kMaximumMessageBytes - kEllipsis.size()) / 2;
    std::size_t begin = kHalf;
    while (begin > 0 && continuesCharacter(message[begin])) {
        --begin;
    }
    std::size_t end = message.size() - kHalf;
    while (end < message.size() && continuesCharacter(message[end])) {
        ++end;
    }
    return message.replace(begin, end - begin, kEllipsis);
}

Code toCode(ErrorStatus status) noexcept {
    switch (status) {
        case ErrorStatus::INVALID_ARGUMENT:
            return Code::INVALID_ARGUMENT;
        case ErrorStatus::MISSED_DEADLINE_TRANSIENT:
        case ErrorStatus::MISSED_DEADLINE_PERSISTENT:
            return Code::DEADLINE_EXCEEDED;
        case ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT:
        case ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT:
            return Code::RESOURCE_EXHAUSTED;
        case ErrorStatus::DEVICE_UNAVAILABLE:
            return Code::UNAVAILABLE;
        case ErrorStatus::NONE:
        case ErrorStatus::GENERAL_FAILURE:
        case ErrorStatus::OUTPUT_INSUFFICIENT_SIZE:
            break;
    }
    return Code::INTERNAL;
}

Failure toFailure(Error error) {
    return {toCode(error.status), std::move(error.message)};
}

}  // namespace nnburst::serve
