// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/divided_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "memory/checked_math.h"
#include "nnburst/memory.h"
#include "nnburst/type_queries.h"

namespace nnburst::runtime {

namespace {

/// The size of an element of an operand of `type`, and whether it is a tensor; nothing if unknown.
struct ElementInfo {
    std::uint32_t bytes = 0;
    bool isTensor = false;
};

std::optional<ElementInfo> elementInfo(const Model& model, std::span<const Extension> extensions,
                                       OperandType type) {
    if (!isExtension(type)) {
        const auto bytes = static_cast<std::uint32_t>(elementBytes(type));
        return bytes == 0 ? std::nullopt
                          : std::optional(ElementInfo{.bytes = bytes, .isTensor = isTensor(type)});
    }
    const auto code = static_cast<std::uint32_t>(type);
    for (const ExtensionNameAndPrefix& used : model.extensionNameToPrefix) {
        for (const Extension& extension : extensions) {
            for (const ExtensionOperandTypeInformation& its : extension.operandTypes) {
                if (used.prefix == code >> kExtensionTypeBits && used.name == extension.name &&
                    its.type == (code & ((1U << kExtensionTypeBits) - 1)) && its.byteSize != 0) {
                    return ElementInfo{.bytes = its.byteSize, .isTensor = its.isTensor};
                }
            }
        }
    }
    return std::nullopt;
}

bool isKnown(const Dimensions& dimensions) {
    return std::find(dimensions.begin(), dimensions.end(), 0U) == dimensions.end();
}

/// Gives each operand that crosses parts a place.
class Placement {
  public:
    Placement(const Model& whole, std::span<const Extension> extensions)
        : whole_(whole), extensions_(extensions) {
        plan_.interface = interfaceOf(whole);
        const auto place = [&](const std::vector<std::uint32_t>& operands, Place::Kind kind) {
            for (std::uint32_t index = 0; index < operands.size(); ++index) {
                places_[operands[index]] = {kind, index};
            }
        };
        place(whole.main.inputIndexes, Place::Kind::MODEL_INPUT);
        place(whole.main.outputIndexes, Place::Kind::MODEL_OUTPUT);
    }

    Result<> add(const Submodel& part) {
        PlannedPart planned;
        for (const std::uint32_t input : part.inputs) {
            NNBURST_TRY_ASSIGN(const Place place, placeOf(input));
            planned.inputs.push_back(place);
            const bool isFoundLater = (place.kind == Place::Kind::TEMPORARY &&
                                       !plan_.temporaries[place.index].location) ||
                                      (place.kind == Place::Kind::MODEL_OUTPUT &&
                                       !areDimensionsKnown(whole_.main.operands[input]));
            planned.isFixed = planned.isFixed && !isFoundLater;
        }
        for (const std::uint32_t output : part.outputs) {
            NNBURST_TRY_ASSIGN(const Place place, placeOf(output));
            planned.outputs.push_back(place);
            planned.isFixed = planned.isFixed && (place.kind != Place::Kind::TEMPORARY ||
                                                  plan_.temporaries[place.index].location);
        }
        plan_.parts.push_back(std::move(planned));
        return {};
    }

    DividedPlan take() { return std::move(plan_); }

  private:
    [[nodiscard]] bool areDimensionsKnown(const Operand& operand) const {
        const auto info = elementInfo(whole_, extensions_, operand.type);
        const bool mayBeTensor = info ? info->isTensor : isExtension(operand.type);
        return isKnown(operand.dimensions) && !(mayBeTensor && operand.dimensions.empty());
    }

    Result<Place> placeOf(std::uint32_t operand) {
        const auto known = places_.find(operand);
        if (known != places_.end()) {
            return known->second;
        }
        NNBURST_TRY_ASSIGN(Temporary temporary, temporaryOf(whole_.main.operands[operand]));
        const Place place{Place::Kind::TEMPORARY,
                          static_cast<std::uint32_t>(plan_.temporaries.size())};
        plan_.temporaries.push_back(std::move(temporary));
        places_.emplace(operand, place);
        return place;
    }

    Result<Temporary> temporaryOf(const Operand& operand) {
        const auto info = elementInfo(whole_, extensions_, operand.type);
        if (!info) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           fmt::format("an operand of type {:#x} between two devices: the size of "
                                       "its elements is not known",
                                       static_cast<std::uint32_t>(operand.type)));
        }
        Temporary temporary{.type = operand.type,
                            .dimensions = operand.dimensions,
                            .elementBytes = info->bytes,
                            .location = {}};
        if (!isKnown(operand.dimensions) || (info->isTensor && operand.dimensions.empty())) {
            return temporary;
        }
        const auto bytes = bytesOf(temporary, operand.dimensions);
        const std::uint64_t start = (plan_.arenaBytes + MemoryPool::kDefaultAlignmentBytes - 1) /
                                    MemoryPool::kDefaultAlignmentBytes *
                                    MemoryPool::kDefaultAlignmentBytes;
        if (!bytes || !fitsInside(start, *bytes, UINT32_MAX)) {
            return failure(ErrorStatus::GENERAL_FAILURE,
                           "the operands between devices take more than 4 GiB");
        }
        temporary.location = DataLocation{
            .poolIndex = 0, .offset = static_cast<std::uint32_t>(start), .length = *bytes};
        plan_.arenaBytes = start + *bytes;
        return temporary;
    }

    const Model& whole_;
    const std::span<const Extension> extensions_;
    DividedPlan plan_;
    std::map<std::uint32_t, Place> places_;  // by operand of the whole model
};

}  // namespace

std::optional<std::uint32_t> bytesOf(const Temporary& temporary,
                                     std::span<const std::uint32_t> dimensions) {
    std::optional<std::uint64_t> bytes = temporary.elementBytes;
    for (const std::uint32_t size : dimensions) {
        bytes = size == 0 ? std::nullopt : checkedMultiply<std::uint64_t>(*bytes, size);
        if (!bytes) {
            return std::nullopt;
        }
    }
    return *bytes > UINT32_MAX ? std::nullopt : std::optional(static_cast<std::uint32_t>(*bytes));
}

Result<DividedPlan> planParts(const Model& whole, std::span<const Submodel> parts,
                              std::span<const Extension> extensions) {
    Placement placement(whole, extensions);
    for (const Submodel& part : parts) {
        NNBURST_TRY(placement.add(part));
    }
    return placement.take();
}

}  // namespace nnburst::runtime
