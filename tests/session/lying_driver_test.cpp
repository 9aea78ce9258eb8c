// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Sessions with a driver that lies about the size of an output.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "nnburst/session.h"
#include "support/unused_methods.h"

namespace nnburst {
namespace {

/// Ends an execution whose output has room for so many bytes.
using Answer = std::function<Result<>(std::uint32_t roomBytes, ExecutionOutcome& outcome)>;

class LyingExecution final : public test::UnusedReusableExecution {
  public:
    LyingExecution(Answer answer, std::uint32_t roomBytes)
        : answer_(std::move(answer)), roomBytes_(roomBytes) {}
    Result<> compute(const OptionalTimePoint&, ExecutionOutcome& outcome) override {
        return answer_(roomBytes_, outcome);
    }

  private:
    const Answer answer_;
    const std::uint32_t roomBytes_;
};

class LyingBurst final : public test::UnusedBurst {
  public:
    LyingBurst(Answer answer, const bool& isFull) : answer_(std::move(answer)), isFull_(isFull) {}
    Result<std::unique_ptr<ReusableExecution>> createReusableExecution(
        const Request& request, const ExecutionOptions&) override {
        if (isFull_) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT, "too many executions");
        }
        return std::make_unique<LyingExecution>(answer_, request.outputs[0].location.length);
    }

  private:
    const Answer answer_;
    const bool& isFull_;  // reusable executions are refused
};

class LyingModel final : public test::UnusedPreparedModel {
  public:
    LyingModel(Answer answer, const bool& isFull) : answer_(std::move(answer)), isFull_(isFull) {}
    Result<std::unique_ptr<Burst>> configureExecutionBurst(const BurstOptions&) override {
        return std::make_unique<LyingBurst>(answer_, isFull_);
    }

  private:
    const Answer answer_;
    const bool& isFull_;
};

constexpr bool kNeverFull = false;

/// A session with one input and one output of unknown length, 4 bytes of which there is room for.
/// Its burst refuses reusable executions while `isFull`.
Session makeSession(Answer answer, const bool& isFull = kNeverFull) {
    ModelSignature signature;
    signature.inputs = {{.name = "in", .dimensions = {1}}};
    signature.outputs = {{.name = "out", .dimensions = {0}}};
    auto session =
        Session::create(std::make_shared<LyingModel>(std::move(answer), isFull), signature,
                        {.openOutputBytes = 4, .maximumOpenOutputBytes = 64 << 20});
    EXPECT_TRUE(session) << session.error().message;
    return std::move(*session);
}

Result<> insufficient(ExecutionOutcome& outcome, std::uint32_t elements) {
    outcome.outputShapes = {{.dimensions = {elements}, .isSufficient = false}};
    return failure(ErrorStatus::OUTPUT_INSUFFICIENT_SIZE, "output 0 is too small");
}

/// Ends a session that would repeat a run for ever.
Result<> tooManyRuns() {
    return failure(ErrorStatus::GENERAL_FAILURE, "the run was repeated too often");
}

TEST(SessionOfALyingDriver, repeatsNoRunForEver) {
    int runs = 0;
    Session session = makeSession([&runs](std::uint32_t roomBytes, ExecutionOutcome& outcome) {
        return ++runs > 32 ? tooManyRuns() : insufficient(outcome, roomBytes / 4 + 1);
    });
    EXPECT_EQ(session.run().error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
}

TEST(SessionOfALyingDriver, doesNotRepeatARunWhoseOutputHadRoom) {
    int runs = 0;
    Session session = makeSession([&runs](std::uint32_t roomBytes, ExecutionOutcome& outcome) {
        return ++runs > 1 ? tooManyRuns() : insufficient(outcome, roomBytes / 4);
    });
    EXPECT_EQ(session.run().error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
}

TEST(SessionOfALyingDriver, usesTheLargerOutputAlsoAfterARunThatCouldNotBeRepeated) {
    bool isFull = false;
    std::vector<std::uint32_t> rooms;
    Session session = makeSession(
        [&](std::uint32_t roomBytes, ExecutionOutcome& outcome) {
            rooms.push_back(roomBytes);
            isFull = true;
            return insufficient(outcome, roomBytes == 4 ? 2 : 1);
        },
        isFull);
    EXPECT_EQ(session.run().error().message, "too many executions");
    isFull = false;
    EXPECT_EQ(session.run().error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_EQ(rooms, (std::vector<std::uint32_t>{4, 8}));
}

TEST(SessionOfALyingDriver, givesNoMoreThanThereIsRoomFor) {
    std::uint32_t elements = 1;
    Session session = makeSession([&](std::uint32_t, ExecutionOutcome& outcome) -> Result<> {
        outcome.outputShapes = {{.dimensions = {elements}, .isSufficient = true}};
        return {};
    });
    ASSERT_TRUE(session.run());
    for (const std::uint32_t tooMany : {2U, 1U << 20U}) {
        elements = tooMany;
        const Result<> result = session.run();
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::GENERAL_FAILURE);
        EXPECT_EQ(session.output<float>()->size(), 1U);
        EXPECT_EQ(session.outputs()[0].dimensions, Dimensions{1});
    }
}

TEST(SessionOfALyingDriver, needsToKnowTheSizeOfAnOutput) {
    Session session = makeSession([](std::uint32_t, ExecutionOutcome& outcome) -> Result<> {
        outcome.outputShapes.clear();
        return {};
    });
    EXPECT_EQ(session.run().error().message,
              "session output TENSOR_FLOAT32 \"out\" of dimensions 0: the driver did not say how "
              "large it is");
}

}  // namespace
}  // namespace nnburst
