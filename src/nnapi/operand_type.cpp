// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/operand_type.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "nnapi/device.h"
#include "nnburst/type_queries.h"
#include "nnburst/validation.h"

namespace nnburst::nnapi {

namespace {

constexpr std::uint64_t kMaximumValueBytes = std::numeric_limits<std::uint32_t>::max();

struct ZeroPoints {
    std::int32_t least;
    std::int32_t greatest;
};

/// The zero points of a quantised type with one scale; nothing for other types.
std::optional<ZeroPoints> zeroPointsOf(OperandType type) {
    switch (type) {
        case OperandType::TENSOR_QUANT8_ASYMM:
            return ZeroPoints{0, 255};
        case OperandType::TENSOR_QUANT8_ASYMM_SIGNED:
            return ZeroPoints{-128, 127};
        case OperandType::TENSOR_QUANT16_ASYMM:
            return ZeroPoints{0, 65535};
        case OperandType::TENSOR_QUANT8_SYMM:
        case OperandType::TENSOR_QUANT16_SYMM:
            return ZeroPoints{0, 0};
        default:
            return std::nullopt;
    }
}

Status checkQuantization(OperandType type, float scale, std::int32_t zeroPoint) {
    if (const auto zeroPoints = zeroPointsOf(type)) {
        if (zeroPoint < zeroPoints->least || zeroPoint > zeroPoints->greatest) {
            return badData("{}: zero point {}: must be {} to {}", toString(type), zeroPoint,
                           zeroPoints->least, zeroPoints->greatest);
        }
        if (!(scale > 0.0F) || !std::isfinite(scale)) {
            return badData("{}: scale {}: must be finite and greater than 0", toString(type),
                           scale);
        }
        return {};
    }
    // A bias has the scale of the sums that it is added to; OEM types mean what their vendor says.
    if (type == OperandType::TENSOR_INT32 || type == OperandType::OEM ||
        type == OperandType::TENSOR_OEM_BYTE) {
        return {};
    }
    if (scale != 0.0F || zeroPoint != 0) {
        return badData("scale {}, zero point {}: must be 0 for a type that has none", scale,
                       zeroPoint);
    }
    return {};
}

/// The size of an element of a tensor, or of a scalar, also of an extension; 0 if not known.
std::uint64_t elementSize(OperandType type) {
    if (!isExtension(type)) {
        return elementBytes(type);
    }
    const auto* const information = Devices::get().extensions().find(type);
    return information == nullptr ? 0 : information->byteSize;
}

Status checkTensorDimensions(std::span<const std::uint32_t> dimensions, std::uint64_t elementSize,
                             bool mustBeKnown) {
    if (mustBeKnown && dimensions.empty()) {
        return badData("a tensor without dimensions: they must be known");
    }
    std::uint64_t size = elementSize;
    for (const std::uint32_t dimension : dimensions) {
        if (dimension == 0) {
            if (mustBeKnown) {
                return badData("a dimension is 0, unknown: it must be known");
            }
            continue;
        }
        if (size != 0 && dimension > kMaximumValueBytes / size) {
            return badData("a tensor of more than {} bytes: must be at most that",
                           kMaximumValueBytes);
        }
        size *= dimension;
    }
    return {};
}

}  // namespace

Status checkOperandType(const ANeuralNetworksOperandType& type, bool mustBeKnown) {
    if ((type.dimensionCount == 0) != (type.dimensions == nullptr)) {
        return badData("dimensionCount {}: the pointer to dimensions must be null for 0 alone",
                       type.dimensionCount);
    }
    if (type.dimensionCount > kMaximumDeclaredDimensions) {
        return badData("dimensionCount {}: must be at most {}", type.dimensionCount,
                       kMaximumDeclaredDimensions);
    }
    const auto code = static_cast<OperandType>(type.type);
    const std::span<const std::uint32_t> dimensions(type.dimensions, type.dimensionCount);
    if (isExtension(code)) {
        const auto* const information = Devices::get().extensions().find(code);
        if (information == nullptr) {
            return badData("type {:#x}: must be an OperandCode or of an extension of a device",
                           static_cast<std::uint32_t>(type.type));
        }
        if (!information->isTensor && !dimensions.empty()) {
            return badData("{} dimensions: a scalar has none", dimensions.size());
        }
        if (information->isTensor) {
            const Status status =
                checkTensorDimensions(dimensions, information->byteSize, mustBeKnown);
            if (!status.isOk()) {
                return status;
            }
        }
        return checkQuantization(code, type.scale, type.zeroPoint);
    }
    if (!isHalType(code)) {
        return badData("type {}: must be an OperandCode", type.type);
    }
    if (isTensor(code)) {
        const Status status = checkTensorDimensions(dimensions, elementBytes(code), mustBeKnown);
        if (!status.isOk()) {
            return status;
        }
    } else if (!dimensions.empty()) {
        return badData("{}: {} dimensions: a scalar has none", toString(code), dimensions.size());
    }
    return checkQuantization(code, type.scale, type.zeroPoint);
}

Status checkArgumentType(const Operand& operand, const ANeuralNetworksOperandType* type,
                         bool mustBeKnown) {
    if (type == nullptr) {
        if (mustBeKnown && !areDimensionsKnown(operand.type, operand.dimensions)) {
            return badData("the model leaves dimensions open: a type must give them");
        }
        return {};
    }
    NNBURST_NNAPI_TRY(checkOperandType(*type, mustBeKnown));
    if (operand.dimensions.empty()) {
        return {};
    }
    if (operand.dimensions.size() != type->dimensionCount) {
        return badData("{} dimensions: the model has {}", type->dimensionCount,
                       operand.dimensions.size());
    }
    for (std::size_t axis = 0; axis < operand.dimensions.size(); ++axis) {
        if (operand.dimensions[axis] != 0 && operand.dimensions[axis] != type->dimensions[axis]) {
            return badData("dimension {} of axis {}: the model has {}", type->dimensions[axis],
                           axis, operand.dimensions[axis]);
        }
    }
    return {};
}

Dimensions dimensionsOf(const ANeuralNetworksOperandType& type) {
    return {type.dimensions, type.dimensions + type.dimensionCount};
}

bool isTensorType(OperandType type) {
    if (!isExtension(type)) {
        return isTensor(type);
    }
    const auto* const information = Devices::get().extensions().find(type);
    return information != nullptr && information->isTensor;
}

bool areDimensionsKnown(OperandType type, const Dimensions& dimensions) {
    return !isTensorType(type) ||
           (!dimensions.empty() &&
            std::find(dimensions.begin(), dimensions.end(), 0U) == dimensions.end());
}

Status checkValueSize(OperandType type, const Dimensions& dimensions) {
    return checkTensorDimensions(dimensions, elementSize(type), false);
}

std::optional<std::uint64_t> valueBytes(OperandType type, const Dimensions& dimensions) {
    if (type == OperandType::OEM) {
        return std::nullopt;
    }
    std::uint64_t bytes = elementSize(type);
    if (isTensorType(type) && dimensions.empty()) {
        return 0;
    }
    for (const std::uint32_t dimension : dimensions) {
        bytes *= dimension;  // at most kMaximumValueBytes: checkOperandType, checkValueSize
    }
    return bytes;
}

std::optional<Dimensions> combineDimensions(const Dimensions& a, const Dimensions& b) {
    if (a.empty() || b.empty()) {
        return a.empty() ? b : a;
    }
    if (a.size() != b.size()) {
        return std::nullopt;
    }
    Dimensions combined = a;
    for (std::size_t axis = 0; axis < a.size(); ++axis) {
        if (combined[axis] == 0) {
            combined[axis] = b[axis];
        } else if (b[axis] != 0 && b[axis] != combined[axis]) {
            return std::nullopt;
        }
    }
    return combined;
}

}  // namespace nnburst::nnapi
