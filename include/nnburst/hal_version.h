// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The versions of the Neural Networks HAL: which version can express a model, a request or
/// capabilities, and how an older version expresses those of a newer one. The types of types.h are
/// those of the newest.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst {

/// In order: later versions are greater.
enum class HalVersion : std::uint8_t { V1_0, V1_1, V1_2, V1_3 };

/// Every version, oldest first. Names, options of tools and tests take the versions from here.
inline constexpr std::array kHalVersions{HalVersion::V1_0, HalVersion::V1_1, HalVersion::V1_2,
                                         HalVersion::V1_3};
inline constexpr HalVersion kLatestHalVersion = kHalVersions.back();

/// "1.0" to "1.3".
[[nodiscard]] NNBURST_EXPORT const char* toString(HalVersion version) noexcept;
/// The version of a text such as "1.2"; nullopt for any other text.
[[nodiscard]] NNBURST_EXPORT std::optional<HalVersion> halVersionFromString(
    std::string_view text) noexcept;

// ---- What a driver of a version supports. Code asks these and does not compare versions itself,
// so that a later version keeps what an earlier one brought.

/// Model::relaxComputationFloat32toFloat16.
[[nodiscard]] constexpr bool supportsRelaxedComputation(HalVersion version) noexcept {
    return version >= HalVersion::V1_1;
}
/// The execution preference of a preparation.
[[nodiscard]] constexpr bool supportsPreference(HalVersion version) noexcept {
    return version >= HalVersion::V1_1;
}
/// Vendor extensions.
[[nodiscard]] constexpr bool supportsExtensions(HalVersion version) noexcept {
    return version >= HalVersion::V1_2;
}
/// Tensors of unspecified rank.
[[nodiscard]] constexpr bool supportsUnknownRank(HalVersion version) noexcept {
    return version >= HalVersion::V1_2;
}
/// Cache files and tokens of a preparation, and prepareModelFromCache.
[[nodiscard]] constexpr bool supportsCompilationCaching(HalVersion version) noexcept {
    return version >= HalVersion::V1_2;
}
/// getType and getVersionString.
[[nodiscard]] constexpr bool supportsTypeAndVersionString(HalVersion version) noexcept {
    return version >= HalVersion::V1_2;
}
/// Output shapes, and with them outputs whose dimensions only the execution finds.
[[nodiscard]] constexpr bool supportsOutputShapes(HalVersion version) noexcept {
    return version >= HalVersion::V1_2;
}
/// MeasureTiming and Timing.
[[nodiscard]] constexpr bool supportsTiming(HalVersion version) noexcept {
    return version >= HalVersion::V1_2;
}
/// Deadlines and loop timeouts.
[[nodiscard]] constexpr bool supportsDeadlines(HalVersion version) noexcept {
    return version >= HalVersion::V1_3;
}
/// The priority of a prepared model.
[[nodiscard]] constexpr bool supportsPriority(HalVersion version) noexcept {
    return version >= HalVersion::V1_3;
}
/// Driver-managed buffers: allocate, and tokens in requests.
[[nodiscard]] constexpr bool supportsBuffers(HalVersion version) noexcept {
    return version >= HalVersion::V1_3;
}
/// executeFenced.
[[nodiscard]] constexpr bool supportsFences(HalVersion version) noexcept {
    return version >= HalVersion::V1_3;
}
/// The statuses MISSED_DEADLINE_* and RESOURCE_EXHAUSTED_*.
[[nodiscard]] constexpr bool supportsDeadlineAndResourceErrors(HalVersion version) noexcept {
    return version >= HalVersion::V1_3;
}
/// Requests that the driver keeps for a reusable execution. The HAL does not have them; a driver of
/// an older version is sent the whole request each time, so that it checks each by its rules.
[[nodiscard]] constexpr bool supportsReusableExecutions(HalVersion version) noexcept {
    return version >= HalVersion::V1_3;
}

/// The first version that supports all of `model`: its operations and their rules, types of
/// operands, tensors of unspecified rank, subgraphs, relaxed computation, extensions.
/// INVALID_ARGUMENT if the model is not valid or has an operation that cannot be run, naming it.
[[nodiscard]] NNBURST_EXPORT Result<HalVersion> minimumVersion(const Model& model);

/// Whether `version` can express this. INVALID_ARGUMENT says what it does not support.
[[nodiscard]] NNBURST_EXPORT Result<> compliantWith(HalVersion version, const Model& model);
/// Versions up to 1.2 have no driver-managed buffers.
[[nodiscard]] NNBURST_EXPORT Result<> compliantWith(HalVersion version, const Request& request);
/// The same for a request that fits `model`. Versions up to 1.1 also need the dimensions of every
/// output before the execution, from `model` or from `request`.
[[nodiscard]] NNBURST_EXPORT Result<> compliantWith(HalVersion version, const Model& model,
                                                    const Request& request);
/// HAL 1.0 has two performance figures, 1.1 three, 1.2 one for each of its operand types. A figure
/// that `version` lacks must equal the one that convertTo puts in its place.
[[nodiscard]] NNBURST_EXPORT Result<> compliantWith(HalVersion version,
                                                    const Capabilities& capabilities);

/// `model` as `version` expresses it. What is lost without changing a result is logged as a
/// warning: permission to compute with less precision (up to 1.0), names of extensions that are not
/// used (up to 1.1). INVALID_ARGUMENT if more would be lost.
[[nodiscard]] NNBURST_EXPORT Result<Model> convertTo(HalVersion version, const Model& model);

/// `request`, unchanged. INVALID_ARGUMENT if `version` cannot express it.
[[nodiscard]] NNBURST_EXPORT Result<Request> convertTo(HalVersion version, const Request& request);

/// `capabilities` as a device of `version` reports them, in the newest form. A figure that the
/// version lacks is derived as AOSP does: up to 1.1, FLOAT32 gets that of TENSOR_FLOAT32, and all
/// integer types get that of TENSOR_QUANT8_ASYMM; in 1.0, relaxed computation gets that of
/// TENSOR_FLOAT32; up to 1.2, IF and WHILE get kNoPerformance.
[[nodiscard]] NNBURST_EXPORT Capabilities convertTo(HalVersion version,
                                                    const Capabilities& capabilities);

/// `status` as a driver of `version` reports it: up to 1.2, MISSED_DEADLINE_* and
/// RESOURCE_EXHAUSTED_* become GENERAL_FAILURE.
[[nodiscard]] NNBURST_EXPORT ErrorStatus convertTo(HalVersion version, ErrorStatus status) noexcept;

/// Stands for a figure that a device does not report: slower than any other.
inline constexpr PerformanceInfo kNoPerformance{.execTime = std::numeric_limits<float>::max(),
                                                .powerUsage = std::numeric_limits<float>::max()};

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

[[nodiscard]] NNBURST_EXPORT CapabilitiesV1_0 toV1_0(const Capabilities& capabilities);
[[nodiscard]] NNBURST_EXPORT CapabilitiesV1_1 toV1_1(const Capabilities& capabilities);
[[nodiscard]] NNBURST_EXPORT CapabilitiesV1_2 toV1_2(const Capabilities& capabilities);
[[nodiscard]] NNBURST_EXPORT Capabilities toCanonical(const CapabilitiesV1_0& capabilities);
[[nodiscard]] NNBURST_EXPORT Capabilities toCanonical(const CapabilitiesV1_1& capabilities);
[[nodiscard]] NNBURST_EXPORT Capabilities toCanonical(const CapabilitiesV1_2& capabilities);

}  // namespace nnburst
