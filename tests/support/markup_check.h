// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks the nesting of markup.

#include <string>
#include <vector>

namespace nnburst::test {

/// The first tag of `text` that closes another element than the last one that was opened, or is
/// not closed; empty if all is well. Elements that HTML does not close are left out.
inline std::string firstWrongTag(const std::string& text) {
    std::vector<std::string> open;
    for (std::size_t begin = text.find('<'); begin != std::string::npos;
         begin = text.find('<', begin + 1)) {
        const std::size_t end = text.find('>', begin);
        if (end == std::string::npos) {
            return text.substr(begin, 20);
        }
        const bool isEnd = text[begin + 1] == '/';
        const std::size_t nameBegin = begin + (isEnd ? 2 : 1);
        const std::string name =
            text.substr(nameBegin, text.find_first_of(" />", nameBegin) - nameBegin);
        const bool isClosed = text[end - 1] == '/';
        if (name == "!DOCTYPE" || name == "meta" || name == "br" || isClosed) {
            continue;
        }
        if (!isEnd) {
            open.push_back(name);
        } else if (open.empty() || open.back() != name) {
            return "/" + name;
        } else {
            open.pop_back();
        }
    }
    return open.empty() ? std::string() : open.back();
}

}  // namespace nnburst::test
