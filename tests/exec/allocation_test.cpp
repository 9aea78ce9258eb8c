// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// After the first run of a model neither binding nor running touches the heap, wherever the
// arguments lie.

#include <gtest/gtest.h>

#include <string>

#include "exec/model_runner.h"
#include "nnburst/builtin_models.h"
#include "support/allocation_counter.h"

namespace nnburst::exec {
namespace {

/// Allocations of `run`, which gives whether it succeeded.
template <class Run>
std::uint64_t allocationsOf(Run run) {
    const std::uint64_t before = test::allocationCount();
    const bool succeeded = run();
    const std::uint64_t after = test::allocationCount();
    EXPECT_TRUE(succeeded);
    return after - before;
}

void expectNoAllocations(const Model& model, bool useXnnpack) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    const auto compiled = compile(model, useXnnpack);
    ASSERT_TRUE(compiled);
    TestRequest first = randomRequest(*compiled, 1);
    TestRequest second = randomRequest(*compiled, 2);
    ASSERT_GT(allocationsOf([&] { return bool{first.run(*compiled)}; }), 0U)
        << "the bindings grow in the first run, so that the count must see it";
    ASSERT_TRUE(second.bind(*compiled));
    EXPECT_EQ(allocationsOf([&] { return bool{first.run(*compiled)}; }), 0U) << "same arguments";
    ASSERT_TRUE(second.run(*compiled));
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(allocationsOf([&] { return bool{first.run(*compiled)}; }), 0U) << "moved";
        EXPECT_EQ(allocationsOf([&] { return bool{second.run(*compiled)}; }), 0U) << "moved";
    }
    EXPECT_EQ(allocationsOf([&] {
                  return bool{first.run(
                      *compiled, {.measure = MeasureTiming::YES, .deadline = TimePoint::max()})};
              }),
              0U)
        << "measured, with a deadline";
}

TEST(Allocations, aFloatMobileNetHasNone) {
    expectNoAllocations(*makeMobileNetV1(), true);
}

TEST(Allocations, aQuantisedMobileNetHasNone) {
    expectNoAllocations(*makeMobileNetV1({.precision = BuiltinPrecision::QUANT8}), true);
}

TEST(Allocations, anLstmHasNone) {
    expectNoAllocations(*makeStreamingLstm(), true);
}

TEST(Allocations, referenceKernelsHaveNone) {
    expectNoAllocations(*makeMobileNetV1({.resolution = 32}), false);
    expectNoAllocations(*makeMobileNetV1({.resolution = 32, .precision = BuiltinPrecision::QUANT8}),
                        false);
    expectNoAllocations(*makeStreamingLstm(), false);
}

TEST(Allocations, alternatingShapesHaveNoneOnceTheyArePlanned) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    // Open in batch, height and width.
    Model model = *makeMobileNetV1({.resolution = 32});
    for (Operand& operand : model.main.operands) {
        if (operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE) {
            operand.dimensions.clear();
        }
    }
    Operand& input = model.main.operands[model.main.inputIndexes[0]];
    Operand& output = model.main.operands[model.main.outputIndexes[0]];
    input.dimensions[1] = 0;
    const auto compiled = compile(model, true);
    ASSERT_TRUE(compiled);
    // The pooling at the end wants images that come down to its window of 1x1.
    std::vector<TestRequest> requests;
    for (const std::uint32_t height : {32U, 31U, 30U}) {
        const std::size_t elements = std::size_t{height} * 32 * 3;
        requests.emplace_back();
        requests.back().addInput(std::vector<std::byte>(elements * sizeof(float)),
                                 {1, height, 32, 3});
        requests.back().addOutput(sizeOf(output));
        const auto run = requests.back().run(*compiled);
        ASSERT_TRUE(run) << run.error().message;
    }
    for (int round = 0; round < 2; ++round) {
        for (TestRequest& request : requests) {
            EXPECT_EQ(allocationsOf([&] { return bool{request.run(*compiled)}; }), 0U);
        }
    }
}

}  // namespace
}  // namespace nnburst::exec
