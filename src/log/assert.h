// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Assertions of what this process alone guarantees: indices into its own tables, states, the order
/// of calls. They stay on in release builds. What a peer, a file or an application sent is never
/// asserted: it is checked, and refused with an error.

#include <fmt/format.h>

#include <string>
#include <utility>

namespace nnburst {

/// Logs "FILE:LINE: assertion failed: EXPRESSION (DETAILS)" and aborts.
[[noreturn]] void assertionFailed(const char* file, int line, const char* expression,
                                  const std::string& details) noexcept;

[[nodiscard]] inline std::string formatAssertion() {
    return {};
}
template <class... Values>
[[nodiscard, gnu::cold, gnu::noinline]] std::string formatAssertion(
    fmt::format_string<Values...> format, Values&&... values) {
    return fmt::format(format, std::forward<Values>(values)...);
}

}  // namespace nnburst

/// Aborts unless `condition` holds. Further arguments are a format string of libfmt and the values
/// that help to understand the failure; they are evaluated only then:
/// `NNBURST_ASSERT(index < slots.size(), "slot {} of {}", index, slots.size());`
#define NNBURST_ASSERT(condition, ...)                                \
    (static_cast<bool>(condition)                                     \
         ? static_cast<void>(0)                                       \
         : ::nnburst::assertionFailed(__FILE__, __LINE__, #condition, \
                                      ::nnburst::formatAssertion(__VA_ARGS__)))
