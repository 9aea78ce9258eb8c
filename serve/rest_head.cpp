// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "rest_head.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace nnburst::serve {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
/// Of a Content-Length, so that it fits into 64 bits.
constexpr std::size_t kMaximumDigits = 18;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// Whether `line` has no control characters but tabs. A lone CR or LF, which programs interpret
/// differently, is one.
bool isText(std::string_view line) {
    constexpr unsigned char kDelete = 0x7F;
    return std::ranges::all_of(
        line, [](unsigned char c) { return c == '\t' || (c >= ' ' && c != kDelete); });
}

bool isFieldName(std::string_view name) {
    constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
    return !name.empty() && std::ranges::all_of(name, [&](unsigned char c) {
        return std::isalnum(c) != 0 || kOthers.find(static_cast<char>(c)) != kOthers.npos;
    });
}

bool isSame(std::string_view text, std::string_view lowerCase) {
    return std::ranges::equal(text, lowerCase, {},
                              [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

std::string_view withoutBlanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t";
    const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// The fields that say where the body ends.
class BodyFields {
  public:
    Outcome<> add(std::string_view name, std::string_view value) {
        const bool isLength = isSame(name, "content-length");
        if (!isLength && !isSame(name, "transfer-encoding")) {
            return {};
        }
        std::optional<std::string_view>& field = isLength ? length_ : encoding_;
        if (field) {
            return refuse(Code::INVALID_ARGUMENT, "{}: must be given once", name);
        }
        field = value;
        return {};
    }

    [[nodiscard]] Outcome<bool> hasBody() const {
        if (encoding_ && !isSame(*encoding_, "chunked")) {
            return refuse(Code::UNIMPLEMENTED, "Transfer-Encoding: must be chunked");
        }
        if (encoding_ && length_) {
            return refuse(Code::INVALID_ARGUMENT,
                          "Content-Length: must not be there with Transfer-Encoding");
        }
        if (length_ && (length_->empty() || length_->size() > kMaximumDigits ||
                        !std::ranges::all_of(*length_, isDigit))) {
            return refuse(Code::INVALID_ARGUMENT, "Content-Length: must be a number");
        }
        return encoding_ || (length_ && length_->find_first_not_of('0') != length_->npos);
    }

    [[nodiscard]] bool isChunked() const noexcept { return encoding_.has_value(); }

  private:
    std::optional<std::string_view> length_;
    std::optional<std::string_view> encoding_;
};

}  // namespace

Outcome<RestHead> checkHead(std::string_view head) {
    RestHead result;
    BodyFields body;
    bool isRequestLine = true;
    while (!head.empty()) {
        const std::string_view line = head.substr(0, head.find(kLineEnd));
        head.remove_prefix(line.size() + kLineEnd.size());
        const std::size_t colon = line.find(':');
        const std::string_view name = line.substr(0, colon);
        const bool isField = !std::exchange(isRequestLine, false) && !line.empty();
        if (!isText(line) || (isField && (colon == std::string_view::npos || !isFieldName(name)))) {
            return refuse(Code::INVALID_ARGUMENT, "request: has a line that is no field of HTTP");
        }
        if (isField) {
            NNBURST_SERVE_TRY(body.add(name, withoutBlanks(line.substr(colon + 1))));
        }
        if (!isField || !isSame(name, "range")) {
            result.text.append(line).append(kLineEnd);
        }
    }
    NNBURST_SERVE_TRY_ASSIGN(result.hasBody, body.hasBody());
    result.isChunked = body.isChunked();
    return result;
}

}  // namespace nnburst::serve
