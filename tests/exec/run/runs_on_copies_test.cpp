// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Runs whose arguments are not aligned, and are copied.

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "exec/threads/execution_gate.h"
#include "model_users.h"
#include "support/page_drops.h"

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;

/// A model that doubles `bytes` bytes of floats, and a request whose input is not aligned.
class UnalignedRun {
  public:
    explicit UnalignedRun(std::uint32_t bytes)
        : model_(compile(doubling({bytes / 4}), true)),
          memory_(*AlignedBuffer::allocate(2 * bytes + 4)) {
        const std::vector<PoolView> pools{{memory_.data(), 2 * bytes + 4}};
        const std::vector<RequestArgument> inputs{{.location = {.offset = 1, .length = bytes}}};
        const std::vector<RequestArgument> outputs{
            {.location = {.offset = bytes + 4, .length = bytes}}};
        EXPECT_TRUE(model_->bind(inputs, outputs, pools, bindings_));
        EXPECT_TRUE(bindings_.hasUnaligned);
    }
    Result<> run(const ExecutionOptions& options = {}) {
        return model_->run(bindings_, Priority::MEDIUM, options, outcome_);
    }

  private:
    std::shared_ptr<CompiledModel> model_;
    AlignedBuffer memory_;
    RequestBindings bindings_;
    ExecutionOutcome outcome_;
};

TEST(RunsOnCopies, copyNoWholeArgumentAfterTheDeadline) {
    UnalignedRun unaligned(4 << 20);
    const Result<> result = unaligned.run({.deadline = TimePoint()});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "the deadline has passed while arguments were copied");
    EXPECT_TRUE(unaligned.run());
}

TEST(RunsOnCopies, dropNoPagesOfCopiesThatAreFreedInOnePiece) {
    UnalignedRun unaligned(1 << 20);
    ASSERT_TRUE(unaligned.run());
    test::resetDrops();
    ASSERT_TRUE(unaligned.run());
    EXPECT_EQ(test::droppedBytes(), 0U);
}

/// A burst's thread wakes the next execution after its answer, but not after gigabytes were copied
/// back.
TEST(RunsOnCopies, wakeTheNextExecutionBeforeTheyCopyBack) {
    const auto engine = engineWith(1);
    const auto model = compileOn(engine, doubling({4}));
    const auto other = compileOn(engine, doubling({8}));
    ASSERT_TRUE(model && other);
    constexpr std::uint32_t kBytes = 64;
    AlignedBuffer memory = *AlignedBuffer::allocate(kBytes);
    std::memset(memory.data(), 0, kBytes);
    const std::vector<PoolView> pools{{memory.data(), kBytes}};
    const std::vector<RequestArgument> inputs{{.location = {.offset = 1, .length = 16}}};
    const std::vector<RequestArgument> outputs{{.location = {.offset = 32, .length = 16}}};
    RequestBindings bindings;
    ASSERT_TRUE(model->bind(inputs, outputs, pools, bindings));
    ASSERT_TRUE(bindings.hasUnaligned);
    HeldMemory held(sizeOf(model->outputs()[0]));
    bindings.outputs[0].memory = &held;
    std::thread running([&] {
        ExecutionGate::WakeList lateWakes;
        ExecutionOutcome outcome;
        EXPECT_TRUE(
            model->run(bindings, Caller(Priority::MEDIUM, nullptr, 0, &lateWakes), {}, outcome));
        EXPECT_TRUE(lateWakes.isEmpty());
    });
    held.awaitAsked();
    std::thread waiting([&] { EXPECT_TRUE(User(other, 1).run()); });
    while (kernelEngine(*engine).gate().waitingCount() == 0) {
        std::this_thread::yield();
    }
    std::this_thread::sleep_for(10ms);  // most likely it sleeps
    held.release();
    running.join();
    waiting.join();
}

}  // namespace
}  // namespace nnburst::exec
