// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/result.h"

namespace nnburst {

const char* toString(ErrorStatus status) noexcept {
    switch (status) {
        case ErrorStatus::NONE:
            return "NONE";
        case ErrorStatus::DEVICE_UNAVAILABLE:
            return "DEVICE_UNAVAILABLE";
        case ErrorStatus::GENERAL_FAILURE:
            return "GENERAL_FAILURE";
        case ErrorStatus::OUTPUT_INSUFFICIENT_SIZE:
            return "OUTPUT_INSUFFICIENT_SIZE";
        case ErrorStatus::INVALID_ARGUMENT:
            return "INVALID_ARGUMENT";
        case ErrorStatus::MISSED_DEADLINE_TRANSIENT:
            return "MISSED_DEADLINE_TRANSIENT";
        case ErrorStatus::MISSED_DEADLINE_PERSISTENT:
            return "MISSED_DEADLINE_PERSISTENT";
        case ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT:
            return "RESOURCE_EXHAUSTED_TRANSIENT";
        case ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT:
            return "RESOURCE_EXHAUSTED_PERSISTENT";
    }
    return "unknown status";
}

}  // namespace nnburst
