// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks of the head of a request over REST, before cpp-httplib reads it.

#include <string>
#include <string_view>

#include "failure.h"

namespace nnburst::serve {

struct RestHead {
    std::string text;  ///< what cpp-httplib is to read
    bool hasBody = false;
    bool isChunked = false;  ///< the body
};

/// Checks `head`, which ends with its first empty line. INVALID_ARGUMENT for lines that are no
/// fields of HTTP, and for fields about the body of which a proxy could think otherwise: the next
/// request begins where this body ends. UNIMPLEMENTED for a Transfer-Encoding other than chunked.
///
/// Leaves out the field Range, which a server may ignore: cpp-httplib matches it with a recursive
/// regular expression, and would apply it to each response, as often as it has ranges.
[[nodiscard]] Outcome<RestHead> checkHead(std::string_view head);

}  // namespace nnburst::serve
