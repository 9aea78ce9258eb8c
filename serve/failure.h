// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the calls of nnburst-serve answer: an `Outcome` holds a value or a `Failure`, whose code
/// both gRPC and HTTP have a status for. Errors of the library become failures by `toFailure`.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "nnburst/result.h"

namespace nnburst::serve {

enum class Code : std::uint8_t {
    INVALID_ARGUMENT,    ///< the request breaks a rule
    NOT_FOUND,           ///< no such model, version or region
    ALREADY_EXISTS,      ///< a region of that name is registered
    PERMISSION_DENIED,   ///< the options of the server forbid it
    DEADLINE_EXCEEDED,   ///< not done by the deadline of the request
    RESOURCE_EXHAUSTED,  ///< the queue is full, or the driver has no memory
    UNAVAILABLE,         ///< the model is not ready, the driver is lost, or the server ends
    UNIMPLEMENTED,
    INTERNAL,
};

struct Failure {
    Code code = Code::INTERNAL;
    std::string message;
};

/// A value or a failure. Not an ExecutionOutcome.
template <class T = void>
class [[nodiscard]] Outcome : public tl::expected<T, Failure> {
  public:
    using tl::expected<T, Failure>::expected;
};

/// Leaves out the middle of a message above 1 KiB. Names that clients send have any length, and
/// gRPC's clients take no long messages.
[[nodiscard]] std::string shortened(std::string message);

template <class... Args>
[[nodiscard]] tl::unexpected<Failure> refuse(Code code, fmt::format_string<Args...> format,
                                             Args&&... args) {
    return tl::unexpected<Failure>(
        Failure{code, shortened(fmt::format(format, std::forward<Args>(args)...))});
}

/// For a parameter of a request to load a model: there are none, since a model is loaded as its
/// folder has it.
[[nodiscard]] inline tl::unexpected<Failure> refuseLoadParameter(std::string_view model,
                                                                 std::string_view parameter) {
    return refuse(Code::UNIMPLEMENTED, "load model '{}': parameter {} is not supported", model,
                  parameter);
}

/// The code for a status of the HAL.
[[nodiscard]] Code toCode(ErrorStatus status) noexcept;

[[nodiscard]] Failure toFailure(Error error);
[[nodiscard]] inline Failure toFailure(Failure failure) {
    return failure;
}

}  // namespace nnburst::serve

/// Returns the failure of `expression` (an `Outcome` or a `Result`) from the enclosing function, if
/// it is one.
#define NNBURST_SERVE_TRY(expression)                                          \
    do {                                                                       \
        if (auto nnburstTried = (expression); !nnburstTried) {                 \
            return tl::unexpected<::nnburst::serve::Failure>(                  \
                ::nnburst::serve::toFailure(std::move(nnburstTried.error()))); \
        }                                                                      \
    } while (false)

/// Declares `declaration` with the value of `expression`, or returns its failure.
#define NNBURST_SERVE_TRY_ASSIGN(declaration, expression)                                    \
    NNBURST_SERVE_TRY_ASSIGN_INNER(NNBURST_CONCATENATE(nnburstTried, __LINE__), declaration, \
                                   expression)
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration cannot stand in parentheses
#define NNBURST_SERVE_TRY_ASSIGN_INNER(tried, declaration, expression) \
    auto tried = (expression);                                         \
    if (!tried) {                                                      \
        return tl::unexpected<::nnburst::serve::Failure>(              \
            ::nnburst::serve::toFailure(std::move(tried.error())));    \
    }                                                                  \
    declaration = std::move(*tried)
