// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The return type of every call that can fail: a `Result` holds a value or an `Error`, which is a
/// HAL status with a message for people. The library throws no exceptions.

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "nnburst/export.h"

namespace nnburst {

/// Status of a call, with the codes of HAL 1.3 (types.hal, ErrorStatus).
enum class ErrorStatus : std::int32_t {
    NONE = 0,
    DEVICE_UNAVAILABLE = 1,        ///< the driver is gone, hangs, or is offline
    GENERAL_FAILURE = 2,           ///< any other failure
    OUTPUT_INSUFFICIENT_SIZE = 3,  ///< an output buffer is too small; the output shapes say which
    INVALID_ARGUMENT = 4,          ///< a model, request or other argument breaks a rule
    MISSED_DEADLINE_TRANSIENT = 5,
    MISSED_DEADLINE_PERSISTENT = 6,
    RESOURCE_EXHAUSTED_TRANSIENT = 7,
    RESOURCE_EXHAUSTED_PERSISTENT = 8,
};

/// The name of `status` as the HAL spells it; "unknown status" for another value.
[[nodiscard]] NNBURST_EXPORT const char* toString(ErrorStatus status) noexcept;

/// True for the two statuses by which the HAL reports a missed deadline.
[[nodiscard]] constexpr bool isMissedDeadline(ErrorStatus status) noexcept {
    return status == ErrorStatus::MISSED_DEADLINE_TRANSIENT ||
           status == ErrorStatus::MISSED_DEADLINE_PERSISTENT;
}

/// True for the two statuses by which the HAL reports that a resource does not suffice.
[[nodiscard]] constexpr bool isResourceExhausted(ErrorStatus status) noexcept {
    return status == ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT ||
           status == ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT;
}

/// Why a call failed. `status` is never NONE. `message` says what was done, to what, the value that
/// was wrong and the rule that it broke.
struct Error {
    ErrorStatus status = ErrorStatus::GENERAL_FAILURE;
    std::string message;
};

/// A value or an `Error`, with the interface of C++23's `std::expected`. Look with `if (result)`
/// before `*result`; do not call `value()`, which throws.
template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  public:
    using tl::expected<T, Error>::expected;
    /// A default value. Written out, because the inherited constructor makes `return {}` write
    /// zeros over the space of an error.
    constexpr Result() noexcept(noexcept(T())) {}
};

/// `return failure(ErrorStatus::INVALID_ARGUMENT, "...")` from any function that gives a `Result`.
[[nodiscard]] inline tl::unexpected<Error> failure(ErrorStatus status, std::string message) {
    return tl::unexpected<Error>(Error{status, std::move(message)});
}

}  // namespace nnburst

#define NNBURST_CONCATENATE_INNER(a, b) a##b
#define NNBURST_CONCATENATE(a, b) NNBURST_CONCATENATE_INNER(a, b)

/// Returns the error of `expression` (a `Result`) from the enclosing function, if it is one.
#define NNBURST_TRY(expression)                                                       \
    do {                                                                              \
        if (auto nnburstTried = (expression); !nnburstTried) {                        \
            return tl::unexpected<::nnburst::Error>(std::move(nnburstTried.error())); \
        }                                                                             \
    } while (false)

/// Declares `declaration` with the value of `expression` (a `Result`), or returns its error.
#define NNBURST_TRY_ASSIGN(declaration, expression) \
    NNBURST_TRY_ASSIGN_INNER(NNBURST_CONCATENATE(nnburstTried, __LINE__), declaration, expression)
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration cannot stand in parentheses
#define NNBURST_TRY_ASSIGN_INNER(tried, declaration, expression)           \
    auto tried = (expression);                                             \
    if (!tried) {                                                          \
        return tl::unexpected<::nnburst::Error>(std::move(tried.error())); \
    }                                                                      \
    declaration = std::move(*tried)
