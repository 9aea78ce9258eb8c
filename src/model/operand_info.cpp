// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/operand_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "memory/checked_math.h"
#include "model/extension_registry.h"
#include "model/invalid.h"
#include "nnburst/validation.h"

namespace nnburst {

namespace {

/// The values that Operand::scale may have.
enum class ScaleRule : std::uint8_t { ZERO, ZERO_OR_POSITIVE, POSITIVE, ANY };

/// The properties of one operand type.
struct OperandInfo {
    OperandKind kind = OperandKind::UNKNOWN;
    std::size_t elementBytes = 0;
    ScaleRule scale = ScaleRule::ZERO;
    std::int32_t minimumZeroPoint = 0;
    std::int32_t maximumZeroPoint = 0;
};

OperandInfo operandInfo(OperandType type) noexcept {
    using enum OperandKind;
    constexpr std::int32_t kAnyMinimum = INT32_MIN;
    constexpr std::int32_t kAnyMaximum = INT32_MAX;
    switch (type) {
        case OperandType::FLOAT32:
        case OperandType::INT32:
        case OperandType::UINT32:
            return {SCALAR, 4};
        case OperandType::FLOAT16:
            return {SCALAR, 2};
        case OperandType::BOOL:
            return {SCALAR, 1};
        case OperandType::TENSOR_FLOAT32:
            return {TENSOR, 4};
        case OperandType::TENSOR_FLOAT16:
            return {TENSOR, 2};
        case OperandType::TENSOR_INT32:  // the scale of a bias is that of its products
            return {TENSOR, 4, ScaleRule::ZERO_OR_POSITIVE};
        case OperandType::TENSOR_BOOL8:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:  // its scales are extra parameters
            return {TENSOR, 1};
        case OperandType::TENSOR_QUANT8_ASYMM:
            return {TENSOR, 1, ScaleRule::POSITIVE, 0, 255};
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return {TENSOR, 1, ScaleRule::POSITIVE, -128, 127};
        case OperandType::TENSOR_QUANT8_SYMM:
            return {TENSOR, 1, ScaleRule::POSITIVE};
        case OperandType::TENSOR_QUANT16_ASYMM:
            return {TENSOR, 2, ScaleRule::POSITIVE, 0, 65535};
        case OperandType::TENSOR_QUANT16_SYMM:
            return {TENSOR, 2, ScaleRule::POSITIVE};
        case OperandType::TENSOR_OEM_BYTE:
            return {TENSOR, 1, ScaleRule::ANY, kAnyMinimum, kAnyMaximum};
        case OperandType::OEM:
            return {OEM, 0, ScaleRule::ANY, kAnyMinimum, kAnyMaximum};
        case OperandType::SUBGRAPH:
            return {SUBGRAPH, 0};
    }
    if (const ExtensionOperandTypeInformation* known = findExtensionType(type)) {
        return {known->isTensor ? TENSOR : SCALAR, known->byteSize, ScaleRule::ANY, kAnyMinimum,
                kAnyMaximum};
    }
    return isExtension(type) ? OperandInfo{.kind = EXTENSION} : OperandInfo{};
}

bool isPositive(float value) noexcept {
    return std::isfinite(value) && value > 0.0F;
}

Result<> checkScale(ScaleRule rule, float scale) {
    const auto refused = [&](const char* mustBe) {
        return invalid("scale {}: must be {}", scale, mustBe);
    };
    switch (rule) {
        case ScaleRule::ZERO:
            if (scale != 0.0F) {
                return refused("0");
            }
            break;
        case ScaleRule::ZERO_OR_POSITIVE:
            if (scale != 0.0F && !isPositive(scale)) {
                return refused("finite and at least 0");
            }
            break;
        case ScaleRule::POSITIVE:
            if (!isPositive(scale)) {
                return refused("finite and more than 0");
            }
            break;
        case ScaleRule::ANY:
            break;
    }
    return {};
}

Result<> checkChannelQuant(const Operand& operand) {
    const auto* quant = std::get_if<SymmPerChannelQuantParams>(&operand.extraParams);
    if (quant == nullptr) {
        return invalid("no per-channel scales: must have them");
    }
    if (quant->channelDim >= operand.dimensions.size()) {
        return invalid("channel dimension {}: must be one of {} dimensions", quant->channelDim,
                       operand.dimensions.size());
    }
    const std::uint32_t channels = operand.dimensions[quant->channelDim];
    if (channels == 0) {
        return invalid("dimensions {}: the channel dimension {} must be known",
                       dimensionsText(operand.dimensions), quant->channelDim);
    }
    if (quant->scales.size() != channels) {
        return invalid("{} per-channel scales: must be {}, one for each channel",
                       quant->scales.size(), channels);
    }
    const auto bad = std::find_if_not(quant->scales.begin(), quant->scales.end(), isPositive);
    if (bad != quant->scales.end()) {
        return invalid("scale {} of channel {}: must be finite and more than 0", *bad,
                       bad - quant->scales.begin());
    }
    return {};
}

Result<> checkExtraParams(const Operand& operand, OperandKind kind) {
    if (operand.type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL) {
        return checkChannelQuant(operand);
    }
    const bool isAllowed = std::holds_alternative<std::monostate>(operand.extraParams) ||
                           kind == OperandKind::OEM ||
                           operand.type == OperandType::TENSOR_OEM_BYTE ||
                           (isExtension(operand.type) &&
                            std::holds_alternative<std::vector<std::uint8_t>>(operand.extraParams));
    if (!isAllowed) {
        return invalid("extra parameters: this type must have none of this kind");
    }
    return {};
}

Result<> checkDimensions(const Operand& operand, OperandKind kind) {
    const std::size_t rank = operand.dimensions.size();
    if (rank > kMaximumDeclaredDimensions) {
        return invalid("{} dimensions: must be at most {}", rank, kMaximumDeclaredDimensions);
    }
    if (rank != 0 && kind != OperandKind::TENSOR && kind != OperandKind::EXTENSION) {
        return invalid("dimensions {}: must have none, as it is no tensor",
                       dimensionsText(operand.dimensions));
    }
    if (kind == OperandKind::TENSOR && !operandBytes(operand.type, operand.dimensions)) {
        return invalid("dimensions {} with elements of {} bytes: must take at most {} bytes",
                       dimensionsText(operand.dimensions), elementBytes(operand.type),
                       kMaximumOperandBytes);
    }
    return {};
}

}  // namespace

OperandKind operandKind(OperandType type) noexcept {
    return operandInfo(type).kind;
}

bool isHalType(OperandType type) noexcept {
    const OperandKind kind = operandKind(type);
    return kind != OperandKind::EXTENSION && kind != OperandKind::UNKNOWN;
}

bool isHalType(OperationType type) noexcept {
    static_assert(std::is_sorted(kOperationTypes.begin(), kOperationTypes.end()));
    return std::binary_search(kOperationTypes.begin(), kOperationTypes.end(), type) ||
           type == OperationType::OEM_OPERATION;
}

bool isTensor(OperandType type) noexcept {
    return operandKind(type) == OperandKind::TENSOR;
}

bool isScalar(OperandType type) noexcept {
    return operandKind(type) == OperandKind::SCALAR;
}

bool isQuantized(OperandType type) noexcept {
    switch (type) {
        case OperandType::TENSOR_QUANT8_ASYMM:
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
        case OperandType::TENSOR_QUANT8_SYMM:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
        case OperandType::TENSOR_QUANT16_SYMM:
        case OperandType::TENSOR_QUANT16_ASYMM:
            return true;
        default:
            return false;
    }
}

std::size_t elementBytes(OperandType type) noexcept {
    return operandInfo(type).elementBytes;
}

std::optional<std::uint64_t> operandBytes(OperandType type,
                                          std::span<const std::uint32_t> dimensions) noexcept {
    if (std::find(dimensions.begin(), dimensions.end(), 0U) != dimensions.end()) {
        return 0;
    }
    std::uint64_t bytes = elementBytes(type);
    for (const std::uint32_t size : dimensions) {
        const auto product = checkedMultiply(bytes, std::uint64_t{size});
        if (!product || *product > kMaximumOperandBytes) {
            return std::nullopt;
        }
        bytes = *product;
    }
    return bytes;
}

bool isFullySpecified(OperandType type, std::span<const std::uint32_t> dimensions) noexcept {
    return (!dimensions.empty() || !isTensor(type)) &&
           std::find(dimensions.begin(), dimensions.end(), 0U) == dimensions.end();
}

std::string dimensionsText(std::span<const std::uint32_t> dimensions) {
    return dimensions.empty() ? "none" : fmt::format("{}", fmt::join(dimensions, "x"));
}

bool allows(std::span<const std::uint32_t> declared,
            std::span<const std::uint32_t> sizes) noexcept {
    return declared.empty() ||
           std::ranges::equal(declared, sizes, [](std::uint32_t known, std::uint32_t size) {
               return known == 0 || known == size;
           });
}

bool mayBeEqual(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) noexcept {
    return a.empty() || b.empty() || std::ranges::equal(a, b, [](std::uint32_t x, std::uint32_t y) {
               return x == 0 || y == 0 || x == y;
           });
}

ZeroPointRange zeroPointRange(OperandType type) noexcept {
    const OperandInfo info = operandInfo(type);
    return {.minimum = info.minimumZeroPoint, .maximum = info.maximumZeroPoint};
}

Result<> checkOperandType(const Operand& operand) {
    const OperandInfo info = operandInfo(operand.type);
    if (info.kind == OperandKind::UNKNOWN) {
        return invalid("type {}: must be one of HAL 1.3 or of an extension",
                       static_cast<std::int32_t>(operand.type));
    }
    NNBURST_TRY(checkDimensions(operand, info.kind));
    NNBURST_TRY(checkScale(info.scale, operand.scale));
    if (operand.zeroPoint < info.minimumZeroPoint || operand.zeroPoint > info.maximumZeroPoint) {
        return invalid("zero point {}: must be {} to {}", operand.zeroPoint, info.minimumZeroPoint,
                       info.maximumZeroPoint);
    }
    return checkExtraParams(operand, info.kind);
}

HalVersion since(OperandType type) noexcept {
    switch (type) {
        case OperandType::BOOL:
        case OperandType::TENSOR_QUANT16_SYMM:
        case OperandType::TENSOR_FLOAT16:
        case OperandType::TENSOR_BOOL8:
        case OperandType::FLOAT16:
        case OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL:
        case OperandType::TENSOR_QUANT16_ASYMM:
        case OperandType::TENSOR_QUANT8_SYMM:
            return HalVersion::V1_2;
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
        case OperandType::SUBGRAPH:
            return HalVersion::V1_3;
        case OperandType::FLOAT32:
        case OperandType::INT32:
        case OperandType::UINT32:
        case OperandType::TENSOR_FLOAT32:
        case OperandType::TENSOR_INT32:
        case OperandType::TENSOR_QUANT8_ASYMM:
        case OperandType::OEM:
        case OperandType::TENSOR_OEM_BYTE:
            return HalVersion::V1_0;
    }
    // The type of an extension. Extensions are checked by the names that the model has of them.
    return HalVersion::V1_0;
}

}  // namespace nnburst
