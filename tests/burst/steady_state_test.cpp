// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// In the steady state an execution through a burst takes no system call and no heap allocation,
/// neither in the client nor in the driver, the real kernels behind them.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "burst/steady_state.h"
#include "exec/run/engine.h"
#include "fakes.h"
#include "nnburst/builtin_models.h"

namespace nnburst::burst {
namespace {

using test::kExecutions;

struct SteadyModel {
    const char* name;
    Result<Model> (*make)();
};

/// How the executions are made.
struct Way {
    const char* name;
    bool isReusable;
    WaitMode mode;
};

class SteadyState : public testing::TestWithParam<std::tuple<SteadyModel, Way>> {
  protected:
    [[nodiscard]] const SteadyModel& model() const { return std::get<SteadyModel>(GetParam()); }
    [[nodiscard]] const Way& way() const { return std::get<Way>(GetParam()); }

    /// A burst over the compiled model, a request with memory for it, and a few executions done.
    void warmUp() {
        auto made = model().make();
        ASSERT_TRUE(made) << made.error().message;
        auto engine = exec::Engine::create({});
        ASSERT_TRUE(engine) << engine.error().message;
        auto compiled = exec::CompiledModel::compile(*engine, *made);
        ASSERT_TRUE(compiled) << compiled.error().message;

        controller = std::move(*Controller::create({.clientWait = {.mode = way().mode}}));
        auto client = std::make_shared<FakeClientControlPlane>();
        auto driver = std::make_shared<FakeDriverControlPlane>(
            [this](std::span<const std::int32_t> slots) -> Result<std::vector<SharedRegion>> {
                return asReceived(controller->getMemories(slots));
            });
        startServer(*compiled, driver);
        controller->attach(client, {.doorbell = server->takeDoorbell()});

        pool.emplace(*MemoryPool::create(8 << 20));
        const auto allocate = [&](std::span<const Operand> operands,
                                  std::vector<RequestArgument>& arguments) {
            for (const Operand& operand : operands) {
                std::uint64_t bytes =
                    operand.type == OperandType::TENSOR_FLOAT32 ? sizeof(float) : 1;
                for (const std::uint32_t size : operand.dimensions) {
                    bytes *= size;
                }
                blocks.push_back(*pool->allocate(bytes));
                arguments.push_back({.hasNoValue = false,
                                     .location = {.poolIndex = 0,
                                                  .offset = blocks.back().offset(),
                                                  .length = blocks.back().length()},
                                     .dimensions = {}});
            }
        };
        allocate((*compiled)->inputs(), request.inputs);
        allocate((*compiled)->outputs(), request.outputs);
        request.pools = {pool->region()};
        reusable = std::move(*controller->createReusableExecution(request, options));
        executeSome();
        test::waitForSleepOfOthers();  // threads that were started have reached their wait
        executeSome();
    }

    void executeSome() {
        for (int i = 0; i < 10; ++i) {
            const Result<> result = execute();
            ASSERT_TRUE(result) << result.error().message;
        }
    }

    void startServer(const std::shared_ptr<exec::CompiledModel>& model,
                     const std::shared_ptr<DriverControlPlane>& driver) {
        processors.onDriversOwn([&] {
            server = std::move(*Server::create(
                controller->channel(),
                {.model = model, .buffers = std::make_shared<exec::ManagedBuffers>()}, driver,
                {.mode = way().mode}, servingThreads));
        });
    }

    Result<> execute() {
        return way().isReusable ? reusable->compute(options.deadline, outcome)
                                : controller->execute(request, options, outcome);
    }

    bool executeMany() {
        for (int i = 0; i < kExecutions; ++i) {
            if (!execute()) {
                return false;
            }
        }
        return true;
    }

    test::ProcessorsOfBothEnds processors;
    std::shared_ptr<ServingThreadPool> servingThreads = *ServingThreadPool::create();
    std::shared_ptr<Controller> controller;
    std::unique_ptr<Server> server;
    std::optional<MemoryPool> pool;
    std::vector<MemoryPool::Block> blocks;
    Request request;
    ExecutionOptions options;
    ExecutionOutcome outcome;
    std::unique_ptr<ReusableExecution> reusable;
};

TEST_P(SteadyState, allocatesNothing) {
    test::expectNoAllocation([this] { warmUp(); }, [this] { return executeMany(); });
}

TEST_P(SteadyState, allocatesNothingWithDeadlinesAndTiming) {
    options = {.measure = MeasureTiming::YES,
               .deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)};
    test::expectNoAllocation([this] { warmUp(); }, [this] { return executeMany(); });
}

/// A side that sleeps makes system calls.
class SteadyStateOfSpinners : public SteadyState {};

TEST_P(SteadyStateOfSpinners, makesNoSystemCall) {
    test::expectNoSystemCallOfBurst([this] { warmUp(); }, [this] { return executeMany(); });
}

TEST_P(SteadyStateOfSpinners, makesNoSystemCallForACompletionDescriptorThatIsNotArmed) {
    test::expectNoSystemCallOfBurst(
        [this] {
            warmUp();
            ASSERT_TRUE(controller->completionDescriptor());
            ASSERT_FALSE(controller->armCompletion().value_or(true));
            executeSome();  // the driver has rung for the first of them
        },
        [this] { return executeMany(); });
}

const auto kModels = testing::Values(
    SteadyModel{"mobileNetFloat",
                [] { return makeMobileNetV1({.width = 0.25F, .resolution = 32}); }},
    SteadyModel{"mobileNetQuant8",
                [] {
                    return makeMobileNetV1(
                        {.width = 0.25F, .resolution = 32, .precision = BuiltinPrecision::QUANT8});
                }},
    SteadyModel{"streamingLstm", [] { return makeStreamingLstm(); }});

std::string nameOf(const testing::TestParamInfo<std::tuple<SteadyModel, Way>>& instance) {
    return std::string(std::get<SteadyModel>(instance.param).name) + "_" +
           std::get<Way>(instance.param).name;
}

INSTANTIATE_TEST_SUITE_P(
    Burst, SteadyState,
    testing::Combine(kModels, testing::Values(Way{"plain", false, WaitMode::ADAPTIVE},
                                              Way{"plainBlocking", false, WaitMode::BLOCK},
                                              Way{"reusable", true, WaitMode::ADAPTIVE},
                                              Way{"reusableBlocking", true, WaitMode::BLOCK})),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    Burst, SteadyStateOfSpinners,
    testing::Combine(kModels, testing::Values(Way{"plain", false, WaitMode::ADAPTIVE},
                                              Way{"plainSpinning", false, WaitMode::SPIN},
                                              Way{"reusable", true, WaitMode::ADAPTIVE},
                                              Way{"reusableSpinning", true, WaitMode::SPIN})),
    nameOf);

}  // namespace
}  // namespace nnburst::burst
