// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Rules of the HAL for bursts, buffers and the lifetimes of objects (docs/hal.md).

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "device/devices.h"
#include "device/hal_models.h"
#include "nnburst/builtin_models.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

/// A good request of makeAddModel() is executed right.
void expectService(Burst& burst) {
    const AddRequest add;
    ExecutionOutcome outcome;
    const Result<> result = burst.execute(add.request, {}, outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
}

// ---- Bursts

class HalBurstTest : public DeviceTest {
  protected:
    void SetUp() override {
        DeviceTest::SetUp();
        prepared = prepare(makeAddModel());
        ASSERT_NE(prepared, nullptr);
    }

    std::unique_ptr<Burst> configure(const BurstOptions& options = {}) const {
        auto burst = prepared->configureExecutionBurst(options);
        EXPECT_TRUE(burst) << burst.error().message;
        return burst ? std::move(*burst) : nullptr;
    }

    SharedPreparedModel prepared;
};

TEST_P(HalBurstTest, isConfiguredAndServes) {
    for (const std::uint32_t lines : {16U, 128U, 1024U}) {
        expectService(*configure({.queueLines = lines}));
    }
}

TEST_P(HalBurstTest, refusesQueuesThatAreNoPowerOfTwoOrTooSmall) {
    for (const std::uint32_t lines : {0U, 1U, 100U, UINT32_MAX}) {
        const auto burst = prepared->configureExecutionBurst({.queueLines = lines});
        ASSERT_FALSE(burst) << lines;
        EXPECT_EQ(burst.error().status, ErrorStatus::INVALID_ARGUMENT) << burst.error().message;
    }
}

TEST_P(HalBurstTest, takesOneRequestAtATime) {
    prepared = prepare(makeEndlessModel());
    const auto burst = configure();
    SmallRequest endless;
    endless.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
    std::atomic<int> refusals{0};
    std::atomic<int> ends{0};
    {
        std::array<std::jthread, 2> threads;
        for (std::jthread& thread : threads) {
            thread = std::jthread([&] {
                // One of the two runs until its loop has ended; the other is refused meanwhile.
                while (ends == 0) {
                    ExecutionOutcome outcome;
                    const Result<> result =
                        burst->execute(endless.request, {.loopTimeout = 200ms}, outcome);
                    EXPECT_FALSE(result);
                    ++(result.error().status == ErrorStatus::GENERAL_FAILURE ? refusals : ends);
                    std::this_thread::yield();
                }
            });
        }
    }
    EXPECT_GE(refusals, 1);
}

TEST_P(HalBurstTest, answersEachRequest) {
    const auto burst = configure();
    for (int i = 0; i < 50; ++i) {
        AddRequest add;
        ExecutionOutcome outcome;
        if (i % 2 == 1) {
            add.request.inputs[0].location.length = 3;
        }
        const Result<> result = burst->execute(add.request, {}, outcome);
        ASSERT_EQ(result.has_value(), i % 2 == 0) << i;
        if (!result) {
            EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
            EXPECT_EQ(add.out()[0], -1.0F);
        }
    }
}

TEST_P(HalBurstTest, outlivesModelAndDevice) {
    const auto burst = configure();
    prepared.reset();
    device.reset();
    expectService(*burst);
}

TEST_P(HalBurstTest, usesMemoryAgainThatWasFreed) {
    const auto burst = configure();
    const AddRequest add;
    for (int i = 0; i < 5; ++i) {
        std::fill_n(add.out(), 4, -1.0F);
        ExecutionOutcome outcome;
        const Result<> result = burst->execute(add.request, {}, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(add.out()[3], 13.0F);
        burst->freeMemory(add.pool.region());
    }
}

TEST_P(HalBurstTest, freesMemoryThatItNeverSaw) {
    const auto burst = configure();
    burst->freeMemory(*Region::create(4096));
    expectService(*burst);
}

TEST_P(HalBurstTest, slotsBelongToOneBurst) {
    const auto one = configure();
    const auto other = configure();
    const AddRequest first;
    const AddRequest second;
    second.b()[3] = 20.0F;
    ExecutionOutcome outcome;
    // Each memory has another slot in each burst.
    for (const AddRequest* add : {&first, &second}) {
        ASSERT_TRUE(one->execute(add->request, {}, outcome));
    }
    for (const AddRequest* add : {&second, &first}) {
        ASSERT_TRUE(other->execute(add->request, {}, outcome));
    }
    one->freeMemory(first.pool.region());
    for (Burst* const burst : {other.get(), one.get()}) {
        std::fill_n(first.out(), 4, -1.0F);
        std::fill_n(second.out(), 4, -1.0F);
        ASSERT_TRUE(burst->execute(second.request, {}, outcome));
        EXPECT_EQ(second.out()[3], 23.0F);
        EXPECT_EQ(first.out()[3], -1.0F);
        ASSERT_TRUE(burst->execute(first.request, {}, outcome));
        EXPECT_EQ(first.out()[3], 13.0F);
    }
}

TEST_P(HalBurstTest, usesManyMemories) {
    const auto burst = configure();
    // Each argument in a region of its own, and others at every request.
    for (int i = 0; i < 40; ++i) {
        const AddRequest a;
        const AddRequest b;
        const AddRequest out;
        Request request = a.request;
        request.pools = {a.pool.region(), b.pool.region(), out.pool.region()};
        request.inputs[1].location.poolIndex = 1;
        request.outputs[0].location.poolIndex = 2;
        b.b()[2] = static_cast<float>(i);
        ExecutionOutcome outcome;
        const Result<> result = burst->execute(request, {}, outcome);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(out.out()[2], static_cast<float>(2 + i));
        EXPECT_EQ(a.out()[2], -1.0F);
    }
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalBurstTest);

// ---- Buffers

class HalBufferTest : public DeviceTest {
  protected:
    void SetUp() override {
        DeviceTest::SetUp();
        const std::array<SharedPreparedModel, 1> models{prepare(makeAddModel())};
        const std::array<BufferRole, 1> roles{
            BufferRole{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}};
        auto allocated = device->allocate({}, models, roles, {});
        ASSERT_TRUE(allocated) << allocated.error().message;
        buffer = allocated->buffer;
        memory = std::move(*Mapping::map(*Region::create(kBytes)));
        std::ranges::fill(memory.bytes(), std::byte{0x42});
    }

    static constexpr std::uint64_t kBytes = 16;
    std::shared_ptr<Buffer> buffer;
    Mapping memory;
};

TEST_P(HalBufferTest, copyToLeavesTheContents) {
    ASSERT_TRUE(buffer->copyFrom(memory.region(), {}));
    for (int i = 0; i < 3; ++i) {
        std::ranges::fill(memory.bytes(), std::byte{0});
        const Result<> copied = buffer->copyTo(memory.region());
        ASSERT_TRUE(copied) << copied.error().message;
        EXPECT_TRUE(
            std::ranges::all_of(memory.bytes(), [](std::byte b) { return b == std::byte{0x42}; }));
    }
}

TEST_P(HalBufferTest, aFailedCopyFromTakesTheContents) {
    // Memory that turns out to be shorter than it was when it is read.
    const int fd = ::memfd_create("shrinking", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(fd, kBytes), 0);
    const auto shrinking = Region::receive(UniqueFd(fd), kBytes);
    ASSERT_TRUE(shrinking) << shrinking.error().message;
    ASSERT_EQ(::ftruncate(fd, kBytes / 2), 0);
    struct WrongCopy {
        const char* name;
        SharedRegion source;
        Dimensions dimensions;
    };
    for (const WrongCopy& wrong :
         std::vector<WrongCopy>{{"memory that shrinks", *shrinking, {}},
                                {"no memory", nullptr, {}},
                                {"too much memory", *Region::create(kBytes + 4), {}},
                                {"not enough memory", *Region::create(kBytes - 4), {}},
                                {"dimensions of another size", memory.region(), {5}},
                                {"dimensions of another rank", memory.region(), {2, 2}},
                                {"unknown dimensions", memory.region(), {0}},
                                {"too many dimensions", memory.region(), Dimensions(100, 1)}}) {
        ASSERT_TRUE(buffer->copyFrom(memory.region(), {}));
        ASSERT_FALSE(buffer->copyFrom(wrong.source, wrong.dimensions)) << wrong.name;
        const Result<> copied = buffer->copyTo(memory.region());
        ASSERT_FALSE(copied) << wrong.name;
        EXPECT_EQ(copied.error().status, ErrorStatus::GENERAL_FAILURE) << wrong.name;
    }
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalBufferTest);

// ---- Lifetimes of objects

class HalLifetimeTest : public DeviceTest {};

TEST_P(HalLifetimeTest, objectsMayBeDroppedInAnyOrder) {
    std::array<int, 3> order{0, 1, 2};
    do {
        SharedDevice its = device;
        SharedPreparedModel prepared = prepare(makeAddModel());
        auto burst = std::move(*prepared->configureExecutionBurst({}));
        expectService(*burst);
        for (const int which : order) {
            if (which == 0) {
                its.reset();
            } else if (which == 1) {
                prepared.reset();
            } else {
                burst.reset();
            }
        }
    } while (std::ranges::next_permutation(order).found);
    EXPECT_TRUE(device->getCapabilities());
}

TEST_P(HalLifetimeTest, anExecutionKeepsWhatItNeeds) {
    SharedPreparedModel prepared = prepare(makeEndlessModel());
    auto small = std::make_unique<SmallRequest>();
    small->input(std::vector<float>{1.0F}, {}).output(sizeof(float));
    std::promise<Result<>> ended;
    ASSERT_TRUE(prepared->execute(
        small->request, {.loopTimeout = 100ms},
        [&](Result<> status, const ExecutionOutcome&) { ended.set_value(std::move(status)); }));
    small.reset();
    prepared.reset();
    device.reset();
    const Result<> status = ended.get_future().get();
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << status.error().message;
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(HalLifetimeTest);

// ---- Dead drivers

class HalDeadDriverTest : public testing::Test {
  protected:
    void SetUp() override {
        auto spawned = spawnDriver({}, NNBURST_DRIVER_PATH);
        ASSERT_TRUE(spawned) << spawned.error().message;
        device = *spawned;
    }

    static void kill() {
        for (const pid_t driver : spawnedDrivers()) {
            ::kill(driver, SIGKILL);
        }
        EXPECT_TRUE(eventually([] { return spawnedDrivers().empty(); }));
    }

    template <class T>
    static void expectGone(const Result<T>& result) {
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, ErrorStatus::DEVICE_UNAVAILABLE) << result.error().message;
    }

    SharedDevice device;
};

TEST_F(HalDeadDriverTest, everyMethodSaysThatTheDeviceIsUnavailable) {
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    const std::array<SharedPreparedModel, 1> models{prepared};
    const std::array<BufferRole, 1> roles{
        BufferRole{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}};
    const auto buffer = device->allocate({}, models, roles, {});
    ASSERT_TRUE(buffer) << buffer.error().message;
    kill();
    expectGone(device->getCapabilities());
    expectGone(device->getType());
    expectGone(device->getVersionString());
    expectGone(device->getSupportedExtensions());
    expectGone(device->getNumberOfCacheFilesNeeded());
    EXPECT_EQ(device->getStatus(), DeviceStatus::OFFLINE);
    expectGone(device->getSupportedOperations(makeAddModel()));
    expectGone(prepareModel(*device, makeAddModel()));
    expectGone(prepareModelFromCache(*device, {}));
    expectGone(device->allocate({}, models, roles, {}));
    const AddRequest add;
    ExecutionOutcome outcome;
    expectGone(prepared->executeSynchronously(add.request, {}, outcome));
    expectGone(prepared->execute(add.request, {}, [](const auto&, const auto&) {}));
    expectGone(prepared->executeFenced(add.request, {}, {}, std::nullopt));
    expectGone(prepared->configureExecutionBurst({}));
    expectGone(burst->execute(add.request, {}, outcome));
    expectGone(buffer->buffer->copyTo(*Region::create(16)));
    expectGone(buffer->buffer->copyFrom(*Region::create(16), {}));
}

TEST_F(HalDeadDriverTest, callbacksStillComeOnce) {
    const SharedPreparedModel prepared = *prepareModel(*device, makeEndlessModel());
    SmallRequest small;
    small.input(std::vector<float>{1.0F}, {}).output(sizeof(float));
    std::promise<Result<>> ended;
    ASSERT_TRUE(prepared->execute(
        small.request, {.loopTimeout = 10s},
        [&](Result<> status, const ExecutionOutcome&) { ended.set_value(std::move(status)); }));
    kill();
    expectGone(ended.get_future().get());
}

/// Preparations that the driver has ended, that it is at, and that it has not begun.
TEST_F(HalDeadDriverTest, preparationsAreCalledBackOnceEach) {
    constexpr std::array<std::uint32_t, 4> kResolutions{128, 160, 192, 224};
    std::array<std::atomic<int>, kResolutions.size()> calls{};
    for (std::size_t i = 0; i < kResolutions.size(); ++i) {
        const Model model =
            std::move(*makeMobileNetV1({.width = 1.0F, .resolution = kResolutions[i]}));
        ASSERT_TRUE(device->prepareModel(
            model, {}, [&calls, i](const Result<SharedPreparedModel>& prepared) {
                EXPECT_TRUE(prepared || prepared.error().status == ErrorStatus::DEVICE_UNAVAILABLE)
                    << prepared.error().message;
                ++calls[i];
            }));
    }
    kill();
    for (const std::atomic<int>& count : calls) {
        EXPECT_TRUE(eventually([&] { return count > 0; }));
    }
    device.reset();  // waits for callbacks: a second one would have come by now
    for (const std::atomic<int>& count : calls) {
        EXPECT_EQ(count, 1);
    }
}

}  // namespace
}  // namespace nnburst::test
