// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// The functions of pthreadpool, as XNNPACK calls them.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthreadpool.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "exec/threads/kernel_threads.h"
#include "exec/xnnpack/tile_watch.h"
#include "nnburst/builtin_models.h"
#include "support/test_request.h"

extern "C" void pthreadpool_parallelize_3d_tile_1d_with_thread(
    pthreadpool_t pool,
    void (*task)(void*, std::size_t, std::size_t, std::size_t, std::size_t, std::size_t),
    void* context, std::size_t rangeI, std::size_t rangeJ, std::size_t rangeK, std::size_t tileK,
    std::uint32_t flags);

namespace nnburst::exec {
namespace {

using Pool = std::unique_ptr<struct pthreadpool, decltype(&pthreadpool_destroy)>;

/// The arguments of the calls of a task.
class Calls {
  public:
    template <class... Arguments>
    static void add(void* calls, Arguments... arguments) {
        auto& self = *static_cast<Calls*>(calls);
        const std::lock_guard lock(self.mutex_);
        self.calls_.push_back({arguments...});
    }

    std::vector<std::vector<std::size_t>> sorted() {
        std::sort(calls_.begin(), calls_.end());
        return calls_;
    }

  private:
    std::mutex mutex_;
    std::vector<std::vector<std::size_t>> calls_;
};

class Pthreadpool : public testing::TestWithParam<std::size_t> {
  protected:
    Pool pool{GetParam() == 0 ? nullptr : pthreadpool_create(GetParam()), &pthreadpool_destroy};
    Calls calls;
};

TEST_P(Pthreadpool, knowsItsThreads) {
    EXPECT_EQ(pthreadpool_get_threads_count(pool.get()), std::max<std::size_t>(GetParam(), 1));
}

TEST_P(Pthreadpool, callsTheTaskForEachElement) {
    pthreadpool_parallelize_3d(pool.get(), &Calls::add, &calls, 2, 3, 5, 0);
    std::vector<std::vector<std::size_t>> expected;
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t k = 0; k < 5; ++k) {
                expected.push_back({i, j, k});
            }
        }
    }
    EXPECT_EQ(calls.sorted(), expected);
}

TEST_P(Pthreadpool, cutsTheLastDimensionsIntoTilesWithARest) {
    pthreadpool_parallelize_4d_tile_2d(pool.get(), &Calls::add, &calls, 2, 1, 7, 5, 3, 5, 0);
    std::vector<std::vector<std::size_t>> expected;
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t k = 0; k < 7; k += 3) {
            expected.push_back({i, 0, k, 0, std::min<std::size_t>(3, 7 - k), 5});
        }
    }
    EXPECT_EQ(calls.sorted(), expected);
}

TEST_P(Pthreadpool, takesATileThatIsLongerThanAnyRangeForTheWholeRange) {
    pthreadpool_parallelize_2d_tile_1d(pool.get(), &Calls::add, &calls, 2, 7, SIZE_MAX, 0);
    const std::vector<std::vector<std::size_t>> expected{{0, 0, 7}, {1, 0, 7}};
    EXPECT_EQ(calls.sorted(), expected);
}

TEST_P(Pthreadpool, tellsATaskItsThread) {
    pthreadpool_parallelize_3d_tile_1d_with_thread(pool.get(), &Calls::add, &calls, 1, 2, 9, 4, 0);
    std::vector<std::vector<std::size_t>> seen = calls.sorted();
    std::vector<std::vector<std::size_t>> expected;
    for (std::size_t j = 0; j < 2; ++j) {
        for (std::size_t k = 0; k < 9; k += 4) {
            expected.push_back({0, j, k, std::min<std::size_t>(4, 9 - k)});
        }
    }
    for (std::vector<std::size_t>& call : seen) {
        EXPECT_LT(call[0], pthreadpool_get_threads_count(pool.get()));
        call.erase(call.begin());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, expected);
}

TEST_P(Pthreadpool, doesTheWorkOfFunctionsThatOnlyThePackageHas) {
    // What the package's function reads of a pool that is too small is not zero by luck.
    auto used = std::make_unique<std::array<std::byte, 65536>>();
    used->fill(std::byte{0x55});
    used.reset();
    const Pool ours(GetParam() == 0 ? nullptr : pthreadpool_create(GetParam()),
                    &pthreadpool_destroy);
    pthreadpool_parallelize_6d(ours.get(), &Calls::add, &calls, 1, 1, 1, 1, 2, 2, 0);
    const std::vector<std::vector<std::size_t>> expected{
        {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 1, 1}};
    EXPECT_EQ(calls.sorted(), expected);
}

TEST_P(Pthreadpool, doesNothingForAnEmptyRange) {
    pthreadpool_parallelize_2d_tile_1d(pool.get(), &Calls::add, &calls, 4, 0, 2, 0);
    EXPECT_TRUE(calls.sorted().empty());
}

INSTANTIATE_TEST_SUITE_P(Threads, Pthreadpool, testing::Values(0, 1, 2, 4));

/// Has the tiles of the calling thread watched until it is destroyed.
class TileWatch : public testing::Test {
  protected:
    ~TileWatch() override { nnburst_watch_tiles(nullptr, nullptr, 0); }

    void watch(double wanted) { nnburst_watch_tiles(&TileWatch::isOver, this, wanted); }
    std::size_t tilesOf(std::size_t range) {
        Calls calls;
        pthreadpool_parallelize_1d(nullptr, &Calls::add, &calls, range, 0);
        return calls.sorted().size();
    }

    int checks = 0;
    int overAfter = 1000;  ///< checks

  private:
    static bool isOver(void* self) {
        auto& test = *static_cast<TileWatch*>(self);
        return ++test.checks >= test.overAfter;
    }
};

TEST_F(TileWatch, checksAsOftenAsIsWantedForEachOperator) {
    watch(10);
    EXPECT_EQ(tilesOf(100), 100U);
    EXPECT_EQ(checks, 10);
    EXPECT_EQ(tilesOf(100), 100U);
    EXPECT_EQ(checks, 20);
}

TEST_F(TileWatch, checksAfterEachOfFewTiles) {
    watch(10);
    EXPECT_EQ(tilesOf(4), 4U);
    EXPECT_EQ(checks, 4);
}

TEST_F(TileWatch, leavesTheOtherTilesOutWhenItIsOver) {
    overAfter = 3;
    watch(10);
    EXPECT_EQ(tilesOf(100), 30U);
    EXPECT_EQ(checks, 3);
}

TEST_F(TileWatch, isOfTheThreadThatAskedForItUntilItAsksForNone) {
    watch(10);
    std::thread([this] { EXPECT_EQ(tilesOf(100), 100U); }).join();
    nnburst_watch_tiles(nullptr, nullptr, 0);
    EXPECT_EQ(tilesOf(100), 100U);
    EXPECT_EQ(checks, 0);
}

TEST(PthreadpoolOfThisProgram, isWhatXnnpackCalls) {
    // The first one of the search order of all libraries, which is the program.
    void* const found = ::dlsym(RTLD_DEFAULT, "pthreadpool_parallelize_2d_tile_2d");
    Dl_info ofFound{};
    Dl_info ofProgram{};
    ASSERT_NE(::dladdr(found, &ofFound), 0);
    static const int inProgram = 0;
    ASSERT_NE(::dladdr(&inProgram, &ofProgram), 0);
    EXPECT_STREQ(ofFound.dli_fname, ofProgram.dli_fname);
}

TEST(PthreadpoolOfThisProgram, computesANetworkOfXnnpackAsOneThreadDoes) {
    DriverOptions options;
    options.threads = 2;
    options.useDotProducts = false;
    for (const auto precision : {BuiltinPrecision::FLOAT32, BuiltinPrecision::QUANT8}) {
        const Model model = *makeMobileNetV1({.resolution = 96, .precision = precision});
        const auto alone = compile(model, true);
        TestRequest expected = randomRequest(*alone, 5);
        ASSERT_TRUE(expected.run(*alone));
        const auto shared = CompiledModel::compile(
            *Engine::create(options, KernelThreadPlacement::ANYWHERE), model);
        ASSERT_TRUE(shared) << shared.error().message;
        TestRequest request = randomRequest(**shared, 5);
        for (int times = 0; times < 20; ++times) {
            ASSERT_TRUE(request.run(**shared));
            ASSERT_TRUE(std::equal(request.output(0).begin(), request.output(0).end(),
                                   expected.output(0).begin(), expected.output(0).end()));
        }
    }
}

TEST(PthreadpoolOfThisProgram, endsAnOperatorOfXnnpackAtItsDeadline) {
    // About 0.2 s in one operator of XNNPACK that does not run in slices.
    constexpr std::uint32_t kWindow = 16;
    constexpr std::uint32_t kSize = 512;
    constexpr std::uint32_t kChannels = 24;
    ModelBuilder builder;
    const auto image = builder.addTensor(OperandType::TENSOR_FLOAT32,
                                         {1, kSize + kWindow - 1, kSize + kWindow - 1, kChannels});
    const auto averages =
        builder.addTensor(OperandType::TENSOR_FLOAT32, {1, kSize, kSize, kChannels});
    constexpr std::int32_t kValid = 2;
    builder.addOperation(OperationType::AVERAGE_POOL_2D,
                         {image, builder.addScalar(kValid), builder.addScalar(1),
                          builder.addScalar(1), builder.addScalar(std::int32_t{kWindow}),
                          builder.addScalar(std::int32_t{kWindow}), builder.addScalar(0)},
                         {averages});
    const auto model = compile(build(builder, {image}, {averages}), true);
    TestRequest request = randomRequest(*model, 5);
    ASSERT_TRUE(request.run(*model));
    ExecutionOptions options;
    Result<> result;
    do {  // until the deadline has not passed before the execution begins
        options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
        result = request.run(*model, options);
    } while (!result && result.error().status == ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "the deadline has passed in operation 0");
}

}  // namespace
}  // namespace nnburst::exec
