// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "exec/operation/control_flow.h"
#include "exec/plan/arena.h"
#include "log/assert.h"
#include "model/invalid.h"
#include "model/operand_info.h"
#include "system/time.h"

namespace nnburst::exec {

namespace {

constexpr const char* kTimeLimitName = "time limit of the WHILE";

}  // namespace

/// The outputs of an iteration, which are the state of the next one.
class Loop::State final : public GraphOutputs {
  public:
    State(Buffers& buffers, std::vector<GraphInput>& placed, Account* account)
        : buffers_(buffers), placed_(placed), account_(account) {
        for (const ChargedBuffer& buffer : buffers_) {
            bytes_ += buffer.capacityBytes();
        }
    }

    [[nodiscard]] bool wants(std::size_t /*output*/) const noexcept override { return true; }

    [[nodiscard]] Result<std::byte*> place(std::size_t output, const Shape& shape,
                                           std::uint64_t sizeBytes) override {
        NNBURST_ASSERT(output < buffers_.size(), "output {} of {}", output, buffers_.size());
        ChargedBuffer& buffer = buffers_[output];
        const std::uint64_t others = bytes_ - buffer.capacityBytes();
        const std::uint64_t most = kMaximumArenaBytes - std::min(others, kMaximumArenaBytes);
        if (sizeBytes > most) {
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT,
                fmt::format("the state of a WHILE needs more than {} bytes", kMaximumArenaBytes));
        }
        const Result<std::byte*> data = buffer.reserve(sizeBytes, account_, most);
        bytes_ = others + buffer.capacityBytes();
        NNBURST_TRY(data);
        placed_[output] = {.shape = shape, .data = *data};
        return *data;
    }

    [[nodiscard]] Result<> sufficient() const override { return {}; }

  private:
    Buffers& buffers_;
    std::vector<GraphInput>& placed_;
    Account* const account_;
    std::uint64_t bytes_ = 0;  // of all buffers
};

/// The output of the condition.
class Loop::Condition final : public GraphOutputs {
  public:
    [[nodiscard]] bool wants(std::size_t /*output*/) const noexcept override { return true; }

    [[nodiscard]] Result<std::byte*> place(std::size_t /*output*/, const Shape& shape,
                                           std::uint64_t /*sizeBytes*/) override {
        if (shape != Shape{1}) {
            return invalid("WHILE: the condition's output has shape {}; must be 1",
                           dimensionsText(shape.sizes()));
        }
        return value_;
    }

    [[nodiscard]] Result<> sufficient() const override { return {}; }
    [[nodiscard]] bool value() const noexcept { return readCondition(value_); }

  private:
    alignas(kOperandAlignmentBytes) std::byte value_[kOperandAlignmentBytes]{};
};

Result<> Loop::run(GraphRunner& condition, GraphRunner& body, std::vector<GraphInput>& values,
                   const RunLimits& limits) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = system::saturatingAdd(Clock::now(), limits.loopTimeout);
    const std::size_t stateCount = body.graph().subgraph.outputIndexes.size();
    NNBURST_ASSERT(stateCount <= values.size(), "a body with {} outputs and {} inputs", stateCount,
                   values.size());
    current_.resize(stateCount);
    next_.resize(stateCount);
    placed_.resize(stateCount);
    RunLimits iterations = limits;
    if (!limits.deadline || end < *limits.deadline) {
        iterations.deadline = end;
        iterations.deadlineName = kTimeLimitName;
    }
    for (bool isFirst = true;; isFirst = false) {
        Condition result;
        // A loop that ends at once does so with a limit of zero, too.
        NNBURST_TRY(condition.run(values, result, isFirst ? limits : iterations));
        if (!result.value()) {
            return {};
        }
        if (Clock::now() >= end) {
            return failure(ErrorStatus::MISSED_DEADLINE_PERSISTENT,
                           fmt::format("the {} has passed: it is {} ns", kTimeLimitName,
                                       limits.loopTimeout.count()));
        }
        State state(next_, placed_, limits.account);
        NNBURST_TRY(body.run(values, state, iterations));
        std::copy(placed_.begin(), placed_.end(), values.begin());
        std::swap(current_, next_);
    }
}

void Loop::releaseScratch() const noexcept {
    for (const Buffers* buffers : {&current_, &next_}) {
        for (const ChargedBuffer& buffer : *buffers) {
            buffer.release();
        }
    }
}

}  // namespace nnburst::exec
