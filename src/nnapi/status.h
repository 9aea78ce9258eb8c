// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the functions of the C API answer: a result code of NNAPI, with a message for the log. No
/// exception leaves a function of the API.

#include <android/NeuralNetworks.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "nnapi/process.h"
#include "nnburst/result.h"

namespace nnburst::nnapi {

/// A result code, and if it is not NO_ERROR, a message that says what was wrong.
struct [[nodiscard]] Status {
    int code = ANEURALNETWORKS_NO_ERROR;
    std::string message;

    [[nodiscard]] bool isOk() const noexcept { return code == ANEURALNETWORKS_NO_ERROR; }
};

template <class... Arguments>
[[nodiscard]] Status refused(int code, fmt::format_string<Arguments...> format,
                             Arguments&&... arguments) {
    return {code, fmt::format(format, std::forward<Arguments>(arguments)...)};
}
template <class... Arguments>
[[nodiscard]] Status badData(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    return {ANEURALNETWORKS_BAD_DATA, fmt::format(format, std::forward<Arguments>(arguments)...)};
}
template <class... Arguments>
[[nodiscard]] Status badState(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    return {ANEURALNETWORKS_BAD_STATE, fmt::format(format, std::forward<Arguments>(arguments)...)};
}

/// The result code for the status of a HAL call. DEVICE_UNAVAILABLE becomes UNAVAILABLE_DEVICE.
[[nodiscard]] int toResultCode(ErrorStatus status) noexcept;
/// The same for a call of a prepared model. It is dead when its driver is gone, so that
/// DEVICE_UNAVAILABLE becomes DEAD_OBJECT. Arguments were checked when they were set: what the
/// device finds wrong when it executes are values and dimensions that an operation does not take.
/// So INVALID_ARGUMENT becomes OP_FAILED unless the program has chosen the devices.
[[nodiscard]] int toExecutionResultCode(ErrorStatus status, bool areDevicesChosen) noexcept;

/// Writes "function: message" to the log.
void logRefusal(const char* function, int code, const std::string& message) noexcept;
/// Logs that a pointer is null and gives UNEXPECTED_NULL; DEAD_OBJECT without a line in the log, as
/// answer(), in a child that cannot use devices: objects that it was refused are null.
[[nodiscard]] int refuseNull(const char* function) noexcept;
/// The code for the exception that is being handled, which it logs.
[[nodiscard]] int resultCodeOfException(const char* function) noexcept;

/// Runs `body`, which gives a Status, for the API's `function`: logs what was refused and stops
/// exceptions. DEAD_OBJECT, without a line in the log, whose lock another thread of the parent may
/// have held, in a child that cannot use devices.
template <class Body>
[[nodiscard]] int answer(const char* function, Body&& body) noexcept {
    if (hasDevicesOfParent()) {
        return ANEURALNETWORKS_DEAD_OBJECT;
    }
    try {
        const Status status = body();
        if (!status.isOk()) {
            logRefusal(function, status.code, status.message);
        }
        return status.code;
    } catch (...) {
        return resultCodeOfException(function);
    }
}

}  // namespace nnburst::nnapi

/// Returns `expression` (a `Status`) from the enclosing function, if it refuses.
#define NNBURST_NNAPI_TRY(expression)                                                     \
    do {                                                                                  \
        if (::nnburst::nnapi::Status nnburstTried = (expression); !nnburstTried.isOk()) { \
            return nnburstTried;                                                          \
        }                                                                                 \
    } while (false)
