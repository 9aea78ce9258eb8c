// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// In the steady state executions of a divided model and of a part with a replacement, through
/// bursts, take no system call and no heap allocation. The devices are in this process; what their
/// bursts to drivers take is for burst_steady_state_test.

#include "burst/steady_state.h"
#include "device/hal_models.h"
#include "nnburst/model_builder.h"
#include "runtime/divided_model.h"
#include "runtime_test.h"

namespace nnburst::runtime {
namespace {

using enum OperandType;
using enum OperationType;
using test::SmallRequest;

/// ADD and RELU in turn, of which the second operand is an output, too.
Model makeModel() {
    ModelBuilder builder;
    const auto in = builder.addTensor(TENSOR_FLOAT32, {16});
    std::vector<std::uint32_t> outputs;
    auto last = in;
    for (int i = 0; i < 4; ++i) {
        const auto next = builder.addTensor(TENSOR_FLOAT32, {16});
        if (i % 2 == 0) {
            builder.addOperation(ADD, {last, last, builder.addScalar(0)}, {next});
        } else {
            builder.addOperation(RELU, {last}, {next});
        }
        last = next;
        if (i == 0 || i == 3) {
            outputs.push_back(next);
        }
    }
    return std::move(*builder.build({in}, outputs));
}

/// Whether the model is divided.
class RuntimeSteadyState : public testing::TestWithParam<bool> {
  protected:
    void warmUp() {
        const bool isDivided = GetParam();
        const auto adds = std::make_shared<FilteredDevice>(
            localDevice(), [isDivided](const Model& model, std::size_t index) {
                return !isDivided || model.main.operations[index].type == ADD;
            });
        const auto rest = std::make_shared<FilteredDevice>(
            localDevice(), [](const Model& model, std::size_t index) {
                return model.main.operations[index].type != ADD;
            });
        runtime_ = runtimeOf({named("adds", adds), named("rest", rest)}, kSlow);
        auto compiled = runtime_->compile(makeModel(), {});
        ASSERT_TRUE(compiled) << compiled.error().message;
        ASSERT_EQ(dynamic_cast<const DividedModel*>(compiled->get()) != nullptr, isDivided);
        request_.emplace();
        request_->input(std::vector<float>(16, 1.5F), {}).output(64).output(64);
        burst_ = std::move(*(*compiled)->configureExecutionBurst({}));
        reusable_ = std::move(*burst_->createReusableExecution(request_->request, {}));
        ASSERT_TRUE(executeSome(20));
        test::waitForSleepOfOthers();
        ASSERT_TRUE(executeSome(20));
    }

    bool executeSome(int count) {
        const OptionalTimePoint deadline = std::chrono::steady_clock::now() + std::chrono::hours(1);
        bool isDone = true;
        for (int i = 0; i < count && isDone; ++i) {
            isDone =
                (i % 2 == 0 ? reusable_->compute(deadline, outcome_)
                            : burst_->execute(request_->request, {.deadline = deadline}, outcome_))
                    .has_value();
        }
        return isDone && request_->output<float>(1)[0] == 6.0F;
    }

  private:
    std::shared_ptr<Runtime> runtime_;
    std::optional<SmallRequest> request_;
    std::unique_ptr<Burst> burst_;
    std::unique_ptr<ReusableExecution> reusable_;
    ExecutionOutcome outcome_;
};

TEST_P(RuntimeSteadyState, allocatesNothing) {
    test::expectNoAllocation([this] { warmUp(); },
                             [this] { return executeSome(test::kExecutions); });
}

TEST_P(RuntimeSteadyState, makesNoSystemCall) {
    test::expectNoSystemCall([this] { warmUp(); },
                             [this] { return executeSome(test::kExecutions); });
}

/// The model of the device in this process alone, without a burst of the program.
TEST(SynchronousSteadyState, makesNoSystemCall) {
    const auto runtime = runtimeOf({});
    const auto compiled = runtime->compile(makeModel(), {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    SmallRequest request;
    request.input(std::vector<float>(16, 1.5F), {}).output(64).output(64);
    ExecutionOutcome outcome;
    const auto executeSome = [&](int count) {
        bool isDone = true;
        for (int i = 0; i < count && isDone; ++i) {
            isDone = (*compiled)->executeSynchronously(request.request, {}, outcome).has_value();
        }
        return isDone && request.output<float>(1)[0] == 6.0F;
    };
    test::expectNoSystemCall(
        [&] {
            ASSERT_TRUE(executeSome(20));
            test::waitForSleepOfOthers();
        },
        [&] { return executeSome(test::kExecutions); });
}

INSTANTIATE_TEST_SUITE_P(Model, RuntimeSteadyState, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "divided" : "whole"; });

}  // namespace
}  // namespace nnburst::runtime
