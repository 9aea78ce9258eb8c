// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// JSON of reports.

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace nnburst::tools {

/// Members stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// The value, or null.
template <class Value>
[[nodiscard]] Json orNull(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

/// The text of a JSON file: indented, with a line break at the end. Bytes that are not UTF-8, as in
/// paths, are replaced.
[[nodiscard]] inline std::string toText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace nnburst::tools
