// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Several threads run one model, and several models share one engine.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "nnburst/builtin_models.h"
#include "support/test_request.h"

namespace nnburst::exec {
namespace {

constexpr std::uint32_t kThreads = 4;

/// Runs `model` on this thread, when all threads are there, and compares with `expected` each time.
bool runsRight(CompiledModel& model, std::uint32_t seed, std::span<const std::byte> expected,
               int rounds, std::latch& start) {
    TestRequest request = randomRequest(model, seed);
    start.arrive_and_wait();
    for (int round = 0; round < rounds; ++round) {
        std::fill(request.output(0).begin(), request.output(0).end(), std::byte{0});
        if (!request.run(model) ||
            !std::equal(expected.begin(), expected.end(), request.output(0).begin())) {
            return false;
        }
    }
    return true;
}

void expectRightOnAllThreads(CompiledModel& model) {
    std::vector<TestRequest> expected;
    for (std::uint32_t seed = 0; seed < kThreads; ++seed) {
        expected.push_back(randomRequest(model, seed));
        ASSERT_TRUE(expected.back().run(model));
    }
    std::atomic<std::uint32_t> right{0};
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (std::uint32_t seed = 0; seed < kThreads; ++seed) {
        threads.emplace_back([&, seed] {
            right += runsRight(model, seed, expected[seed].output(0), 200, start) ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(right, kThreads);
}

TEST(Concurrency, threadsRunOneModel) {
    const auto model = compile(*makeMobileNetV1({.resolution = 32}), true);
    ASSERT_TRUE(model);
    expectRightOnAllThreads(*model);
}

TEST(Concurrency, threadsRunOneModelOnReferenceKernels) {
    const auto model = compile(*makeStreamingLstm({.features = 8, .cells = 16}), false);
    ASSERT_TRUE(model);
    expectRightOnAllThreads(*model);
}

TEST(Concurrency, modelsShareTheThreadsOfAnEngine) {
    const auto engine = makeEngine(true, 2);
    const Model source = *makeMobileNetV1({.resolution = 64});
    std::vector<std::shared_ptr<CompiledModel>> models;
    for (std::uint32_t index = 0; index < kThreads; ++index) {
        auto compiled = CompiledModel::compile(engine, source);
        ASSERT_TRUE(compiled) << compiled.error().message;
        models.push_back(*compiled);
    }
    TestRequest expected = randomRequest(*models[0], 1);
    ASSERT_TRUE(expected.run(*models[0]));
    std::atomic<std::uint32_t> right{0};
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (const auto& model : models) {
        threads.emplace_back(
            [&] { right += runsRight(*model, 1, expected.output(0), 10, start) ? 1 : 0; });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(right, kThreads);
}

}  // namespace
}  // namespace nnburst::exec
