// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Devices that outlive their drivers: what is lost and when, what is restored, and that no frame
/// is ever wrong.

#include "nnburst/supervised_device.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "device/driver_process.h"
#include "device/hal_models.h"
#include "nnburst/model_builder.h"
#include "support/forwarding_device.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

Result<SharedDevice> spawnQuietly() {
    return spawnDriver({.logLevel = LogLevel::WARNING}, NNBURST_DRIVER_PATH);
}

class SupervisedDeviceTest : public testing::Test {
  protected:
    SupervisedDeviceTest() {
        EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    }
    ~SupervisedDeviceTest() override { isBlocked = false; }

    /// Drivers are started only while `isBlocked` is false.
    SupervisionOptions options() {
        return {.start = [this]() -> Result<SharedDevice> {
                    ++starts;
                    while (isBlocked) {
                        std::this_thread::sleep_for(1ms);
                    }
                    return spawnQuietly();
                },
                .backoff = 1ms,
                .maximumBackoff = 5ms,
                .onStateChange =
                    [this](DriverState state) {
                        const std::lock_guard lock(mutex);
                        states.push_back(state);
                    }};
    }

    void start(const SupervisionOptions& its) {
        auto made = superviseDriver(its);
        ASSERT_TRUE(made) << made.error().message;
        device = *made;
        auto model = prepareModel(*device, makeAddModel());
        ASSERT_TRUE(model) << model.error().message;
        prepared = *model;
        burst = std::move(*prepared->configureExecutionBurst({.inFlight = 2}));
    }

    /// With drivers that have a cache, whose key is in `directory`.
    void superviseWithCache(const TemporaryDirectory& directory) {
        SupervisionOptions its = options();
        its.start = [key = std::string(directory.path() / "key")] {
            return spawnDriver({.logLevel = LogLevel::WARNING, .cacheKeyFile = key},
                               NNBURST_DRIVER_PATH);
        };
        device = *superviseDriver(its);
    }

    /// The first driver is spawned. Later ones are connections to `next`, which must outlive them.
    SupervisionOptions optionsWithNext(const DriverProcess& next) {
        SupervisionOptions its = options();
        its.start = [this, path = next.socketPath()] {
            return ++starts == 1 ? spawnQuietly() : nnburst::connect(path);
        };
        return its;
    }

    /// Kills the driver, which is the only one beside `kept`, and waits until that is known.
    void loseDriver(pid_t kept = -1) {
        std::vector<pid_t> drivers = spawnedDrivers();
        std::erase(drivers, kept);
        ASSERT_EQ(drivers.size(), 1U);
        const std::uint64_t before = device->supervisionStats().losses;
        ::kill(drivers[0], SIGKILL);
        ASSERT_TRUE(eventually([&] { return device->supervisionStats().losses > before; }));
    }
    bool isServing() const {
        return eventually([this] {
            const SupervisionStats stats = device->supervisionStats();
            return device->state() == DriverState::SERVING && stats.recoveries >= stats.losses;
        });
    }

    Result<> execute(float value, const ExecutionOptions& its = {}) {
        add.a()[0] = value;
        add.out()[0] = -1.0F;
        const Result<> result = burst->execute(add.request, its, outcome);
        EXPECT_TRUE(!result || add.out()[0] == value + 10.0F) << add.out()[0];
        return result;
    }

    std::atomic<bool> isBlocked{false};
    std::atomic<int> starts{0};
    std::mutex mutex;
    std::vector<DriverState> states;
    SharedSupervisedDevice device;
    SharedPreparedModel prepared;
    std::unique_ptr<Burst> burst;
    AddRequest add;
    ExecutionOutcome outcome;
};

/// Refuses bursts with one execution in flight for good, and the first two others for now.
class RefusingModel final : public PreparedModel {
  public:
    RefusingModel(SharedPreparedModel inner, std::atomic<int>& finalRefusals)
        : inner_(std::move(inner)), finalRefusals_(finalRefusals) {}

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override {
        return inner_->executeSynchronously(request, options, outcome);
    }
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionCallback callback) override {
        return inner_->execute(request, options, std::move(callback));
    }
    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) override {
        return inner_->executeFenced(request, waitFor, options, timeoutAfterFence);
    }
    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) override {
        if (options.inFlight == 1) {
            ++finalRefusals_;
            return failure(ErrorStatus::INVALID_ARGUMENT, "this model refuses the burst");
        }
        if (refusalsForNow_ > 0) {
            --refusalsForNow_;
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           "this model refuses the burst for now");
        }
        return inner_->configureExecutionBurst(options);
    }

  private:
    const SharedPreparedModel inner_;
    std::atomic<int>& finalRefusals_;
    int refusalsForNow_ = 2;
};

/// A device in this process that refuses models other than additions for good, and the first
/// three additions for now. Later additions become a RefusingModel.
class RefusingDevice final : public ForwardingDevice {
  public:
    explicit RefusingDevice(std::atomic<int>& finalRefusals)
        : ForwardingDevice(*makeLocalDevice()), finalRefusals_(finalRefusals) {}

    [[nodiscard]] Result<> prepareModel(const Model& model, const PrepareOptions& options,
                                        PreparedModelCallback callback) override {
        ErrorStatus status = ErrorStatus::NONE;
        if (model.main.operations.at(0).type != OperationType::ADD) {
            ++finalRefusals_;
            status = ErrorStatus::INVALID_ARGUMENT;
        } else if (refusalsForNow_ > 0) {
            --refusalsForNow_;
            status = ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT;
        }
        if (status == ErrorStatus::NONE) {
            return ForwardingDevice::prepareModel(
                model, options,
                [&refusals = finalRefusals_,
                 callback = std::move(callback)](Result<SharedPreparedModel> made) {
                    if (made) {
                        *made = std::make_shared<RefusingModel>(std::move(*made), refusals);
                    }
                    callback(std::move(made));
                });
        }
        const Error error{status, "this device refuses the model"};
        callback(tl::unexpected<Error>(error));
        return tl::unexpected<Error>(error);
    }

  private:
    std::atomic<int>& finalRefusals_;
    int refusalsForNow_ = 3;
};

void expectStatus(const Result<>& result, ErrorStatus status) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, status) << result.error().message;
}

bool isReadable(int fd) {
    pollfd event{.fd = fd, .events = POLLIN, .revents = 0};
    return ::poll(&event, 1, 0) == 1;
}

TEST_F(SupervisedDeviceTest, worksOnWithAnotherDriverWhenTheFirstIsKilled) {
    start(options());
    const auto reusable = std::move(*burst->createReusableExecution(add.request, {}));
    ASSERT_TRUE(execute(1.0F));
    ASSERT_TRUE(reusable->compute({}, outcome));
    EXPECT_FALSE(isReadable(device->stateDescriptor()));
    EXPECT_EQ(device->state(), DriverState::SERVING);

    loseDriver();
    ASSERT_TRUE(isServing());
    EXPECT_TRUE(isReadable(device->stateDescriptor()));
    EXPECT_EQ(device->acknowledgeState(), DriverState::SERVING);
    EXPECT_FALSE(isReadable(device->stateDescriptor()));

    EXPECT_TRUE(execute(2.0F)) << "the burst";
    add.a()[0] = 3.0F;
    EXPECT_TRUE(reusable->compute({}, outcome)) << "the reusable execution";
    EXPECT_EQ(add.out()[0], 13.0F);
    EXPECT_TRUE(prepared->executeSynchronously(add.request, {}, outcome)) << "the model";
    EXPECT_TRUE(device->getCapabilities()) << "the device";
    EXPECT_TRUE(prepareModel(*device, makeAddModel()));

    const SupervisionStats stats = device->supervisionStats();
    EXPECT_EQ(stats.losses, 1U);
    EXPECT_EQ(stats.recoveries, 1U);
    EXPECT_GE(stats.lastRecovery, stats.lastStart + stats.lastRestoration);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(states, (std::vector{DriverState::LOST, DriverState::SERVING}));
}

TEST_F(SupervisedDeviceTest, noticesALossWithoutACall) {
    start(options());
    loseDriver();
    EXPECT_TRUE(isServing());
    EXPECT_EQ(starts, 2);
}

TEST_F(SupervisedDeviceTest, failsCallsAtOnceWhileThereIsNoDriver) {
    start(options());
    const auto reusable = std::move(*burst->createReusableExecution(add.request, {}));
    ASSERT_TRUE(execute(1.0F));
    isBlocked = true;
    loseDriver();
    ASSERT_TRUE(eventually([this] { return device->state() == DriverState::LOST; }));
    expectStatus(execute(2.0F), ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE(outcome.outputShapes.empty());
    expectStatus(reusable->compute({}, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
    expectStatus(prepared->executeSynchronously(add.request, {}, outcome),
                 ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_FALSE(burst->submit(add.request, {}));
    EXPECT_FALSE(device->getCapabilities());
    EXPECT_FALSE(prepareModel(*device, makeAddModel()));
    EXPECT_FALSE(prepared->configureExecutionBurst({}));
    EXPECT_EQ(device->getStatus(), DeviceStatus::OFFLINE);
    isBlocked = false;
    ASSERT_TRUE(isServing());
    EXPECT_TRUE(execute(3.0F));
}

TEST_F(SupervisedDeviceTest, waitsForTheNextDriverIfThatIsWanted) {
    SupervisionOptions its = options();
    its.waitAtMost = std::chrono::milliseconds::max();
    start(its);
    ASSERT_TRUE(execute(1.0F));
    isBlocked = true;
    loseDriver();
    ASSERT_TRUE(eventually([this] { return device->state() == DriverState::LOST; }));
    expectStatus(execute(2.0F, {.deadline = std::chrono::steady_clock::now() + 20ms}),
                 ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    std::thread unblock([this] {
        std::this_thread::sleep_for(30ms);
        isBlocked = false;
    });
    EXPECT_TRUE(execute(3.0F));
    unblock.join();
}

TEST_F(SupervisedDeviceTest, losesNoFrameIfCallsWaitAndFailedOnesAreRepeated) {
    SupervisionOptions its = options();
    its.waitAtMost = 10s;
    start(its);
    for (int frame = 0; frame < 100; ++frame) {
        if (frame == 30 || frame == 60) {
            for (const pid_t driver : spawnedDrivers()) {
                ::kill(driver, SIGKILL);
            }
        }
        EXPECT_TRUE(eventually([&] { return execute(static_cast<float>(frame)).has_value(); }))
            << "frame " << frame;
    }
    EXPECT_EQ(device->supervisionStats().losses, 2U);
}

TEST_F(SupervisedDeviceTest, givesAnErrorForWhatWasSubmittedToALostDriver) {
    start(options());
    const auto first = burst->submit(add.request, {});
    ASSERT_TRUE(first);
    ASSERT_TRUE(burst->wait(*first, outcome));
    AddRequest other;
    const auto lost = burst->submit(add.request, {});
    const auto alsoLost = burst->submit(other.request, {});
    ASSERT_TRUE(lost && alsoLost);
    loseDriver();
    ASSERT_TRUE(isServing());
    const auto next = burst->submit(add.request, {});
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_NE(*next, *lost);
    expectStatus(burst->wait(*lost, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
    expectStatus(burst->wait(*alsoLost, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_TRUE(burst->wait(*next, outcome));
    expectStatus(burst->wait(*next, outcome), ErrorStatus::INVALID_ARGUMENT);
}

TEST_F(SupervisedDeviceTest, triesAgainUntilADriverCanBeStarted) {
    std::atomic<int> failures{0};
    SupervisionOptions its = options();
    const auto good = its.start;
    its.start = [&, good]() -> Result<SharedDevice> {
        if (failures > 0 && failures-- > 0) {
            return spawnDriver({}, "/nonexistent/nnburst-driver");
        }
        return good();
    };
    start(its);
    failures = 5;
    loseDriver();
    ASSERT_TRUE(isServing());
    EXPECT_TRUE(execute(1.0F));
    EXPECT_EQ(device->supervisionStats().failedAttempts, 5U);
}

TEST_F(SupervisedDeviceTest, triesAgainWhenADriverIsLostWhileItIsSetUp) {
    std::atomic<bool> isFragile{false};
    SupervisionOptions its = options();
    const auto good = its.start;
    its.start = [&, good]() -> Result<SharedDevice> {
        Result<SharedDevice> started = good();
        if (started && isFragile.exchange(false)) {
            ::kill(spawnedDrivers().at(0), SIGKILL);
        }
        return started;
    };
    start(its);
    isFragile = true;
    loseDriver();
    ASSERT_TRUE(eventually([this] { return device->supervisionStats().recoveries == 1; }));
    EXPECT_EQ(starts, 3);
    EXPECT_TRUE(execute(1.0F));
}

TEST_F(SupervisedDeviceTest, preparesAModelAgainThatTheNextDriverHasRefusedForNow) {
    const DriverProcess limited({"--limit", "client.prepared-models=1"});
    start(optionsWithNext(limited));
    const SharedPreparedModel other = *prepareModel(*device, makeAddModel());
    loseDriver(limited.pid());
    ASSERT_TRUE(isServing());
    EXPECT_TRUE(execute(1.0F)) << "the limit has room for one";
    expectStatus(other->executeSynchronously(add.request, {}, outcome),
                 ErrorStatus::DEVICE_UNAVAILABLE);
    burst = nullptr;
    prepared = nullptr;
    EXPECT_TRUE(eventually(
        [&] { return other->executeSynchronously(add.request, {}, outcome).has_value(); }));
    EXPECT_EQ(device->supervisionStats().losses, 1U);
}

TEST_F(SupervisedDeviceTest, makesABurstAgainThatTheNextDriverHasRefusedForNow) {
    const DriverProcess limited({"--limit", "client.bursts=1"});
    start(optionsWithNext(limited));
    const std::unique_ptr<Burst> other = std::move(*prepared->configureExecutionBurst({}));
    loseDriver(limited.pid());
    ASSERT_TRUE(isServing());
    EXPECT_TRUE(execute(1.0F)) << "the limit has room for one";
    expectStatus(other->execute(add.request, {}, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
    burst = nullptr;
    EXPECT_TRUE(eventually([&] { return other->execute(add.request, {}, outcome).has_value(); }));
    EXPECT_EQ(device->supervisionStats().losses, 1U);
}

TEST_F(SupervisedDeviceTest, asksOnceForAModelAndABurstThatTheNextDriverRefusesForGood) {
    std::atomic<int> finalRefusals{0};
    SupervisionOptions its = options();
    its.start = [&]() -> Result<SharedDevice> {
        if (++starts == 1) {
            return spawnQuietly();
        }
        return SharedDevice(std::make_shared<RefusingDevice>(finalRefusals));
    };
    start(its);
    const SharedPreparedModel model = *prepareModel(*device, makeEndlessModel());
    const std::unique_ptr<Burst> other =
        std::move(*prepared->configureExecutionBurst({.inFlight = 1}));
    loseDriver();
    EXPECT_TRUE(eventually([&] { return execute(1.0F).has_value(); }));
    EXPECT_EQ(device->supervisionStats().failedAttempts, 5U) << "3 for the model, 2 for its burst";
    EXPECT_EQ(finalRefusals, 2);
    expectStatus(model->executeSynchronously(add.request, {}, outcome),
                 ErrorStatus::DEVICE_UNAVAILABLE);
    expectStatus(other->execute(add.request, {}, outcome), ErrorStatus::DEVICE_UNAVAILABLE);
}

TEST_F(SupervisedDeviceTest, startsTheSameDriverAgainFromAnotherWorkingDirectory) {
    // A forked copy of this process would wait at its exit for threads of the tests before.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto loseDriverElsewhere = [] {
        const std::filesystem::path program = NNBURST_DRIVER_PATH;
        std::filesystem::current_path(program.parent_path());
        ::setenv("NNBURST_DRIVER", ("./" + program.filename().string()).c_str(), 1);
        const auto supervised = superviseDriver();
        if (!supervised) {
            std::exit(1);
        }
        std::filesystem::current_path("/");
        ::unsetenv("NNBURST_DRIVER");
        ::kill(spawnedDrivers().at(0), SIGKILL);
        const bool isBack =
            eventually([&] { return (*supervised)->supervisionStats().recoveries == 1; });
        std::exit(isBack ? 0 : 2);
    };
    EXPECT_EXIT(loseDriverElsewhere(), testing::ExitedWithCode(0), "");
}

TEST_F(SupervisedDeviceTest, takesNoDriverOfAnotherVersion) {
    std::atomic<bool> isOld{false};
    SupervisionOptions its = options();
    const auto good = its.start;
    its.start = [&, good]() -> Result<SharedDevice> {
        if (isOld.exchange(false)) {
            return spawnDriver({.logLevel = LogLevel::WARNING, .version = HalVersion::V1_2},
                               NNBURST_DRIVER_PATH);
        }
        return good();
    };
    start(its);
    isOld = true;
    loseDriver();
    ASSERT_TRUE(isServing());
    EXPECT_EQ(device->supervisionStats().failedAttempts, 1U);
    EXPECT_TRUE(execute(1.0F));
}

TEST_F(SupervisedDeviceTest, answersQuestionsAsItsDriver) {
    start(options());
    const auto driver = spawnQuietly();
    ASSERT_TRUE(driver);
    EXPECT_EQ(device->getHalVersion(), (*driver)->getHalVersion());
    EXPECT_EQ(*device->getType(), *(*driver)->getType());
    EXPECT_EQ(*device->getVersionString(), *(*driver)->getVersionString());
    EXPECT_EQ(device->getSupportedExtensions()->size(),
              (*driver)->getSupportedExtensions()->size());
    EXPECT_EQ(device->getNumberOfCacheFilesNeeded()->numModelCache,
              (*driver)->getNumberOfCacheFilesNeeded()->numModelCache);
    EXPECT_EQ(*device->getSupportedOperations(makeAddModel()), std::vector<bool>{true});
    EXPECT_EQ(device->getStatus(), DeviceStatus::AVAILABLE);
}

TEST_F(SupervisedDeviceTest, executesInEveryWayWithTheNextDriver) {
    start(options());
    const auto reusable = std::move(*burst->createReusableExecution(add.request, {}));
    loseDriver();
    ASSERT_TRUE(isServing());

    std::promise<Result<>> ended;
    ASSERT_TRUE(prepared->execute(
        add.request, {},
        [&](const Result<>& status, const ExecutionOutcome&) { ended.set_value(status); }));
    EXPECT_TRUE(ended.get_future().get());
    EXPECT_EQ(add.out()[0], 10.0F);

    add.a()[0] = 1.0F;
    const auto fenced = prepared->executeFenced(add.request, {}, {}, {});
    ASSERT_TRUE(fenced) << fenced.error().message;
    Timing launched;
    Timing timed;
    EXPECT_TRUE(eventually([&] { return fenced->callback(launched, timed).has_value(); }));
    EXPECT_EQ(add.out()[0], 11.0F);

    add.a()[0] = 2.0F;
    const auto submitted = reusable->submit({});
    ASSERT_TRUE(submitted) << submitted.error().message;
    EXPECT_TRUE(burst->wait(*submitted, outcome));
    EXPECT_EQ(add.out()[0], 12.0F);
}

TEST_F(SupervisedDeviceTest, refusesAsynchronousExecutionsWhileThereIsNoDriver) {
    start(options());
    isBlocked = true;
    loseDriver();
    ASSERT_TRUE(eventually([this] { return device->state() == DriverState::LOST; }));
    int calls = 0;
    expectStatus(prepared->execute(add.request, {},
                                   [&](const Result<>& status, const ExecutionOutcome&) {
                                       ++calls;
                                       expectStatus(status, ErrorStatus::DEVICE_UNAVAILABLE);
                                   }),
                 ErrorStatus::DEVICE_UNAVAILABLE);
    EXPECT_EQ(calls, 1);
    EXPECT_FALSE(prepared->executeFenced(add.request, {}, {}, {}));
}

TEST_F(SupervisedDeviceTest, passesOnWhatABurstSaysOfItsMemory) {
    start(options());
    ASSERT_TRUE(execute(1.0F));
    EXPECT_FALSE(burst->isMemoryInUse());
    EXPECT_TRUE(burst->waitForMemory({}));
    EXPECT_FALSE(prepared->isMemoryInUse());
    EXPECT_TRUE(prepared->waitForMemory({}));
    burst->freeMemory(add.pool.region());
    EXPECT_TRUE(execute(2.0F)) << "the driver gets the memory again";
    EXPECT_TRUE(eventually(
        [this] { return execute(3.0F).has_value() && burst->waitStats().client.waits > 0; }));
}

TEST_F(SupervisedDeviceTest, refusesAPreparationWithoutACallback) {
    start(options());
    const Result<> fromModel = device->prepareModel(makeAddModel(), {}, nullptr);
    expectStatus(fromModel, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(fromModel.error().message.starts_with("prepareModel without"))
        << fromModel.error().message;
    // The message once named the other call.
    const Result<> fromCache = device->prepareModelFromCache({}, nullptr);
    expectStatus(fromCache, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(fromCache.error().message.starts_with("prepareModelFromCache without"))
        << fromCache.error().message;
}

TEST_F(SupervisedDeviceTest, refusesConstantsThatLieNowhere) {
    start(options());
    const auto expectRefusal = [&](OperandLifeTime lifetime, const DataLocation& location) {
        Model model = makeAddModel();
        Operand& b = model.main.operands[model.main.inputIndexes[1]];
        b.lifetime = lifetime;
        b.location = location;
        model.main.inputIndexes.pop_back();
        int calls = 0;
        expectStatus(device->prepareModel(model, {},
                                          [&](const Result<SharedPreparedModel>& result) {
                                              ++calls;
                                              ASSERT_FALSE(result);
                                              EXPECT_EQ(result.error().status,
                                                        ErrorStatus::INVALID_ARGUMENT);
                                          }),
                     ErrorStatus::INVALID_ARGUMENT);
        EXPECT_EQ(calls, 1);
    };
    expectRefusal(OperandLifeTime::CONSTANT_REFERENCE, {.poolIndex = 5, .offset = 0, .length = 16});
    expectRefusal(OperandLifeTime::CONSTANT_COPY,
                  {.poolIndex = 0, .offset = 1U << 30, .length = 16});
    EXPECT_TRUE(execute(1.0F)) << "it goes on serving";
}

TEST_F(SupervisedDeviceTest, endsAFrozenDriverBeforeItStartsAnother) {
    start(options());
    ASSERT_TRUE(execute(1.0F));
    const pid_t frozen = spawnedDrivers().at(0);
    ::kill(frozen, SIGSTOP);
    ASSERT_TRUE(eventually([&] { return isStopped(frozen); }));
    expectStatus(execute(2.0F), ErrorStatus::DEVICE_UNAVAILABLE);
    ASSERT_TRUE(isServing());
    EXPECT_EQ(spawnedDrivers().size(), 1U);
    EXPECT_NE(spawnedDrivers().at(0), frozen);
    EXPECT_TRUE(execute(3.0F));
}

TEST_F(SupervisedDeviceTest, preparesAgainWhatWasPreparedWhateverIsInTheMemoryOfItsConstantsNow) {
    device = *superviseDriver(options());
    const SharedRegion constants = *Region::create(16);
    const auto mapping = *Mapping::map(constants);
    auto* values = reinterpret_cast<float*>(mapping.data());
    std::fill_n(values, 4, 5.0F);
    Model model = makeAddModel();
    Operand& b = model.main.operands[model.main.inputIndexes[1]];
    b.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    b.location = {.poolIndex = 0, .offset = 0, .length = 16};
    model.main.inputIndexes.pop_back();
    model.pools = {constants};
    prepared = *prepareModel(*device, model);
    std::fill_n(values, 4, 7.0F);
    loseDriver();
    ASSERT_TRUE(isServing());
    add.request.inputs.pop_back();
    ASSERT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
    EXPECT_EQ(add.out()[0], 5.0F);
}

TEST_F(SupervisedDeviceTest, preparesAgainFromCacheFiles) {
    const TemporaryDirectory directory;
    superviseWithCache(directory);
    {
        const UniqueFd modelFile(::memfd_create("model", MFD_CLOEXEC));
        const UniqueFd dataFile(::memfd_create("data", MFD_CLOEXEC));
        PrepareOptions cached;
        cached.modelCache = {modelFile.get()};
        cached.dataCache = {dataFile.get()};
        cached.token[0] = 1;
        ASSERT_TRUE(prepareModel(*device, makeAddModel(), cached));
        const auto fromCache = prepareModelFromCache(*device, cached);
        ASSERT_TRUE(fromCache) << fromCache.error().message;
        prepared = *fromCache;
    }
    loseDriver();
    ASSERT_TRUE(isServing());
    EXPECT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
    EXPECT_EQ(add.out()[0], 10.0F);
}

TEST_F(SupervisedDeviceTest, leavesOutCacheFilesThatCannotBeDuplicated) {
    const TemporaryDirectory directory;
    superviseWithCache(directory);
    const UniqueFd modelFile(::memfd_create("model", MFD_CLOEXEC));
    PrepareOptions cached;
    cached.modelCache = {modelFile.get()};
    cached.dataCache = {-1};
    const auto made = prepareModel(*device, makeAddModel(), cached);
    ASSERT_TRUE(made) << made.error().message;
    prepared = *made;
    const auto fromCache = prepareModelFromCache(*device, cached);
    ASSERT_FALSE(fromCache);
    EXPECT_EQ(fromCache.error().status, ErrorStatus::INVALID_ARGUMENT) << fromCache.error().message;
    loseDriver();
    ASSERT_TRUE(isServing());
    EXPECT_TRUE(prepared->executeSynchronously(add.request, {}, outcome));
    EXPECT_EQ(add.out()[0], 10.0F);
}

// The model could not have been prepared again.
TEST_F(SupervisedDeviceTest, preparesNothingFromCacheFilesThatItHasNoDescriptorsFor) {
    const TemporaryDirectory directory;
    superviseWithCache(directory);
    const UniqueFd modelFile(::memfd_create("model", MFD_CLOEXEC));
    const UniqueFd dataFile(::memfd_create("data", MFD_CLOEXEC));
    PrepareOptions cached;
    cached.modelCache = {modelFile.get()};
    cached.dataCache = {dataFile.get()};
    ASSERT_TRUE(prepareModel(*device, makeAddModel(), cached));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{.rlim_cur = 1, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto refused = prepareModelFromCache(*device, cached);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
        << refused.error().message;
    const auto fromCache = prepareModelFromCache(*device, cached);
    EXPECT_TRUE(fromCache) << fromCache.error().message;
}

TEST_F(SupervisedDeviceTest, endsWithItsLastObject) {
    start(options());
    device = nullptr;
    prepared = nullptr;
    ASSERT_TRUE(execute(1.0F));
    const std::vector<pid_t> drivers = spawnedDrivers();
    ASSERT_EQ(drivers.size(), 1U);
    ::kill(drivers[0], SIGKILL);
    EXPECT_TRUE(eventually([this] { return execute(2.0F).has_value(); })) << "still supervised";
    burst = nullptr;
    EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
}

TEST_F(SupervisedDeviceTest, refusesBuffersWhoseContentsWouldBeLost) {
    start(options());
    EXPECT_FALSE(device->allocate({}, {}, {}, {}));
}

TEST_F(SupervisedDeviceTest, addsTheCostsOfWaitingUpOverItsDrivers) {
    start(options());
    ASSERT_TRUE(
        eventually([this] { return execute(1.0F) && burst->waitStats().client.waits > 0; }));
    const BurstWaitStats before = burst->waitStats();
    loseDriver();
    ASSERT_TRUE(isServing());
    const BurstWaitStats after = burst->waitStats();
    for (const WaitStat& stat : kWaitStats) {
        EXPECT_GE(stat.of(after.client), stat.of(before.client)) << stat.name;
        EXPECT_GE(stat.of(after.driver), stat.of(before.driver)) << stat.name;
    }
}

TEST_F(SupervisedDeviceTest, refusesANullDeviceAndTriesAgainIfALaterOneIsNull) {
    const auto refused =
        superviseDriver({.start = [] { return Result<SharedDevice>(SharedDevice()); }});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT) << refused.error().message;

    SupervisionOptions its = options();
    its.start = [this]() -> Result<SharedDevice> {
        return ++starts == 2 ? Result<SharedDevice>(SharedDevice()) : spawnQuietly();
    };
    start(its);
    loseDriver();
    ASSERT_TRUE(isServing());
    EXPECT_TRUE(execute(1.0F));
    EXPECT_EQ(device->supervisionStats().failedAttempts, 1U);
}

TEST_F(SupervisedDeviceTest, saysWhyTheFirstDriverCannotBeStarted) {
    const auto refused =
        superviseDriver({.start = [] { return spawnDriver({}, "/nonexistent/nnburst-driver"); }});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("/nonexistent"), std::string::npos);
}

}  // namespace
}  // namespace nnburst::test
