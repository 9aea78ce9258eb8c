// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

namespace nnburst::serve {

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
