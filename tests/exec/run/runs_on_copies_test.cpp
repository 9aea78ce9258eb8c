// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Runs whose arguments are not aligned, and are copied.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <thread>

#include "exec/run/aligned_arguments.h"
#include "exec/threads/execution_gate.h"
#include "model_bursts.h"
#include "nnburst/model_builder.h"
#include "support/eventually.h"
#include "support/page_drops.h"

namespace nnburst::exec {
namespace {

/// The first and the last of `count` floats.
Model endsOf(std::uint32_t count) {
    ModelBuilder builder;
    const auto constant = [&](std::uint32_t value) {
        return builder.addConstant(OperandType::TENSOR_INT32, {1},
                                   std::as_bytes(std::span(&value, 1)));
    };
    const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto output = builder.addTensor(OperandType::TENSOR_FLOAT32, {2});
    const auto noMask = builder.addScalar(0);
    builder.addOperation(
        OperationType::STRIDED_SLICE,
        {input, constant(0), constant(count), constant(count - 1), noMask, noMask, noMask},
        {output});
    return build(builder, {input}, {output});
}

/// A model of one input and one output, and a request whose arguments are not aligned.
class UnalignedRun {
  public:
    UnalignedRun(const std::shared_ptr<Engine>& engine, const Model& source)
        : model_(compileOn(engine, source)),
          inputBytes_(static_cast<std::uint32_t>(sizeOf(model_->inputs()[0]))),
          outputBytes_(static_cast<std::uint32_t>(sizeOf(model_->outputs()[0]))),
          memory_(*AlignedBuffer::allocate(1 + inputBytes_ + outputBytes_)) {
        const std::vector<PoolView> pools{{memory_.data(), 1 + inputBytes_ + outputBytes_}};
        const std::vector<RequestArgument> inputs{
            {.location = {.offset = 1, .length = inputBytes_}}};
        const std::vector<RequestArgument> outputs{
            {.location = {.offset = 1 + inputBytes_, .length = outputBytes_}}};
        EXPECT_TRUE(model_->bind(inputs, outputs, pools, bindings_));
        EXPECT_TRUE(bindings_.hasUnaligned);
    }
    Result<> run(const Caller& caller = Priority::MEDIUM) {
        return model_->run(bindings_, caller, {}, outcome_);
    }
    void setInput(std::uint32_t index, float value) {
        std::memcpy(memory_.data() + 1 + index * sizeof(value), &value, sizeof(value));
    }
    [[nodiscard]] float output(std::uint32_t index) const {
        float value = 0;
        std::memcpy(&value, memory_.data() + 1 + inputBytes_ + index * sizeof(value),
                    sizeof(value));
        return value;
    }

  private:
    std::shared_ptr<CompiledModel> model_;
    std::uint32_t inputBytes_;
    std::uint32_t outputBytes_;
    AlignedBuffer memory_;
    RequestBindings bindings_;
    ExecutionOutcome outcome_;
};

TEST(RunsOnCopies, copyNoWholeArgumentAfterTheDeadline) {
    constexpr std::uint32_t kBytes = 4 << 20;
    const AlignedBuffer memory = *AlignedBuffer::allocate(kBytes + 1);
    RequestBindings bindings;
    bindings.inputs.push_back(
        {.data = memory.data() + 1, .lengthBytes = kBytes, .isUnaligned = true});
    const Result<> result = AlignedArguments().copy(bindings, {.deadline = TimePoint()});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "the deadline has passed while arguments were copied");
    EXPECT_TRUE(AlignedArguments().copy(bindings, {}));
}

TEST(RunsOnCopies, dropNoPagesOfCopiesThatAreFreedInOnePiece) {
    UnalignedRun unaligned(engineWith(1), doubling({1 << 18}));
    ASSERT_TRUE(unaligned.run());
    test::resetDrops();
    ASSERT_TRUE(unaligned.run());
    EXPECT_EQ(test::droppedBytes(), 0U);
}

/// Dropping the pages of gigabytes takes long, and waits for other threads that drop pages.
TEST(RunsOnCopies, freeTheCopiesAfterTheyHaveLeftTheGate) {
    const auto engine = engineWith(1);
    UnalignedRun unaligned(engine, endsOf(2 << 20));
    ASSERT_TRUE(unaligned.run());
    std::optional<test::HeldDrops> held(std::in_place);
    std::thread running([&] {
        KeptPass kept;
        EXPECT_TRUE(unaligned.run({Priority::MEDIUM, nullptr, 0, &kept}));
    });
    EXPECT_TRUE(test::eventually([] { return test::HeldDrops::isOneWaiting(); }));
    EXPECT_FALSE(engine->gate().isBusy());
    held.reset();
    running.join();
}

/// What the copies of a client cost others is limited by the gate.
TEST(RunsOnCopies, copyNothingBeforeTheyAreAdmitted) {
    const auto engine = engineWith(1);
    UnalignedRun unaligned(engine, doubling({4}));
    unaligned.setInput(0, 1);
    RunnerSet models;
    std::optional<ExecutionGate::Pass> holder(std::in_place, engine->gate(), models);
    ASSERT_TRUE(holder->enter({}));
    std::thread running([&] { EXPECT_TRUE(unaligned.run()); });
    EXPECT_TRUE(test::eventually([&] { return engine->gate().waitingCount() == 1; }));
    unaligned.setInput(0, 2);
    holder.reset();
    running.join();
    EXPECT_EQ(unaligned.output(0), 4);
}

TEST(RunsOnCopies, yieldToOtherClientsWhileTheyCopy) {
    constexpr std::uint32_t kCount = 8 << 20;
    const auto engine = engineWith(1);
    UnalignedRun unaligned(engine, endsOf(kCount));
    LaneShare another;
    std::atomic<bool> isOver{false};
    // Changes the input whenever it has all lanes.
    std::thread other([&] {
        RunnerSet models;
        for (float value = 1; !isOver; value += 1) {
            ExecutionGate::Pass pass(engine->gate(), models, ExecutionGate::Width::ALL_LANES,
                                     &another);
            EXPECT_TRUE(pass.enter({}));
            unaligned.setInput(0, value);
            unaligned.setInput(kCount - 1, value);
        }
    });
    EXPECT_TRUE(test::eventually([&] {
        EXPECT_TRUE(unaligned.run());
        return unaligned.output(0) != unaligned.output(1);
    })) << "no copy was interrupted";
    isOver = true;
    other.join();
}

TEST(RunsOnCopies, yieldToOtherClientsWhileTheyCopyOutputsBack) {
    constexpr std::uint32_t kCount = 8 << 20;
    const auto engine = engineWith(1);
    UnalignedRun unaligned(engine, doubling({kCount}));
    const auto isPartlyCopied = [&] { return unaligned.output(0) != unaligned.output(kCount - 1); };
    LaneShare another;
    std::atomic<bool> isOver{false};
    std::atomic<bool> wasInterrupted{false};
    // Looks for a run that waits at the gate for the rest of its output.
    std::thread other([&] {
        RunnerSet models;
        while (!isOver && !wasInterrupted) {
            ExecutionGate::Pass pass(engine->gate(), models, ExecutionGate::Width::ALL_LANES,
                                     &another);
            EXPECT_TRUE(pass.enter({}));
            if (isPartlyCopied()) {
                wasInterrupted =
                    test::eventually([&] { return engine->gate().waitingCount() == 1; }) &&
                    isPartlyCopied();
            }
        }
    });
    float value = 0;
    EXPECT_TRUE(test::eventually([&] {
        value += 1;
        unaligned.setInput(0, value);
        unaligned.setInput(kCount - 1, value);
        EXPECT_TRUE(unaligned.run());
        return wasInterrupted.load();
    })) << "no copy was interrupted";
    isOver = true;
    other.join();
}

}  // namespace
}  // namespace nnburst::exec
