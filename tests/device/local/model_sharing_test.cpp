// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// One copy of a model that many clients bring, which releases memory while it is idle; and both
/// under load from several threads.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <future>
#include <latch>
#include <new>
#include <thread>
#include <vector>

#include "device/devices.h"
#include "device/driver_process.h"
#include "device/local/model_store.h"
#include "exec/run/engine.h"
#include "nnburst/builtin_models.h"
#include "nnburst/fence.h"
#include "nnburst/model_builder.h"
#include "support/held_accelerator.h"
#include "support/pooled_request.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

device::ModelSnapshot snapshotOf(const Model& model) {
    auto snapshot = device::ModelSnapshot::take(model);
    EXPECT_TRUE(snapshot) << snapshot.error().message;
    return std::move(*snapshot);
}

std::shared_ptr<exec::Engine> makeEngine() {
    return *exec::Engine::create({});
}

TEST(ModelSnapshot, isNamedByItsContentAlone) {
    const auto digest = snapshotOf(*makeStreamingLstm()).digest;
    EXPECT_EQ(snapshotOf(*makeStreamingLstm()).digest, digest) << "in other memory";
    EXPECT_NE(snapshotOf(*makeStreamingLstm({.seed = 2})).digest, digest) << "other weights";
    Model model = *makeStreamingLstm();
    model.relaxComputationFloat32toFloat16 = true;
    EXPECT_NE(snapshotOf(model).digest, digest);
    model = *makeStreamingLstm();
    model.main.operands[0].dimensions = {0, 0};
    EXPECT_NE(snapshotOf(model).digest, digest);
    model = *makeStreamingLstm();
    std::swap(model.main.outputIndexes[1], model.main.outputIndexes[2]);
    EXPECT_NE(snapshotOf(model).digest, digest);
    model = *makeStreamingLstm();
    model.main.operands[0].zeroPoint = 1;
    EXPECT_NE(snapshotOf(model).digest, digest);
}

TEST(ModelSnapshot, isNamedByScalesOfChannelsAndNumbersOfExtensions) {
    Model model = makeAddModel();
    model.main.operands[0].extraParams =
        SymmPerChannelQuantParams{.scales = {1.0F, 2.0F}, .channelDim = 0};
    model.extensionNameToPrefix = {{.name = "org.example", .prefix = 1}};
    const auto digest = snapshotOf(model).digest;
    Model other = model;
    std::get<SymmPerChannelQuantParams>(other.main.operands[0].extraParams).scales[1] = 3.0F;
    EXPECT_NE(snapshotOf(other).digest, digest);
    other = model;
    other.extensionNameToPrefix[0].prefix = 2;
    EXPECT_NE(snapshotOf(other).digest, digest);
}

TEST(ModelSnapshot, doesNotChangeWithTheClientsMemory) {
    const Model model = *makeStreamingLstm();
    const device::ModelSnapshot snapshot = snapshotOf(model);
    const Mapping theirs = *Mapping::map(model.pools[0]);
    std::memset(theirs.data(), 0xff, theirs.sizeBytes());
    const Mapping ours = *Mapping::map(snapshot.model.pools[0]);
    EXPECT_NE(
        std::memcmp(ours.data(), theirs.data(), std::min(ours.sizeBytes(), theirs.sizeBytes())), 0);
}

// A small model once had a driver hash terabytes: the same bytes, once for each operand.
TEST(ModelSnapshot, isRefusedForOperandsWithTheSameBytesThatTakeTooMuchTogether) {
    constexpr std::uint32_t kBytes = 256U << 20;  // 33 times is more than 8 GiB
    Model model = makeAddModel();
    Operand constant;
    constant.dimensions = {kBytes / 4};
    constant.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    constant.location = {
        .poolIndex = static_cast<std::uint32_t>(model.pools.size()), .offset = 0, .length = kBytes};
    model.main.operands.insert(model.main.operands.end(), 33, constant);
    model.pools.push_back(*Region::create(kBytes));
    const auto snapshot = device::ModelSnapshot::take(model);
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
}

TEST(ModelSnapshot, isNotTakenForAClientThatHasGone) {
    const std::atomic<bool> isCancelled{true};
    const auto snapshot = device::ModelSnapshot::take(makeAddModel(), nullptr, &isCancelled);
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().status, ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST(ModelSnapshot, isFreedBeforeTheClientHasItsModel) {
    const SharedDevice device = *makeLocalDevice();
    const Model model = *makeMobileNetV1({.resolution = 32});
    SharedPreparedModel prepared;
    std::promise<std::size_t> count;
    ASSERT_TRUE(device->prepareModel(model, {}, [&](Result<SharedPreparedModel> result) {
        EXPECT_TRUE(result);
        prepared = std::move(*result);
        count.set_value(descriptorCount(::getpid()));
    }));
    const std::size_t atCallback = count.get_future().get();
    std::this_thread::sleep_for(100ms);  // the job has ended
    EXPECT_EQ(atCallback, descriptorCount(::getpid()));
}

TEST(ModelStore, compilesAModelOnceForAllThatHaveIt) {
    device::ModelStore store(makeEngine());
    const device::ModelSnapshot snapshot = snapshotOf(*makeMobileNetV1({.resolution = 32}));
    std::vector<std::shared_ptr<exec::CompiledModel>> models(8);
    std::latch start(static_cast<std::ptrdiff_t>(models.size()));
    std::vector<std::thread> threads;
    for (auto& model : models) {
        threads.emplace_back([&store, &snapshot, &model, &start] {
            start.arrive_and_wait();
            model = *store.compile(snapshot);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const auto& model : models) {
        EXPECT_EQ(model, models[0]);
    }
    EXPECT_EQ(store.models().size(), 1U);
    models.clear();
    EXPECT_TRUE(store.models().empty()) << "it keeps nothing alive";
}

TEST(ModelStore, givesEachCallerTheErrorOfAModelThatCannotBe) {
    device::ModelStore store(makeEngine());
    Model model = makeAddModel();
    model.main.operands[0].type = OperandType::TENSOR_BOOL8;
    const device::ModelSnapshot snapshot = snapshotOf(model);
    for (int i = 0; i < 2; ++i) {
        EXPECT_FALSE(store.compile(snapshot));
    }
    EXPECT_TRUE(store.compile(snapshotOf(makeAddModel())));
}

/// Lacks memory the first time.
std::optional<exec::LatencyComparison> compareWithoutMemory(exec::CompiledModel& /*more*/,
                                                            exec::CompiledModel& /*fewer*/) {
    static bool isFirst = true;
    if (std::exchange(isFirst, false)) {
        throw std::bad_alloc();
    }
    return std::nullopt;
}

TEST(ModelStore, compilesAModelAgainAfterAnExceptionHasEndedItsCompilation) {
    ASSERT_TRUE(makeEngine());  // initialises XNNPACK
    device::ModelStore store(std::make_shared<exec::Engine>(
        exec::Engine::Settings{.threadCounts = {1, 2}, .compare = compareWithoutMemory}));
    const device::ModelSnapshot snapshot = snapshotOf(*makeMobileNetV1({.resolution = 96}));
    EXPECT_THROW((void)store.compile(snapshot), std::bad_alloc);
    EXPECT_TRUE(store.compile(snapshot)) << "it waits for no thread that has given up";
}

// The thread that compiles may have a low priority, and its client no hurry.
TEST(ModelStore, doesNotWaitWithoutLimitForAnotherThatCompilesTheModel) {
    const auto accelerator = std::make_shared<HeldAccelerator>(1);
    device::ModelStore store(makeEngine(), accelerator);
    const device::ModelSnapshot snapshot = snapshotOf(makeAddModel());
    std::shared_ptr<exec::CompiledModel> ofSlow;
    std::thread slow([&] { ofSlow = *store.compile(snapshot); });
    ASSERT_TRUE(eventually([&] { return accelerator->hasBegun(); }));
    const auto compiled = store.compile(snapshot);  // beside the other, which goes on
    accelerator->letGo();
    slow.join();
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(ofSlow, *compiled) << "the first result is shared";
}

TEST(ModelStore, waitsForAnotherThatCompilesTheModelUntilTheDeadlineAtMost) {
    const auto accelerator = std::make_shared<HeldAccelerator>(1);
    device::ModelStore store(makeEngine(), accelerator);
    const device::ModelSnapshot snapshot = snapshotOf(makeAddModel());
    std::thread slow([&] { EXPECT_TRUE(store.compile(snapshot)); });
    EXPECT_TRUE(eventually([&] { return accelerator->hasBegun(); }));
    const auto late =
        store.compile(snapshot, {}, {}, TimePoint(std::chrono::steady_clock::now() + 10ms));
    accelerator->letGo();
    slow.join();
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT) << late.error().message;
}

TEST(IdleModel, givesItsMemoryBackAndWorksAgain) {
    device::ModelStore store(makeEngine());
    const Model model = *makeMobileNetV1({.resolution = 64});
    const auto compiled = *store.compile(snapshotOf(model));
    auto pooled = std::move(*tools::PooledRequest::create(model));
    const Mapping memory = *Mapping::map(std::get<SharedRegion>(pooled.request().pools[0]));
    const exec::PoolView pool{.data = memory.data(), .sizeBytes = memory.sizeBytes()};
    exec::RequestBindings bindings;
    ASSERT_TRUE(compiled->bind(pooled.request().inputs, pooled.request().outputs,
                               std::span(&pool, 1), bindings));
    ExecutionOutcome outcome;
    ASSERT_TRUE(compiled->run(bindings, Priority::MEDIUM, {}, outcome));
    const std::vector<std::byte> expected(pooled.output(0).begin(), pooled.output(0).end());
    EXPECT_FALSE(compiled->releaseIfIdle()) << "it has just run";
    EXPECT_TRUE(compiled->releaseIfIdle());
    EXPECT_TRUE(compiled->releaseIfIdle());
    std::fill(pooled.output(0).begin(), pooled.output(0).end(), std::byte{0});
    ASSERT_TRUE(compiled->run(bindings, Priority::MEDIUM, {}, outcome));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), pooled.output(0).begin()));
}

// ---- Under load

/// A client of a driver that several threads of it share: prepares models that others prepare too,
/// and one of its own, executes them in every way and compares with what is right.
class BusyClient {
  public:
    BusyClient(SharedDevice device, std::uint32_t number)
        : device_(std::move(device)), number_(number) {}

    /// Until `end`; false if a result was wrong.
    bool run(std::chrono::steady_clock::time_point end) {
        bool isRight = true;
        for (std::uint32_t turn = 0; isRight && std::chrono::steady_clock::now() < end; ++turn) {
            // Every second model is the client's own.
            const std::uint32_t count = turn % 2 == 0 ? 4 + turn % 6 : 1000 + number_;
            PrepareOptions options;
            options.priority = static_cast<Priority>((number_ + turn) % 3);
            const auto prepared = prepareModel(*device_, makeAddModel(count), options);
            isRight = prepared && executeAllWays(**prepared, count);
        }
        return isRight;
    }

  private:
    bool executeAllWays(PreparedModel& prepared, std::uint32_t count) {
        const auto burst = prepared.configureExecutionBurst(
            {.clientWait = {.spinWindow = {}}, .driverWait = {.spinWindow = {}}});
        if (!burst) {
            return false;
        }
        for (int way = 0; way < 8; ++way) {
            AddRequest add(count);
            add.a()[0] = static_cast<float>(number_ * 100 + static_cast<std::uint32_t>(way));
            if (!execute(prepared, **burst, way % 4, add.request) ||
                add.out()[0] != add.a()[0] + add.b()[0] ||
                add.out()[count - 1] != add.a()[count - 1] + add.b()[count - 1]) {
                return false;
            }
        }
        return true;
    }

    static bool execute(PreparedModel& prepared, Burst& burst, int way, const Request& request) {
        ExecutionOutcome outcome;
        if (way == 0) {
            return burst.execute(request, {}, outcome).has_value();
        }
        if (way == 1) {
            return prepared.executeSynchronously(request, {}, outcome).has_value();
        }
        if (way == 2) {
            const auto fenced = prepared.executeFenced(request, {}, {}, {});
            Timing timing;
            return fenced && waitForFence(fenced->fence.get()) && fenced->callback(timing, timing);
        }
        std::promise<Result<>> ended;
        (void)prepared.execute(request, {}, [&](const Result<>& status, const ExecutionOutcome&) {
            ended.set_value(status);
        });
        return ended.get_future().get().has_value();
    }

    SharedDevice device_;
    const std::uint32_t number_;
};

/// How long clients are busy: NNBURST_STRESS_SECONDS, or short.
std::chrono::seconds stressTime() {
    const char* seconds = std::getenv("NNBURST_STRESS_SECONDS");
    return std::chrono::seconds(seconds == nullptr ? 3 : std::atoi(seconds));
}

class ManyClients : public testing::TestWithParam<Kind> {};

TEST_P(ManyClients, prepareAndExecuteEverythingAtOnce) {
    constexpr std::uint32_t kClients = 8;
    std::unique_ptr<DriverProcess> driver;
    SharedDevice local;
    if (GetParam() == Kind::CONNECT) {
        driver = std::make_unique<DriverProcess>();
    } else {
        local = *makeLocalDevice();
    }
    std::atomic<std::uint32_t> right{0};
    const auto end = std::chrono::steady_clock::now() + stressTime();
    std::vector<std::thread> clients;
    for (std::uint32_t number = 0; number < kClients; ++number) {
        clients.emplace_back([&, number] {
            BusyClient client(driver ? driver->connect() : local, number);
            right += client.run(end) ? 1 : 0;
        });
    }
    for (std::thread& client : clients) {
        client.join();
    }
    EXPECT_EQ(right, kClients);
}

INSTANTIATE_TEST_SUITE_P(Device, ManyClients, testing::Values(Kind::LOCAL, Kind::CONNECT),
                         [](const auto& instance) { return name(instance.param); });

}  // namespace
}  // namespace nnburst::test
