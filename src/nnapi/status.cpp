// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/status.h"

#include <exception>
#include <new>

#include "nnburst/log_message.h"

namespace nnburst::nnapi {

int toResultCode(ErrorStatus status) noexcept {
    switch (status) {
        case ErrorStatus::NONE:
            return ANEURALNETWORKS_NO_ERROR;
        case ErrorStatus::DEVICE_UNAVAILABLE:
            return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
        case ErrorStatus::GENERAL_FAILURE:
            return ANEURALNETWORKS_OP_FAILED;
        case ErrorStatus::OUTPUT_INSUFFICIENT_SIZE:
            return ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
        case ErrorStatus::INVALID_ARGUMENT:
            return ANEURALNETWORKS_BAD_DATA;
        case ErrorStatus::MISSED_DEADLINE_TRANSIENT:
            return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
        case ErrorStatus::MISSED_DEADLINE_PERSISTENT:
            return ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT;
        case ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT:
            return ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
        case ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT:
            return ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT;
    }
    return ANEURALNETWORKS_OP_FAILED;
}

int toExecutionResultCode(ErrorStatus status, bool areDevicesChosen) noexcept {
    if (status == ErrorStatus::DEVICE_UNAVAILABLE) {
        return ANEURALNETWORKS_DEAD_OBJECT;
    }
    if (status == ErrorStatus::INVALID_ARGUMENT && !areDevicesChosen) {
        return ANEURALNETWORKS_OP_FAILED;
    }
    return toResultCode(status);
}

void logRefusal(const char* function, int code, const std::string& message) noexcept {
    // An output that is too small is an ordinary answer: programs ask for dimensions this way.
    const LogLevel level =
        code == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE ? LogLevel::DEBUGGING : LogLevel::ERROR;
    try {
        logMessage(level, fmt::format("{}: {}", function, message));
    } catch (...) {
        logMessage(level, function);
    }
}

int refuseNull(const char* function) noexcept {
    if (hasDevicesOfParent()) {
        return ANEURALNETWORKS_DEAD_OBJECT;
    }
    logRefusal(function, ANEURALNETWORKS_UNEXPECTED_NULL, "a pointer is null that must not be");
    return ANEURALNETWORKS_UNEXPECTED_NULL;
}

int resultCodeOfException(const char* function) noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        logMessage(LogLevel::ERROR, function);
        return ANEURALNETWORKS_OUT_OF_MEMORY;
    } catch (const std::exception& exception) {
        logRefusal(function, ANEURALNETWORKS_OP_FAILED, exception.what());
    } catch (...) {
        logMessage(LogLevel::ERROR, function);
    }
    return ANEURALNETWORKS_OP_FAILED;
}

}  // namespace nnburst::nnapi
