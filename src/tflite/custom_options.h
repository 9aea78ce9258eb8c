// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of custom operators, which are a FlexBuffer with a map.

#include <flatbuffers/flexbuffers.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "model/invalid.h"
#include "nnburst/result.h"
#include "tflite/operator_import.h"

namespace nnburst::tflite {

/// The options of a custom operator, verified, in aligned memory of their own.
class CustomOptions {
  public:
    /// Operators may share options: the copies count as constants.
    [[nodiscard]] static Result<CustomOptions> read(OperatorImport& op) {
        constexpr std::size_t kMaximumBytes = 64 * 1024;
        constexpr std::size_t kMaximumDepth = 4;
        const schema::Operator& declaration = op.declaration();
        const auto* given = declaration.custom_options();
        const std::size_t sizeBytes = sizeOf(given);
        if (declaration.custom_options_format() != 0 || sizeBytes == 0 ||
            sizeBytes > kMaximumBytes) {
            return invalid("options of format {} with {} bytes: must be a FlexBuffer of 1 to {}",
                           declaration.custom_options_format(), sizeBytes, kMaximumBytes);
        }
        NNBURST_TRY(op.tensors().file().takeConstantBytes(sizeBytes));
        CustomOptions options;
        options.bytes_.assign(given->begin(), given->end());
        std::vector<std::uint8_t> reuseTracker;
        flexbuffers::Verifier verifier(options.bytes_.data(), sizeBytes, &reuseTracker, true,
                                       kMaximumDepth);
        if (!verifier.VerifyBuffer() || !options.root().IsMap()) {
            return invalid("options: must be a FlexBuffer with a map");
        }
        return options;
    }

    /// An integer of at least 0; `otherwise` if the key is absent.
    [[nodiscard]] Result<std::int32_t> count(const char* key, std::int32_t otherwise) const {
        const flexbuffers::Reference value = root().AsMap()[key];
        if (value.IsNull()) {
            return otherwise;
        }
        const std::int64_t number = value.IsIntOrUint() ? value.AsInt64() : -1;
        if (number < 0 || !std::in_range<std::int32_t>(number)) {
            return invalid("option {}: must be an integer of at least 0", key);
        }
        return static_cast<std::int32_t>(number);
    }

    [[nodiscard]] Result<float> real(const char* key) const {
        const flexbuffers::Reference value = root().AsMap()[key];
        const double number = value.IsNumeric() ? value.AsDouble() : NAN;
        if (!(std::fabs(number) <= static_cast<double>(std::numeric_limits<float>::max()))) {
            return invalid("option {}: must be a finite number", key);
        }
        return static_cast<float>(number);
    }

    /// A number; 0 in place of one below 0, such as negative infinity.
    [[nodiscard]] Result<float> realFromZero(const char* key) const {
        const flexbuffers::Reference value = root().AsMap()[key];
        if (value.IsNumeric() && value.AsDouble() < 0.0) {
            return 0.0F;
        }
        return real(key);
    }

    /// A flag; false if the key is absent.
    [[nodiscard]] Result<bool> truth(const char* key) const {
        const flexbuffers::Reference value = root().AsMap()[key];
        if (!value.IsNull() && !value.IsBool() && !value.IsIntOrUint()) {
            return invalid("option {}: must be true or false", key);
        }
        return !value.IsNull() && value.AsInt64() != 0;
    }

    /// A vector of integers.
    [[nodiscard]] Result<std::vector<std::int32_t>> integers(const char* key) const {
        const flexbuffers::Reference value = root().AsMap()[key];
        std::vector<std::int32_t> result;
        if (value.IsTypedVector()) {
            const flexbuffers::TypedVector elements = value.AsTypedVector();
            for (std::size_t i = 0; i < elements.size(); ++i) {
                const flexbuffers::Reference element = elements[i];
                const std::int64_t number = element.IsIntOrUint() ? element.AsInt64() : INT64_MAX;
                if (!std::in_range<std::int32_t>(number)) {
                    return invalid("option {}: must be integers of 32 bits", key);
                }
                result.push_back(static_cast<std::int32_t>(number));
            }
        }
        if (result.empty()) {
            return invalid("option {}: must be a vector of integers", key);
        }
        return result;
    }

    [[nodiscard]] bool has(const char* key) const { return !root().AsMap()[key].IsNull(); }

  private:
    [[nodiscard]] flexbuffers::Reference root() const {
        return flexbuffers::GetRoot(bytes_.data(), bytes_.size());
    }

    std::vector<std::uint8_t> bytes_;
};

}  // namespace nnburst::tflite
