// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// After the first run of a model neither binding nor running touches the heap, wherever the
// arguments lie.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "nnburst/builtin_models.h"
#include "support/allocation_counter.h"
#include "support/test_request.h"

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

/// Pages that the calling thread has touched for the first time.
long pageFaults() {
    rusage usage{};
    EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
    return usage.ru_minflt;
}

TEST(Allocations, theFirstRunOfAPreparedModelFindsItsMemoryThere) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers touch memory of their own";
    }
    // Its arena is too large to be taken from memory that was freed before.
    const auto compiled = compile(*makeMobileNetV1({.resolution = 224}), true);
    ASSERT_TRUE(compiled);
    TestRequest request = randomRequest(*compiled, 1);
    ASSERT_TRUE(request.bind(*compiled));
    const long before = pageFaults();
    ASSERT_TRUE(request.runAgain(*compiled));
    EXPECT_LT(pageFaults() - before, 50) << "the arena alone has some 300 pages";
}

/// The float MobileNet with an open height, and requests for images of 32 x 32 and less.
class OpenMobileNet {
  public:
    OpenMobileNet() {
        Model model = *makeMobileNetV1({.resolution = 32});
        for (Operand& operand : model.main.operands) {
            if (operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE) {
                operand.dimensions.clear();
            }
        }
        model.main.operands[model.main.inputIndexes[0]].dimensions[1] = 0;
        compiled_ = compile(model, true);
    }

    [[nodiscard]] TestRequest request(std::uint32_t height) const {
        const std::size_t elements = std::size_t{height} * 32 * 3;
        TestRequest request;
        request.addInput(std::vector<std::byte>(elements * sizeof(float)), {1, height, 32, 3});
        request.addOutput(sizeOf(compiled_->outputs()[0]));
        return request;
    }

    [[nodiscard]] bool run(TestRequest& request) { return bool{request.run(*compiled_)}; }

  private:
    std::shared_ptr<CompiledModel> compiled_;
};

TEST(Allocations, alternatingShapesHaveNoneOnceTheyArePlanned) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    OpenMobileNet model;
    std::vector<TestRequest> requests;
    for (std::uint32_t height = 32; height > 24; --height) {
        requests.push_back(model.request(height));
        ASSERT_TRUE(model.run(requests.back()));
    }
    for (int round = 0; round < 2; ++round) {
        for (TestRequest& request : requests) {
            EXPECT_EQ(allocationsOf([&] { return model.run(request); }), 0U);
        }
    }
}

/// An 8-bit DEPTHWISE_CONV_2D of 1x1 pixel, for images of any size.
Model pointwiseDepthwise(std::uint32_t channels) {
    constexpr auto kUnsigned = OperandType::TENSOR_QUANT8_ASYMM;
    Random random(1);
    ModelBuilder builder;
    const auto x = builder.addTensor(kUnsigned, {1, 0, 0, channels}, 0.5F, 100);
    const auto w = builder.addConstant(kUnsigned, {1, 1, 1, channels},
                                       random.elements(kUnsigned, channels), 0.5F, 100);
    const auto b =
        builder.addConstant(OperandType::TENSOR_INT32, {channels},
                            random.elements(OperandType::TENSOR_INT32, channels), 0.25F, 0);
    const auto y = builder.addTensor(kUnsigned, {0, 0, 0, 0}, 50.0F, 100);
    std::vector<std::uint32_t> inputs{x, w, b};
    for (const std::int32_t value : {2, 1, 1, 1, 0}) {
        inputs.push_back(builder.addScalar(value));
    }
    builder.addOperation(OperationType::DEPTHWISE_CONV_2D, inputs, {y});
    return build(builder, {x}, {y});
}

TEST(Allocations, alternatingSizesOfAPointwiseDepthwiseConvolutionHaveNone) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    constexpr std::uint32_t kChannels = 16;
    const auto compiled = compile(pointwiseDepthwise(kChannels), true, 1, false);
    ASSERT_TRUE(compiled);
    std::vector<TestRequest> requests;
    for (const std::uint32_t size : {4U, 6U}) {
        const std::vector<std::byte> image(std::size_t{size} * size * kChannels);
        TestRequest& request = requests.emplace_back();
        request.addInput(image, {1, size, size, kChannels});
        request.addOutput(image.size());
        ASSERT_TRUE(request.run(*compiled));
    }
    for (int round = 0; round < 2; ++round) {
        for (TestRequest& request : requests) {
            EXPECT_EQ(allocationsOf([&] { return bool{request.run(*compiled)}; }), 0U);
        }
    }
}

TEST(Allocations, aShapeThatManyOthersHaveFollowedIsPlannedAgain) {
    if (!test::kCountsAllocations) {
        GTEST_SKIP() << "sanitizers have an allocator of their own";
    }
    OpenMobileNet model;
    TestRequest first = model.request(32);
    ASSERT_TRUE(model.run(first));
    EXPECT_EQ(allocationsOf([&] { return model.run(first); }), 0U);
    for (std::uint32_t height = 31; height > 23; --height) {
        TestRequest other = model.request(height);
        ASSERT_TRUE(model.run(other));
    }
    EXPECT_GT(allocationsOf([&] { return model.run(first); }), 0U)
        << "plans must be bounded in number";
}

}  // namespace
}  // namespace nnburst::exec
