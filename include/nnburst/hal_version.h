// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The versions of the Neural Networks HAL: which of them knows a model, a request or a figure, and
/// what an older one has in their place. The types of types.h are those of the newest.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// In order: later versions are greater.
enum class HalVersion : std::uint8_t { V1_0, V1_1, V1_2, V1_3 };

inline constexpr HalVersion kLatestHalVersion = HalVersion::V1_3;

/// "1.0" to "1.3".
[[nodiscard]] const char* toString(HalVersion version) noexcept;
/// The version that is written so; nothing for any other text.
[[nodiscard]] std::optional<HalVersion> halVersionFromString(std::string_view text) noexcept;

/// The first version that knows all of `model`: its operations and their rules, types of operands,
/// subgraphs, relaxed computation, extensions. INVALID_ARGUMENT if the model is not valid or has an
/// operation that cannot be run, naming it.
[[nodiscard]] Result<HalVersion> minimumVersion(const Model& model);

/// Whether `version` can express this. INVALID_ARGUMENT says what it does not know.
[[nodiscard]] Result<> compliantWith(HalVersion version, const Model& model);
/// Of requests, versions up to 1.2 do not know driver-managed buffers; up to 1.1 the dimensions of
/// every output must be known before, from `model` or from the request.
[[nodiscard]] Result<> compliantWith(HalVersion version, const Model& model,
                                     const Request& request);
/// Of figures, versions up to 1.1 know two and three, 1.2 one a type up to those of 1.2.
[[nodiscard]] Result<> compliantWith(HalVersion version, const Capabilities& capabilities);

/// `model` as `version` expresses it. What is lost without changing a result is logged as a
/// warning: permission to compute with less precision (up to 1.0), names of extensions that are not
/// used (up to 1.1). INVALID_ARGUMENT if more would be lost.
[[nodiscard]] Result<Model> convertTo(HalVersion version, const Model& model);

/// `capabilities` as a device of `version` reports them, in the newest form: figures that the
/// version does not have are taken from those that it has, as runtimes do.
[[nodiscard]] Capabilities convertTo(HalVersion version, const Capabilities& capabilities);

// ---- Capabilities in the form of each version; that of HAL 1.3 is nnburst::Capabilities

struct CapabilitiesV1_0 {
    PerformanceInfo float32Performance;
    PerformanceInfo quantized8Performance;

    bool operator==(const CapabilitiesV1_0&) const = default;
};

struct CapabilitiesV1_1 {
    PerformanceInfo float32Performance;
    PerformanceInfo quantized8Performance;
    PerformanceInfo relaxedFloat32toFloat16Performance;

    bool operator==(const CapabilitiesV1_1&) const = default;
};

struct CapabilitiesV1_2 {
    PerformanceInfo relaxedFloat32toFloat16PerformanceScalar;
    PerformanceInfo relaxedFloat32toFloat16PerformanceTensor;
    std::vector<OperandPerformance> operandPerformance;  ///< of the types of HAL 1.2

    bool operator==(const CapabilitiesV1_2&) const = default;
};

[[nodiscard]] CapabilitiesV1_0 toV1_0(const Capabilities& capabilities);
[[nodiscard]] CapabilitiesV1_1 toV1_1(const Capabilities& capabilities);
[[nodiscard]] CapabilitiesV1_2 toV1_2(const Capabilities& capabilities);
[[nodiscard]] Capabilities toCanonical(const CapabilitiesV1_0& capabilities);
[[nodiscard]] Capabilities toCanonical(const CapabilitiesV1_1& capabilities);
[[nodiscard]] Capabilities toCanonical(const CapabilitiesV1_2& capabilities);

}  // namespace nnburst
