// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// In the steady state an execution through a burst takes no system call and no heap allocation,
/// neither in the client nor in the driver. Both ends run in one forked child, the real
/// kernels behind them, so that one count covers both.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "fakes.h"
#include "nnburst/builtin_models.h"
#include "support/allocation_counter.h"
#include "support/system_call_counter.h"

namespace nnburst::burst {
namespace {

constexpr int kExecutions = 2000;

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

/// Waits until all threads of this process but the caller sleep.
void waitForSleepOfOthers() {
    const auto isAwake = [](const std::filesystem::directory_entry& thread) {
        std::ifstream file(thread.path() / "stat");
        std::string stat;
        std::getline(file, stat);
        const std::size_t state = stat.rfind(") ") + 2;
        return thread.path().filename() != std::to_string(::gettid()) && stat.size() > state &&
               stat[state] != 'S';
    };
    while (std::ranges::any_of(std::filesystem::directory_iterator("/proc/self/task"), isAwake)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

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
        waitForSleepOfOthers();  // threads that were started have reached their wait
        executeSome();
    }

    void executeSome() {
        for (int i = 0; i < 10; ++i) {
            const Result<> result = execute();
            ASSERT_TRUE(result) << result.error().message;
        }
    }

    SteadyState() {
        CPU_ZERO(&processors);
        EXPECT_EQ(::sched_getaffinity(0, sizeof(processors), &processors), 0);
    }
    ~SteadyState() override { ::sched_setaffinity(0, sizeof(processors), &processors); }

    /// Client and driver run on processors of their own if there are two: on one they would rightly
    /// sleep. A thread starts with the processors of its creator.
    void startServer(const std::shared_ptr<exec::CompiledModel>& model,
                     const std::shared_ptr<DriverControlPlane>& driver) {
        cpu_set_t driversOwn;
        CPU_ZERO(&driversOwn);
        cpu_set_t others = processors;
        if (CPU_COUNT(&processors) > 1) {
            int first = 0;
            while (!CPU_ISSET(first, &processors)) {
                ++first;
            }
            CPU_SET(first, &driversOwn);
            CPU_CLR(first, &others);
            ::sched_setaffinity(0, sizeof(driversOwn), &driversOwn);
        }
        server = std::move(
            *Server::create(controller->channel(),
                            {.model = model, .buffers = std::make_shared<exec::ManagedBuffers>()},
                            driver, {.mode = way().mode}, servingThreads));
        ::sched_setaffinity(0, sizeof(others), &others);
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

    cpu_set_t processors{};  ///< of this thread, before the test
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
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers bring their own allocator";
    }
    warmUp();
    const std::uint64_t before = test::allocationCount();
    ASSERT_TRUE(executeMany());
    EXPECT_EQ(test::allocationCount() - before, 0U);
}

TEST_P(SteadyState, allocatesNothingWithDeadlinesAndTiming) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers bring their own allocator";
    }
    options = {.measure = MeasureTiming::YES,
               .deadline = std::chrono::steady_clock::now() + std::chrono::hours(1)};
    warmUp();
    const std::uint64_t before = test::allocationCount();
    ASSERT_TRUE(executeMany());
    EXPECT_EQ(test::allocationCount() - before, 0U);
}

/// Futex calls, and the fences of sleeping threads, are allowed in the few executions in which the
/// machine kept one side from running for longer than the other spins. More of them, and all other
/// calls, would be calls of the path itself.
constexpr std::uint64_t kUnluckyExecutions = kExecutions / 10;

/// A side that sleeps makes system calls.
class SteadyStateOfSpinners : public SteadyState {};

TEST_P(SteadyStateOfSpinners, makesNoSystemCall) {
    if (test::kHasSanitizer) {
        GTEST_SKIP() << "sanitizers make system calls of their own";
    }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        warmUp();
        if (!test::countAllSystemCallsFromNow()) {
            ::_exit(77);
        }
        const bool isDone = executeMany();
        const test::SystemCalls calls = test::systemCalls();
        const bool isSilent = calls.others == 0 && calls.futexes <= kUnluckyExecutions &&
                              calls.fences <= kUnluckyExecutions;
        if (!isDone || !isSilent) {
            std::fprintf(stderr, "%llu futex calls, %llu fences, %llu other calls, done %d\n",
                         static_cast<unsigned long long>(calls.futexes),
                         static_cast<unsigned long long>(calls.fences),
                         static_cast<unsigned long long>(calls.others), isDone);
        }
        ::_exit(isDone && isSilent ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    if (WEXITSTATUS(status) == 77) {
        GTEST_SKIP() << "the kernel does not allow seccomp filters here";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
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
