// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Text in HTML and SVG, and the frame of a page.

#include <string>
#include <string_view>

namespace nnburst::tools {

/// `text` with the characters escaped that have a meaning in HTML, also in attributes.
[[nodiscard]] std::string escaped(std::string_view text);

/// A whole page of HTML. The title is text, the style sheet CSS and the body HTML.
[[nodiscard]] std::string htmlPage(std::string_view title, std::string_view style,
                                   std::string_view body);

}  // namespace nnburst::tools
