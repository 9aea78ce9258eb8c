// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/model_source.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "nnburst/builtin_models.h"

namespace nnburst::tools {

namespace {

constexpr std::string_view kBuiltin = "builtin:";
constexpr std::string_view kMobileNet = "mobilenet_v1_";
constexpr std::string_view kQuant = "_quant";

/// All of `text` as a number; nullopt if it is not one.
template <class T>
std::optional<T> numberOf(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

/// The options that "WIDTH_RESOLUTION[_quant]" describes.
std::optional<MobileNetV1Options> mobileNetOptions(std::string_view text) {
    MobileNetV1Options options;
    if (text.ends_with(kQuant)) {
        text.remove_suffix(kQuant.size());
        options.precision = BuiltinPrecision::QUANT8;
    }
    const std::size_t separator = text.find('_');
    if (separator == std::string_view::npos) {
        return std::nullopt;
    }
    const auto width = numberOf<float>(text.substr(0, separator));
    const auto resolution = numberOf<std::uint32_t>(text.substr(separator + 1));
    if (!width || !resolution) {
        return std::nullopt;
    }
    options.width = *width;
    options.resolution = *resolution;
    return options;
}

Result<TfliteModel> loadBuiltin(std::string_view name) {
    TfliteModel result;
    if (name == "lstm") {
        NNBURST_TRY_ASSIGN(result.model, makeStreamingLstm());
        result.inputNames = {"features"};
        result.outputNames = {"features"};
        result.states = {{.input = 1, .output = 1}, {.input = 2, .output = 2}};
        return result;
    }
    if (name.starts_with(kMobileNet)) {
        if (const auto options = mobileNetOptions(name.substr(kMobileNet.size()))) {
            NNBURST_TRY_ASSIGN(result.model, makeMobileNetV1(*options));
            result.inputNames = {"image"};
            result.outputNames = {"probabilities"};
            return result;
        }
    }
    return failure(ErrorStatus::INVALID_ARGUMENT,
                   fmt::format("no built-in model \"{}\": must be "
                               "mobilenet_v1_WIDTH_RESOLUTION[_quant] or lstm",
                               name));
}

}  // namespace

Result<TfliteModel> loadModel(const std::string& source, const TfliteOptions& options) {
    if (!source.starts_with(kBuiltin)) {
        return loadTflite(source, options);
    }
    if (!options.signature.empty()) {
        return failure(
            ErrorStatus::INVALID_ARGUMENT,
            fmt::format("signature \"{}\": {} has no signatures", options.signature, source));
    }
    if (!options.inputDimensions.empty()) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("dimensions for input \"{}\": {} leaves no sizes open",
                                   options.inputDimensions.begin()->first, source));
    }
    return loadBuiltin(std::string_view(source).substr(kBuiltin.size()));
}

}  // namespace nnburst::tools
