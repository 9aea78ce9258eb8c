// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model/request_check.h"

#include <array>
#include <span>
#include <string>

#include "memory/checked_math.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "nnburst/validation.h"

namespace nnburst {

namespace {

const char* roleName(ArgumentRole role) noexcept {
    return role == ArgumentRole::INPUT ? "input" : "output";
}

/// Dimensions with storage of their own.
struct MergedDimensions {
    std::array<std::uint32_t, kMaximumDimensions> sizes{};
    std::size_t rank = 0;

    [[nodiscard]] std::span<const std::uint32_t> span() const noexcept {
        return {sizes.data(), rank};
    }
};

/// The model's dimensions; sizes that it leaves open are taken from the argument.
Result<MergedDimensions> mergeDimensions(const Dimensions& ofModel, const Dimensions& ofArgument) {
    const Dimensions& given = ofArgument.empty() ? ofModel : ofArgument;
    if (given.size() > kMaximumDimensions) {
        return invalid("{} dimensions: must be at most {}", given.size(), kMaximumDimensions);
    }
    if (!ofModel.empty() && given.size() != ofModel.size()) {
        return invalid("dimensions {}: must be {} as in the model {}", dimensionsText(given),
                       ofModel.size(), dimensionsText(ofModel));
    }
    MergedDimensions merged;
    merged.rank = given.size();
    for (std::size_t axis = 0; axis < given.size(); ++axis) {
        if (!ofModel.empty() && ofModel[axis] != 0 && given[axis] != ofModel[axis]) {
            return invalid("dimensions {}: must agree with the model's {}", dimensionsText(given),
                           dimensionsText(ofModel));
        }
        merged.sizes[axis] = given[axis];
    }
    return merged;
}

/// Checks that the location lies inside its pool.
Result<> checkLocation(const DataLocation& location, std::uint64_t poolBytes) {
    if (location.length == 0) {
        return invalid("length 0: must be at least 1 byte, or the argument omitted");
    }
    if (!fitsInside(location.offset, location.length, poolBytes)) {
        return invalid("offset {} + length {} exceeds pool {} ({} bytes)", location.offset,
                       location.length, location.poolIndex, poolBytes);
    }
    return {};
}

/// Checks dimensions and size of an argument whose type has a known size.
Result<> checkContents(ArgumentRole role, const Operand& operand, const RequestArgument& argument,
                       bool isDriverManaged) {
    if (!isTensor(operand.type) && !argument.dimensions.empty()) {
        return invalid("dimensions {}: must have none, as it is no tensor",
                       dimensionsText(argument.dimensions));
    }
    NNBURST_TRY_ASSIGN(const MergedDimensions merged,
                       mergeDimensions(operand.dimensions, argument.dimensions));
    const std::optional<std::uint64_t> bytes = operandBytes(operand.type, merged.span());
    if (!bytes) {
        return invalid("dimensions {} with elements of {} bytes: must take at most {} bytes",
                       dimensionsText(merged.span()), elementBytes(operand.type),
                       kMaximumOperandBytes);
    }
    if (isDriverManaged) {
        return {};
    }
    const DataLocation& location = argument.location;
    if (role == ArgumentRole::INPUT) {
        if (!isFullySpecified(operand.type, merged.span())) {
            return invalid("dimensions {}: must all be known, from the model or the request",
                           dimensionsText(merged.span()));
        }
        if (location.length != *bytes) {
            return invalid("length {}: must be {} bytes, the size of {} with dimensions {}",
                           location.length, *bytes, toString(operand.type),
                           dimensionsText(merged.span()));
        }
    }
    return {};
}

/// HAL 1.0 RequestArgument::hasNoValue: location and dimensions of an omitted argument say nothing.
Result<> checkOmitted(const RequestArgument& argument) {
    const DataLocation& location = argument.location;
    if (location != DataLocation{}) {
        return invalid("pool {}, offset {}, length {}: must be 0, as the argument has no value",
                       location.poolIndex, location.offset, location.length);
    }
    if (!argument.dimensions.empty()) {
        return invalid("dimensions {}: must have none, as the argument has no value",
                       dimensionsText(argument.dimensions));
    }
    return {};
}

Result<> checkArgumentRules(ArgumentRole role, const Operand& operand,
                            const RequestArgument& argument,
                            std::optional<std::uint64_t> poolBytes) {
    if (argument.hasNoValue) {
        return checkOmitted(argument);
    }
    if (!poolBytes) {
        return invalid("pool {}: the request has no such pool", argument.location.poolIndex);
    }
    const bool isDriverManaged = *poolBytes == kDriverManagedPoolBytes;
    if (!isDriverManaged) {
        NNBURST_TRY(checkLocation(argument.location, *poolBytes));
    } else if (argument.location.offset != 0 || argument.location.length != 0) {
        return invalid("offset {} and length {} in driver-managed pool {}: must both be 0",
                       argument.location.offset, argument.location.length,
                       argument.location.poolIndex);
    }
    if (elementBytes(operand.type) == 0) {
        return {};
    }
    return checkContents(role, operand, argument, isDriverManaged);
}

Result<> checkPool(std::size_t index, const RequestPool& pool) {
    if (const auto* region = std::get_if<SharedRegion>(&pool)) {
        if (*region == nullptr) {
            return invalid("request pool {}: no memory; must be a region or a buffer", index);
        }
    } else if (std::get<BufferToken>(pool) == BufferToken{0}) {
        return invalid("request pool {}: buffer token 0: must be one that allocate gave", index);
    }
    return {};
}

std::uint64_t poolSizeBytes(const RequestPool& pool) noexcept {
    const auto* region = std::get_if<SharedRegion>(&pool);
    return region != nullptr ? (*region)->sizeBytes() : kDriverManagedPoolBytes;
}

Result<> checkArguments(ArgumentRole role, const std::vector<RequestArgument>& arguments,
                        const std::vector<RequestPool>& pools, const Subgraph& subgraph,
                        const std::vector<std::uint32_t>& operandIndexes) {
    NNBURST_TRY(checkArgumentCount(role, arguments.size(), operandIndexes.size()));
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        const std::uint32_t poolIndex = arguments[index].location.poolIndex;
        const auto poolBytes = poolIndex < pools.size()
                                   ? std::optional(poolSizeBytes(pools[poolIndex]))
                                   : std::nullopt;
        NNBURST_TRY(checkArgument(role, index, subgraph.operands[operandIndexes[index]],
                                  arguments[index], poolBytes));
    }
    return {};
}

}  // namespace

Result<> checkArgumentCount(ArgumentRole role, std::size_t requestCount, std::size_t modelCount) {
    if (requestCount != modelCount) {
        return invalid("request with {} {}s: must have {} as the model", requestCount,
                       roleName(role), modelCount);
    }
    return {};
}

Result<> checkArgument(ArgumentRole role, std::size_t index, const Operand& operand,
                       const RequestArgument& argument, std::optional<std::uint64_t> poolBytes) {
    Result<> result = checkArgumentRules(role, operand, argument, poolBytes);
    if (!result) {
        return invalid("request {} {}: {}", roleName(role), index, result.error().message);
    }
    return result;
}

ExpectedArgument::ExpectedArgument(const Operand& operand) {
    if (const std::size_t element = elementBytes(operand.type); element != 0) {
        elementBytes_ = static_cast<std::uint32_t>(element);
        const std::optional<std::uint64_t> bytes = operandBytes(operand.type, operand.dimensions);
        if (bytes && *bytes != 0 && isFullySpecified(operand.type, operand.dimensions)) {
            bytes_ = *bytes;
        }
    }
}

Error unknownMeasure(MeasureTiming measure) {
    return invalid("execution with measure {}: must be 0 (NO) or 1 (YES)",
                   static_cast<std::int32_t>(measure))
        .value();
}

Result<> validateRequest(const Model& model, const Request& request) {
    if (request.pools.size() > kMaximumPools) {
        return invalid("request with {} pools: must be at most {}", request.pools.size(),
                       kMaximumPools);
    }
    for (std::size_t index = 0; index < request.pools.size(); ++index) {
        NNBURST_TRY(checkPool(index, request.pools[index]));
    }
    NNBURST_TRY(checkArguments(ArgumentRole::INPUT, request.inputs, request.pools, model.main,
                               model.main.inputIndexes));
    return checkArguments(ArgumentRole::OUTPUT, request.outputs, request.pools, model.main,
                          model.main.outputIndexes);
}

}  // namespace nnburst
