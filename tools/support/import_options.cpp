// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/import_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace nnburst::tools {

namespace {

/// The name and the dimensions of "NAME=1x192x192x3"; nullopt if `text` is something else.
std::optional<std::pair<std::string, Dimensions>> shapeOf(const std::string& text) {
    const std::size_t separator = text.rfind('=');
    if (separator == std::string::npos || separator == 0) {
        return std::nullopt;
    }
    Dimensions dimensions;
    const char* const end = text.data() + text.size();
    for (const char* next = text.data() + separator; next != end;) {
        std::uint32_t size = 0;
        const auto [last, error] = std::from_chars(next + 1, end, size);
        if (error != std::errc() || size == 0 || (last != end && *last != 'x')) {
            return std::nullopt;
        }
        dimensions.push_back(size);
        next = last;
    }
    return std::pair(text.substr(0, separator), dimensions);
}

/// An error for CLI11 unless `text` is a name with dimensions; else empty.
std::string whyNotShape(const std::string& text) {
    return shapeOf(text) ? std::string()
                         : fmt::format(
                               "'{}': must be the name of an input and its sizes, of at least 1, "
                               "such as image=1x192x192x3",
                               text);
}

}  // namespace

void addImportOptions(CLI::App& app, InputDimensions& shapes, bool& integersFitInt32) {
    app.add_option_function<std::vector<std::string>>(
           "--shape",
           [&shapes](const std::vector<std::string>& texts) {
               for (const std::string& text : texts) {
                   if (const auto shape = shapeOf(text)) {
                       shapes.insert_or_assign(shape->first, shape->second);
                   }
               }
           },
           "Dimensions of an input, such as image=1x192x192x3, as many as in the file;\n"
           "once for each such input. Without: those of the file, mostly 1 where it\n"
           "leaves them open")
        ->type_name("NAME=SIZES")
        ->allow_extra_args(false)
        ->check(CLI::Validator(whyNotShape, ""));
    app.add_flag("--integers-fit-int32", integersFitInt32,
                 "Computes with 32 bits where a .tflite file has 64-bit integers.\n"
                 "The results are wrong if a value needs more");
}

}  // namespace nnburst::tools
