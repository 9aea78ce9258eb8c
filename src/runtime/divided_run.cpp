// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/divided_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/invalid.h"
#include "model/operand_info.h"
#include "model/outcome.h"
#include "nnburst/type_queries.h"
#include "runtime/background.h"

namespace nnburst::runtime {

namespace {

/// The initial memory of a temporary of unknown size.
constexpr std::uint32_t kFirstCapacityBytes = 4096;
/// Each attempt doubles the memory at least: from the first capacity to the largest operand.
constexpr int kMaximumAttempts = 22;

using Kind = Place::Kind;

/// The place of `region` among the pools of `request`.
std::uint32_t poolFor(Request& request, const SharedRegion& region) {
    for (std::size_t index = 0; index < request.pools.size(); ++index) {
        if (std::get<SharedRegion>(request.pools[index]) == region) {
            return static_cast<std::uint32_t>(index);
        }
    }
    request.pools.emplace_back(region);
    return static_cast<std::uint32_t>(request.pools.size() - 1);
}

bool hasZero(const Dimensions& dimensions) {
    return std::find(dimensions.begin(), dimensions.end(), 0U) != dimensions.end();
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) noexcept {
    return a == kTimeNotAvailable || b == kTimeNotAvailable ? kTimeNotAvailable : a + b;
}

void place(RequestArgument& argument, std::uint32_t pool, std::uint32_t offset,
           std::uint32_t length) {
    argument.hasNoValue = false;
    argument.location = {.poolIndex = pool, .offset = offset, .length = length};
}

}  // namespace

Result<std::shared_ptr<TemporaryMemory>> TemporaryMemory::create(const DividedPlan& plan) {
    auto memory = std::make_shared<TemporaryMemory>();
    if (plan.arenaBytes != 0) {
        NNBURST_TRY_ASSIGN(memory->arena_, Region::create(plan.arenaBytes));
    }
    memory->growing_.resize(plan.temporaries.size());
    for (std::uint32_t index = 0; index < plan.temporaries.size(); ++index) {
        if (!plan.temporaries[index].location) {
            NNBURST_TRY(memory->reserve(index, kFirstCapacityBytes));
        }
    }
    return memory;
}

Result<> TemporaryMemory::reserve(std::uint32_t temporary, std::uint32_t bytes) {
    Growing& growing = growing_[temporary];
    if (growing.capacity < bytes) {
        NNBURST_TRY_ASSIGN(growing.region, Region::create(bytes));
        growing.capacity = bytes;
    }
    return {};
}

DividedRun::DividedRun(const DividedPlan& plan, std::shared_ptr<TemporaryMemory> memory)
    : plan_(plan),
      memory_(std::move(memory)),
      requests_(plan.parts.size()),
      foundDimensions_(plan.temporaries.size()),
      outputDimensions_(plan.interface.main.outputIndexes.size()) {
    for (std::size_t part = 0; part < plan.parts.size(); ++part) {
        requests_[part].inputs.resize(plan.parts[part].inputs.size());
        requests_[part].outputs.resize(plan.parts[part].outputs.size());
    }
}

Result<> DividedRun::bind(const Request& request) {
    NNBURST_TRY(refuseBuffers(request));
    for (const PlannedPart& part : plan_.parts) {
        for (const Place& input : part.inputs) {
            if (input.kind == Kind::MODEL_OUTPUT && request.outputs[input.index].hasNoValue) {
                return invalid("output {}: must have a value, because other operations take it",
                               input.index);
            }
        }
    }
    bound_ = request;
    for (std::size_t part = 0; part < plan_.parts.size(); ++part) {
        if (plan_.parts[part].isFixed) {
            bindPart(part);
        }
    }
    return {};
}

void DividedRun::release() {
    bound_.pools.clear();
    for (Request& request : requests_) {
        request.pools.clear();
    }
}

void DividedRun::bindPart(std::size_t part) {
    Request& request = requests_[part];
    request.pools.clear();
    for (std::size_t index = 0; index < request.inputs.size(); ++index) {
        bindInput(request, plan_.parts[part].inputs[index], request.inputs[index]);
    }
    for (std::size_t index = 0; index < request.outputs.size(); ++index) {
        bindOutput(request, plan_.parts[part].outputs[index], request.outputs[index]);
    }
}

void DividedRun::bindInput(Request& request, const Place& from, RequestArgument& argument) {
    const auto ofBound = [&](const RequestArgument& given) {
        argument = given;
        if (!given.hasNoValue) {
            argument.location.poolIndex =
                poolFor(request, std::get<SharedRegion>(bound_.pools[given.location.poolIndex]));
        }
    };
    if (from.kind == Kind::MODEL_INPUT) {
        ofBound(bound_.inputs[from.index]);
        return;
    }
    if (from.kind == Kind::MODEL_OUTPUT) {
        ofBound(bound_.outputs[from.index]);
        const Operand& operand = plan_.output(from.index);
        // A type of an extension without dimensions may be a tensor.
        const bool isKnown = isFullySpecified(operand.type, operand.dimensions) &&
                             !(isExtension(operand.type) && operand.dimensions.empty());
        const Dimensions& dimensions = isKnown ? operand.dimensions : outputDimensions_[from.index];
        // An input has exactly the size of its value; the buffer of an output may be larger.
        if (const auto bytes = operandBytes(operand.type, dimensions); bytes && *bytes != 0) {
            argument.location.length = static_cast<std::uint32_t>(*bytes);
        }
        if (isKnown) {
            argument.dimensions.clear();
        } else {
            argument.dimensions = dimensions;
        }
        return;
    }
    const Temporary& temporary = plan_.temporaries[from.index];
    if (temporary.location) {
        argument.dimensions.clear();
        place(argument, poolFor(request, memory_->arena()), temporary.location->offset,
              temporary.location->length);
        return;
    }
    argument.dimensions = foundDimensions_[from.index];
    place(argument, poolFor(request, memory_->growing(from.index).region), 0,
          bytesOf(temporary, argument.dimensions).value_or(0));
}

void DividedRun::bindOutput(Request& request, const Place& to, RequestArgument& argument) {
    if (to.kind == Kind::MODEL_OUTPUT) {
        const RequestArgument& given = bound_.outputs[to.index];
        argument = given;
        if (!given.hasNoValue) {
            argument.location.poolIndex =
                poolFor(request, std::get<SharedRegion>(bound_.pools[given.location.poolIndex]));
        }
        return;
    }
    const Temporary& temporary = plan_.temporaries[to.index];
    argument.dimensions.clear();
    if (temporary.location) {
        place(argument, poolFor(request, memory_->arena()), temporary.location->offset,
              temporary.location->length);
        return;
    }
    const TemporaryMemory::Growing& growing = memory_->growing(to.index);
    place(argument, poolFor(request, growing.region), 0, growing.capacity);
}

Result<> DividedRun::checkFound(const Place& input) {
    if (input.kind == Kind::MODEL_INPUT) {
        return {};
    }
    const bool isOutput = input.kind == Kind::MODEL_OUTPUT;
    const Dimensions& found =
        isOutput ? outputDimensions_[input.index] : foundDimensions_[input.index];
    if (hasZero(found)) {
        wasEmpty_ = true;
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "an operand that it takes from another device has no elements");
    }
    // Shapes that a driver reports may be wrong.
    const std::uint64_t room = isOutput ? bound_.outputs[input.index].location.length
                                        : memory_->growing(input.index).capacity;
    std::optional<std::uint64_t> bytes;
    if (isOutput) {
        bytes = operandBytes(plan_.output(input.index).type, found);
    } else {
        bytes = bytesOf(plan_.temporaries[input.index], found);
    }
    if (!bytes || *bytes > room) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("another device says that an operand has dimensions {}: must "
                                   "fit into the {} bytes that it was given",
                                   dimensionsText(found), room));
    }
    return {};
}

Result<> DividedRun::refresh(std::size_t part) {
    for (const Place& input : plan_.parts[part].inputs) {
        if (input.kind != Kind::TEMPORARY || !plan_.temporaries[input.index].location) {
            NNBURST_TRY(checkFound(input));
        }
    }
    bindPart(part);
    return {};
}

Result<> DividedRun::executePart(std::size_t part, PartExecutor& executor) {
    if (plan_.parts[part].isFixed) [[likely]] {
        return executor.execute(part, requests_[part], partOutcome_);
    }
    Result<> result;
    for (int attempt = 0; attempt < kMaximumAttempts; ++attempt) {
        NNBURST_TRY(refresh(part));
        result = executor.execute(part, requests_[part], partOutcome_);
        if (result || result.error().status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
            return result;
        }
        NNBURST_TRY_ASSIGN(const bool hasGrown, grow(part));
        if (!hasGrown) {
            return result;
        }
    }
    return failure(ErrorStatus::GENERAL_FAILURE, result.error().message);
}

Result<bool> DividedRun::grow(std::size_t part) {
    const std::vector<Place>& outputs = plan_.parts[part].outputs;
    const std::vector<OutputShape>& shapes = partOutcome_.outputShapes;
    if (shapes.size() != outputs.size()) {
        return false;
    }
    for (std::size_t index = 0; index < outputs.size(); ++index) {
        if (!shapes[index].isSufficient && outputs[index].kind != Kind::TEMPORARY) {
            return false;  // the caller's memory is too small
        }
    }
    bool hasGrown = false;
    for (std::size_t index = 0; index < outputs.size(); ++index) {
        const std::uint32_t temporary = outputs[index].index;
        if (shapes[index].isSufficient || plan_.temporaries[temporary].location) {
            continue;
        }
        const std::uint64_t doubled = 2 * std::uint64_t{memory_->growing(temporary).capacity};
        const std::uint64_t wanted =
            bytesOf(plan_.temporaries[temporary], shapes[index].dimensions).value_or(0);
        NNBURST_TRY(memory_->reserve(temporary, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                                    std::max(doubled, wanted), UINT32_MAX))));
        hasGrown = true;
    }
    return hasGrown;
}

void DividedRun::startShapes(ExecutionOutcome& outcome) const {
    const std::size_t count = plan_.interface.main.outputIndexes.size();
    outcome.outputShapes.resize(count);
    for (std::uint32_t index = 0; index < count; ++index) {
        const RequestArgument& argument = bound_.outputs[index];
        const Operand& operand = plan_.output(index);
        OutputShape& shape = outcome.outputShapes[index];
        shape.dimensions = argument.dimensions.empty() ? operand.dimensions : argument.dimensions;
        // Of an output of unknown dimensions only the part that computes it can tell.
        const bool isSizeKnown = isFullySpecified(operand.type, shape.dimensions);
        shape.isSufficient =
            argument.hasNoValue || !isSizeKnown ||
            operandBytes(operand.type, shape.dimensions) <= argument.location.length;
    }
}

void DividedRun::takeShapes(std::size_t part, ExecutionOutcome& outcome) {
    const std::vector<Place>& outputs = plan_.parts[part].outputs;
    const std::vector<OutputShape>& shapes = partOutcome_.outputShapes;
    for (std::size_t index = 0; index < outputs.size() && index < shapes.size(); ++index) {
        const Place& to = outputs[index];
        if (to.kind == Kind::MODEL_OUTPUT) {
            outcome.outputShapes[to.index] = shapes[index];
            outputDimensions_[to.index] = shapes[index].dimensions;
        } else if (!plan_.temporaries[to.index].location) {
            foundDimensions_[to.index] = shapes[index].dimensions;
        }
    }
    outcome.timing.timeOnDevice =
        sum(outcome.timing.timeOnDevice, partOutcome_.timing.timeOnDevice);
    outcome.timing.timeInDriver =
        sum(outcome.timing.timeInDriver, partOutcome_.timing.timeInDriver);
}

Result<> DividedRun::run(PartExecutor& executor, ExecutionOutcome& outcome) {
    wasEmpty_ = false;
    startShapes(outcome);
    outcome.timing = {.timeOnDevice = 0, .timeInDriver = 0};
    for (std::size_t part = 0; part < plan_.parts.size(); ++part) {
        Result<> result = executePart(part, executor);
        if (!result) [[unlikely]] {
            if (result.error().status == ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
                takeShapes(part, outcome);
            }
            clearAfterFailure(result, outcome);
            return failure(result.error().status,
                           fmt::format("{}: {}", plan_.parts[part].name, result.error().message));
        }
        takeShapes(part, outcome);
    }
    return {};
}

}  // namespace nnburst::runtime
