// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/kj_conversions.h"

#include <cstddef>
#include <string>

namespace nnburst::device {

namespace {

/// The description without the call that KJ writes before the system's reason: "::recvmsg(fd, &msg,
/// RECVMSG_FLAGS): Connection reset by peer".
std::string reasonOf(const kj::Exception& exception) {
    std::string description = exception.getDescription().cStr();
    const std::size_t end = description.find("): ");
    if (description.starts_with("::") && end != std::string::npos) {
        description.erase(0, end + 3);
    }
    return description;
}

}  // namespace

Error toError(const kj::Exception& exception) {
    const std::string description = reasonOf(exception);
    switch (exception.getType()) {
        case kj::Exception::Type::DISCONNECTED:
            return {ErrorStatus::DEVICE_UNAVAILABLE, "the connection is lost: " + description};
        case kj::Exception::Type::OVERLOADED:
            return {ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "RPC refused: " + description};
        case kj::Exception::Type::FAILED:
        case kj::Exception::Type::UNIMPLEMENTED:
            break;
    }
    return {ErrorStatus::GENERAL_FAILURE, "RPC failed: " + description};
}

}  // namespace nnburst::device
