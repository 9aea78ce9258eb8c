// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "log/assert.h"

namespace nnburst::exec {

namespace {

/// Long enough to run through all of a kernel's code. Steps check their limit only at certain
/// places.
constexpr std::chrono::microseconds kWarmUpOfStep{5};

/// Some steps run to their end. What is not warm after this time costs the first run a small part
/// of its own time.
constexpr std::chrono::microseconds kWarmUpOfPlan{100};

/// A larger arena is touched only in part, since the system takes some 10 ms to provide this much.
constexpr std::uint64_t kTouchedArenaBytes = std::uint64_t{64} << 20;

}  // namespace

Plan::Plan(AlignedBuffer arena, std::vector<Output> outputs, std::size_t argumentCount)
    : arena_(std::move(arena)),
      memoryBytes_(arena_.sizeBytes()),
      outputs_(std::move(outputs)),
      arguments_(argumentCount) {}

Result<> Plan::checkKept(std::uint64_t bytes, std::uint32_t operation) {
    if (bytes > kMaximumKeptBytes) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                       fmt::format("operation {}: the tables and operators of the model take {} "
                                   "bytes with its own: must be at most {}",
                                   operation, bytes, kMaximumKeptBytes));
    }
    return {};
}

void Plan::addStep(std::unique_ptr<Step> step, std::uint32_t operation,
                   std::span<const Place> places) {
    NNBURST_ASSERT(step != nullptr, "operation {} has no step", operation);
    PlannedStep planned{.step = std::move(step),
                        .operands = std::vector<std::byte*>(places.size()),
                        .operation = operation,
                        .keptBytes = 0,
                        .isMoved = true};
    planned.keptBytes = planned.step->keptBytes();
    for (std::size_t operand = 0; operand < places.size(); ++operand) {
        const Place& place = places[operand];
        switch (place.kind) {
            case Place::Kind::NOWHERE:
                break;
            case Place::Kind::CONSTANT:
                NNBURST_ASSERT(place.constant != nullptr,
                               "operation {}: constant operand {} is null", operation, operand);
                planned.operands[operand] = place.constant;
                break;
            case Place::Kind::ARENA:
                planned.operands[operand] = arena_.data() + place.offset;
                break;
            case Place::Kind::ARGUMENT:
                NNBURST_ASSERT(place.argument < arguments_.size(),
                               "operation {}: operand {} is argument {} of {}", operation, operand,
                               place.argument, arguments_.size());
                arguments_[place.argument].uses.push_back(
                    {static_cast<std::uint32_t>(steps_.size()), static_cast<std::uint32_t>(operand),
                     place.offset});
                break;
        }
    }
    steps_.push_back(std::move(planned));
}

Result<> Plan::setUp(std::byte* anywhere, const RunLimits& limits) {
    for (Argument& argument : arguments_) {
        move(argument, anywhere);
    }
    NNBURST_TRY(limits.chargePlan(memoryBytes_));
    std::uint64_t keptBytes = 0;
    for (PlannedStep& step : steps_) {
        if (limits.isOver()) {
            return limits.endedBefore(step.operation);
        }
        NNBURST_TRY(step.step->setUp(step.operands));
        step.isMoved = false;
        const std::uint64_t ofStep = step.step->keptBytes();
        keptBytes += ofStep;
        NNBURST_TRY(checkKept(keptBytes, step.operation));
        NNBURST_TRY(limits.chargePlan(ofStep - std::min(ofStep, step.keptBytes)));
        step.keptBytes = ofStep;
    }
    memoryBytes_ += keptBytes;
    return {};
}

bool Plan::isMultithreaded() const noexcept {
    return std::any_of(steps_.begin(), steps_.end(),
                       [](const PlannedStep& step) { return step.step->isMultithreaded(); });
}

void Plan::move(Argument& argument, std::byte* data) noexcept {
    argument.data = data;
    ++placement_;
    for (const Use& use : argument.uses) {
        steps_[use.step].operands[use.operand] = data + use.offset;
        steps_[use.step].isMoved = true;
    }
}

void Plan::place(std::span<std::byte* const> arguments) noexcept {
    NNBURST_ASSERT(arguments.size() == arguments_.size(), "{} addresses for {} arguments",
                   arguments.size(), arguments_.size());
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        if (arguments[index] != arguments_[index].data) {
            move(arguments_[index], arguments[index]);
        }
    }
}

Result<> Plan::run(const RunLimits& limits) {
    if (!steps_.empty() && !limits.yieldThenCheck()) {
        return limits.endedBefore(steps_.front().operation);
    }
    return runAtOnce(limits);
}

Result<> Plan::runAtOnce(const RunLimits& limits) {
    const auto failedIn = [](const PlannedStep& step, const Result<>& result) {
        return failure(result.error().status,
                       fmt::format("operation {}: {}", step.operation, result.error().message));
    };
    TimeLimit timeLimit = limits.timeLimit();
    for (PlannedStep& step : steps_) {
        const bool isFirst = &step == steps_.data();
        if (!(isFirst ? limits.mayBegin() : limits.yieldThenCheck())) {
            return limits.endedBefore(step.operation);
        }
        if (step.isMoved) {
            if (const Result<> result = step.step->setUp(step.operands); !result) {
                return failedIn(step, result);
            }
            step.isMoved = false;
        }
        if (const Result<> result = step.step->run(timeLimit); !result) {
            return failedIn(step, result);
        }
        if (timeLimit.isOver()) {
            return limits.endedIn(step.operation);
        }
    }
    return {};
}

Result<> Plan::warmUp(const RunLimits& limits) {
    arena_.touch(kTouchedArenaBytes);
    const TimePoint end = std::chrono::steady_clock::now() + kWarmUpOfPlan;
    for (PlannedStep& step : steps_) {
        if (!limits.yieldThenCheck()) {
            return limits.endedBefore(step.operation);
        }
        const TimePoint now = std::chrono::steady_clock::now();
        const bool fillsTable = step.step->fillsTable();
        if (now >= end && !fillsTable) {
            continue;
        }
        if (step.isMoved) {
            NNBURST_TRY(step.step->setUp(step.operands));
            step.isMoved = false;
        }
        RunLimits ofStep = limits;
        if (!fillsTable) {
            ofStep.deadline = now + kWarmUpOfStep;
        }
        TimeLimit timeLimit = ofStep.timeLimit();
        NNBURST_TRY(step.step->run(timeLimit));
    }
    return {};
}

}  // namespace nnburst::exec
