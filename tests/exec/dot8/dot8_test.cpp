// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Our own 8-bit kernels against plain code and XNNPACK, bit for bit, and against the reference
// kernels, on every instruction set that the processor has. Operands lie between pages that cannot
// be touched.

#include <gtest/gtest.h>
#include <pthreadpool.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>

#include "account/account.h"
#include "exec/dot8/instruction_set.h"
#include "exec/dot8/plain_microkernels.h"
#include "exec/dot8/shared_work.h"
#include "exec/dot8/step_case.h"
#include "exec/plan/kernels.h"
#include "exec/plan/planner.h"
#include "exec/reference/quantized.h"
#include "exec/threads/lane_share.h"
#include "support/kernel_comparison.h"
#include "support/sanitizers.h"

namespace nnburst::exec {
namespace {

using dot8::InstructionSet;

/// Two kernel threads.
pthreadpool_t twoThreads() {
    static const std::unique_ptr<struct pthreadpool, decltype(&pthreadpool_destroy)> pool(
        pthreadpool_create(2), &pthreadpool_destroy);
    return pool.get();
}

class Dot8 : public testing::TestWithParam<InstructionSet> {
  protected:
    void SetUp() override {
        kernels_ = dot8::microkernels(GetParam());
        if (kernels_ == nullptr) {
            GTEST_SKIP() << "this processor does not have the instructions";
        }
    }

    /// Compares random cases with XNNPACK. At least 75 of 100 must be covered;
    /// of the others most have a zero point that leaves RELU one value.
    template <class Make>
    void sweep(int rounds, Make make) {
        rounds = test::kHasSanitizer ? rounds / 5 : rounds;
        int covered = 0;
        for (int round = 0; round < rounds; ++round) {
            const auto seed = static_cast<std::uint32_t>(round + 1);
            Random random(seed);
            const Case8 given = make(random);
            SCOPED_TRACE("seed " + std::to_string(seed));
            StepCase operation(given, random);
            covered += operation.compare(*kernels_, random.flip() ? twoThreads() : nullptr) ? 1 : 0;
            if (HasFailure()) {
                return;
            }
        }
        EXPECT_GE(covered * 100, rounds * 75);
    }

    const dot8::Microkernels* kernels_ = nullptr;
};

std::int32_t randomZeroPoint(Random& random, bool isUnsigned) {
    const std::int32_t least = isUnsigned ? 0 : -128;
    return random.oneOf({least, least + 255, least + 128, least + random.integer(0, 255)});
}

/// Scales such that most outputs spread over their range, and some all saturate.
void setQuantization(Case8& given, Random& random, std::size_t terms) {
    given.kind = random.oneOf({Kind8::UNSIGNED, Kind8::UNSIGNED, Kind8::UNSIGNED_PER_CHANNEL,
                               Kind8::SIGNED, Kind8::SIGNED_PER_CHANNEL});
    const bool isUnsigned =
        given.kind == Kind8::UNSIGNED || given.kind == Kind8::UNSIGNED_PER_CHANNEL;
    given.inputZeroPoint = randomZeroPoint(random, isUnsigned);
    given.weightZeroPoint = randomZeroPoint(random, true);
    given.outputZeroPoint = randomZeroPoint(random, isUnsigned);
    given.inputScale = random.real(0.01F, 0.1F);
    given.weightScale = random.real(0.01F, 0.1F);
    const float spread = given.inputScale * given.weightScale * 50.0F *
                         std::sqrt(static_cast<float>(terms)) * random.real(0.3F, 3.0F);
    given.outputScale = random.integer(0, 9) == 0 ? spread * 0.01F : spread;
    given.activation = random.integer(0, 3);
}

WindowAxis randomAxis(Random& random, std::uint32_t largest) {
    WindowAxis axis;
    do {
        axis.input = random.size(1, largest);
        axis.window = random.oneOf({1U, 2U, 3U, 3U, 5U, 7U});
        axis.stride = random.oneOf({1, 1, 2, 3});
        axis.dilation = random.oneOf({1, 1, 1, 2, 3});
        axis.before = random.integer(0, static_cast<std::int32_t>(axis.window));
        axis.after = random.integer(0, static_cast<std::int32_t>(axis.window));
    } while (static_cast<std::int64_t>(axis.input) + axis.before + axis.after <
             std::int64_t{axis.dilation} * (axis.window - 1) + 1);
    return axis;
}

std::size_t windowSize(const Case8& given) {
    return std::size_t{given.height.window} * given.width.window;
}

TEST_P(Dot8, connectsFullyAsXnnpackForAllRemaindersOfSizes) {
    sweep(1500, [](Random& random) {
        Case8 given{.type = OperationType::FULLY_CONNECTED};
        given.batches = random.size(1, 30);
        given.inputs = random.size(1, random.flip() ? 20U : 200U);
        given.outputs = random.size(1, random.flip() ? 20U : 200U);
        setQuantization(given, random, given.inputs);
        if (given.kind == Kind8::UNSIGNED_PER_CHANNEL) {  // the HAL has none for this operation
            given.kind = Kind8::UNSIGNED;
        } else if (given.kind == Kind8::SIGNED_PER_CHANNEL) {
            given.kind = Kind8::SIGNED;
        }
        return given;
    });
}

TEST_P(Dot8, convolvesPixelsAsXnnpack) {
    sweep(500, [](Random& random) {
        Case8 given{.type = OperationType::CONV_2D};
        given.batches = random.size(1, 3);
        given.height.input = random.size(1, 12);
        given.width.input = random.size(1, 20);
        given.inputs = random.size(1, 100);
        given.outputs = random.size(1, 150);
        setQuantization(given, random, given.inputs);
        return given;
    });
}

TEST_P(Dot8, convolvesWindowsAsXnnpack) {
    sweep(1500, [](Random& random) {
        Case8 given{.type = OperationType::CONV_2D};
        given.batches = random.size(1, 3);
        given.height = randomAxis(random, 14);
        given.width = randomAxis(random, 20);
        given.inputs = random.oneOf({1U, 2U, 3U, 4U, random.size(1, 40), random.size(1, 80)});
        given.outputs = random.oneOf({random.size(1, 20), random.size(1, 150)});
        setQuantization(given, random, windowSize(given) * given.inputs);
        return given;
    });
}

TEST_P(Dot8, convolvesGroupsAsXnnpack) {
    sweep(700, [](Random& random) {
        Case8 given{.type = OperationType::GROUPED_CONV_2D};
        given.batches = random.size(1, 2);
        const bool isPointwise = random.integer(0, 3) == 0;
        if (isPointwise) {
            given.height.input = random.size(1, 8);
            given.width.input = random.size(1, 8);
        } else {
            given.height = randomAxis(random, 9);
            given.width = randomAxis(random, 9);
            given.height.dilation = given.width.dilation = 1;
        }
        given.groups = random.integer(1, 5);
        const auto groups = static_cast<std::uint32_t>(given.groups);
        given.inputs = groups * random.size(1, 12);
        given.outputs = groups * random.size(1, 40);
        setQuantization(given, random, windowSize(given) * given.inputs / groups);
        return given;
    });
}

TEST_P(Dot8, convolvesGroupsOfOneChannelAsXnnpack) {
    sweep(300, [](Random& random) {
        Case8 given{.type = OperationType::GROUPED_CONV_2D};
        given.batches = random.size(1, 2);
        given.height = randomAxis(random, 12);
        given.width = randomAxis(random, 20);
        given.height.dilation = given.width.dilation = 1;
        given.inputs = given.outputs = random.size(2, random.flip() ? 10U : 100U);
        given.groups = static_cast<std::int32_t>(given.inputs);
        setQuantization(given, random, windowSize(given));
        return given;
    });
}

TEST_P(Dot8, packsGroupsOfOneChannelAsADepthwiseFilter) {
    Random random(1);
    Case8 given{.type = OperationType::GROUPED_CONV_2D, .inputs = 64, .outputs = 64, .groups = 64};
    given.height = given.width = {.input = 8, .window = 3};
    StepCase grouped(given, random);
    given.type = OperationType::DEPTHWISE_CONV_2D;
    StepCase depthwise(given, random);
    ASSERT_NE(grouped.makeDot8(*kernels_), nullptr);
    ASSERT_NE(depthwise.makeDot8(*kernels_), nullptr);
    EXPECT_EQ(grouped.filterBytes(), depthwise.filterBytes());
}

/// An axis of a transposed convolution, of which every output is under some window.
WindowAxis randomTransposedAxis(Random& random, std::uint32_t largest) {
    WindowAxis axis;
    axis.input = random.size(1, largest);
    axis.stride = random.oneOf({1, 2, 2, 3});
    axis.window = static_cast<std::uint32_t>(axis.stride) + random.size(0, 4);
    const auto most = static_cast<std::int32_t>(axis.window) / 2;
    axis.before = random.integer(0, most);
    axis.after = random.integer(0, most);
    return axis;
}

Case8 randomTransposedCase(Random& random) {
    Case8 given{.type = OperationType::TRANSPOSE_CONV_2D};
    given.batches = random.size(1, 3);
    do {
        given.height = randomTransposedAxis(random, 9);
        given.width = randomTransposedAxis(random, 20);
    } while (given.height.before + given.height.after >=
                 static_cast<std::int32_t>(given.height.window) ||
             given.width.before + given.width.after >=
                 static_cast<std::int32_t>(given.width.window));
    given.inputs = random.size(1, random.flip() ? 8U : 70U);
    given.outputs = random.size(1, random.flip() ? 8U : 150U);
    setQuantization(given, random, given.inputs * windowSize(given) / 2);
    return given;
}

TEST_P(Dot8, convolvesTransposedAsXnnpack) {
    sweep(2000, [](Random& random) {
        Case8 given = randomTransposedCase(random);
        if (given.kind == Kind8::UNSIGNED_PER_CHANNEL) {  // XNNPACK does not cover it
            given.kind = Kind8::UNSIGNED;
        } else if (given.kind == Kind8::SIGNED_PER_CHANNEL) {
            given.kind = Kind8::SIGNED;
        }
        return given;
    });
}

TEST_P(Dot8, convolvesTransposedWithAScaleForEachChannelAsTheReference) {
    const int rounds = test::kHasSanitizer ? 40 : 200;
    int covered = 0;
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        Random random(static_cast<std::uint32_t>(round + 1));
        Case8 given = randomTransposedCase(random);
        given.kind = random.oneOf({Kind8::SIGNED_PER_CHANNEL, Kind8::UNSIGNED_PER_CHANNEL});
        given.inputZeroPoint = given.kind == Kind8::SIGNED_PER_CHANNEL ? -3 : 131;
        given.outputZeroPoint = given.inputZeroPoint + 5;
        given.outputScale *= random.oneOf({1.0F, 1.0F, 1.0F, 0.001F});  // also to above 1
        StepCase operation(given, random);
        const auto own = operation.makeDot8(*kernels_, random.flip() ? twoThreads() : nullptr);
        if (!own) {
            continue;
        }
        ++covered;
        const StepCase::Output expected = operation.runReference();
        for (const bool isAtBack : {false, true}) {
            ASSERT_EQ(operation.runGuarded(*own, isAtBack), expected) << given.description();
        }
        if (round % 8 == 0) {
            EXPECT_EQ(operation.run(*operation.makePlain(!kernels_->multipliesSigned)), expected);
        }
    }
    EXPECT_GE(covered * 100, rounds * 75);
}

TEST_P(Dot8, requantizesSumsAsTheReference) {
    constexpr std::size_t kMaximumCount = 67;
    Random random(1);
    for (int round = 0; round < 500; ++round) {
        const std::size_t count = random.size(1, kMaximumCount);
        SCOPED_TRACE("round " + std::to_string(round) + ", " + std::to_string(count) + " sums");
        const QuantizedRange range{random.integer(-128, 0), random.integer(0, 127)};
        const std::int32_t zeroPoint = random.integer(-128, 127);
        std::vector<std::int32_t> sums(count);
        std::array<std::vector<std::int32_t>, 3> factors;
        factors.fill(sums);
        std::array<std::uint8_t, kMaximumCount> expected{};
        std::array<std::uint8_t, kMaximumCount> outputs{};
        for (std::size_t i = 0; i < count; ++i) {
            // Powers of two, too: with them sums are half-way between two outputs.
            const double scale =
                std::ldexp(random.flip() ? 1.0 : random.real(0.5F, 1.0F), random.integer(-33, 9));
            const int bits = random.integer(1, 31);
            sums[i] = random.integer(0, 9) == 0
                          ? random.oneOf({INT32_MIN, INT32_MAX, -1, 0, 1})
                          : random.integer(INT32_MIN >> bits, INT32_MAX >> bits);
            const QuantizedMultiplier multiplier(scale);
            factors[0][i] = multiplier.fraction();
            factors[1][i] = std::max(multiplier.exponent(), 0);
            factors[2][i] = std::max(-multiplier.exponent(), 0);
            expected[i] = static_cast<std::uint8_t>(Requantizer(scale, zeroPoint, range)(sums[i]));
        }
        kernels_->requantizeSums({.sums = sums.data(),
                                  .count = count,
                                  .fractions = factors[0].data(),
                                  .leftShifts = factors[1].data(),
                                  .rightShifts = factors[2].data(),
                                  .minimum = range.minimum,
                                  .maximum = range.maximum,
                                  .zeroPoint = zeroPoint,
                                  .output = outputs.data()});
        ASSERT_EQ(outputs, expected);
    }
}

TEST_P(Dot8, leavesTransposedConvolutionsWithOutputsUnderNoWindowToTheReference) {
    Random random(1);
    Case8 given{.type = OperationType::TRANSPOSE_CONV_2D, .inputs = 4, .outputs = 4};
    given.height = {.input = 4, .window = 2, .stride = 3};
    given.width = {.input = 4, .window = 3, .stride = 3};
    EXPECT_EQ(StepCase(given, random).makeDot8(*kernels_), nullptr);
    given.height.window = 3;
    EXPECT_NE(StepCase(given, random).makeDot8(*kernels_), nullptr);
    given.width.after = -1;
    EXPECT_EQ(StepCase(given, random).makeDot8(*kernels_), nullptr);
}

TEST_P(Dot8, convolvesDepthwiseAsXnnpack) {
    sweep(1200, [](Random& random) {
        Case8 given{.type = OperationType::DEPTHWISE_CONV_2D};
        given.batches = random.size(1, 3);
        given.height = randomAxis(random, 14);
        given.width = randomAxis(random, 40);
        given.inputs = random.oneOf({random.size(1, 8), random.size(1, 40), random.size(1, 100)});
        given.outputs = given.inputs * random.oneOf({1U, 1U, 1U, 2U, 3U, 8U, 9U});
        setQuantization(given, random, windowSize(given));
        return given;
    });
}

TEST_P(Dot8, convolvesLargeImagesDepthwiseAsXnnpack) {
    for (const std::uint32_t channels : {8U, 24U, 64U, 130U}) {
        for (const std::int32_t stride : {1, 2}) {
            Random random(channels);
            Case8 given{.type = OperationType::DEPTHWISE_CONV_2D};
            given.height = given.width = {
                .input = 171, .window = 3, .stride = stride, .before = 1, .after = 1};
            given.inputs = given.outputs = channels;
            given.inputZeroPoint = 3;
            given.weightZeroPoint = 200;
            given.outputScale = 0.1F;
            StepCase operation(given, random);
            EXPECT_TRUE(operation.compare(*kernels_, nullptr));
            EXPECT_TRUE(operation.compare(*kernels_, twoThreads()));
            EXPECT_TRUE(operation.makeDot8(*kernels_, twoThreads())->isMultithreaded());
        }
    }
}

TEST_P(Dot8, copiesOnlyPixelsUnderTapsOfDepthwiseWindows) {
    Random random(1);
    Case8 given{.type = OperationType::DEPTHWISE_CONV_2D, .inputs = 64, .outputs = 64};
    given.height = given.width = {.input = 17, .window = 1, .stride = 8};  // 3 x 3 windows
    StepCase operation(given, random);
    const auto step = operation.makeDot8(*kernels_);
    ASSERT_NE(step, nullptr);
    constexpr std::byte kPixel{0x33};
    std::fill(operation.input().begin(), operation.input().end(), kPixel);
    const AlignedBuffer output =
        *AlignedBuffer::allocate(sizeBytes(operation.operation().outputs[0]));
    const AlignedBuffer scratch = *AlignedBuffer::allocate(step->scratchBytes());
    std::fill_n(scratch.data(), step->scratchBytes(), std::byte{0});
    std::vector<std::byte*> operands(operation.operation().inputs.size());
    operands[0] = operation.input().data();
    operands.insert(operands.end(), {output.data(), scratch.data()});
    TimeLimit limit;
    ASSERT_TRUE(step->setUp(operands));
    ASSERT_TRUE(step->run(limit));
    EXPECT_EQ(std::count(scratch.data(), scratch.data() + step->scratchBytes(), kPixel),
              3 * 3 * 64);
}

TEST_P(Dot8, leavesLargeDepthwiseWindowsToXnnpack) {
    Random random(1);
    Case8 given{.type = OperationType::DEPTHWISE_CONV_2D};
    given.height = given.width = {.input = 20, .window = 11};
    EXPECT_NE(StepCase(given, random).makeDot8(*kernels_), nullptr);
    given.height.window = 12;
    EXPECT_EQ(StepCase(given, random).makeDot8(*kernels_), nullptr);
}

TEST(Dot8Depthwise, leavesRowsWhoseScratchMemoryOverflows64BitsToXnnpack) {
    Random random(1);
    Case8 given{.type = OperationType::DEPTHWISE_CONV_2D, .inputs = 8, .outputs = 8};
    given.height = {.window = 2, .before = 1};
    EXPECT_NE(StepCase(given, random).makePlain(false), nullptr);
    given.height.dilation = given.height.before = std::numeric_limits<std::int32_t>::max();
    given.width.stride = 1 << 30;  // 2^31 rows of 2^33 bytes
    EXPECT_EQ(StepCase(given, random).makePlain(false), nullptr);
}

// ---- Sums and scales

TEST_P(Dot8, letsSumsWrapAround) {
    for (const bool isSigned : {false, true}) {
        Case8 given{.type = OperationType::FULLY_CONNECTED};
        given.kind = isSigned ? Kind8::SIGNED : Kind8::UNSIGNED;
        given.batches = 2;
        given.inputs = 140001;
        given.outputs = 5;
        given.inputZeroPoint = isSigned ? -128 : 0;
        given.outputZeroPoint = isSigned ? 0 : 128;
        given.outputScale = 30000.0F;
        Random random(1);
        StepCase operation(given, random);
        std::fill(operation.input().begin(), operation.input().end(),
                  isSigned ? std::byte{0x7f} : std::byte{0xff});
        auto* const weights = operation.operation().inputs[1].data;
        std::fill_n(weights, std::size_t{given.inputs} * given.outputs,
                    isSigned ? std::byte{0x7f} : std::byte{0xff});
        EXPECT_TRUE(operation.compare(*kernels_, nullptr));
    }
}

TEST_P(Dot8, coversTheScalesThatXnnpackCovers) {
    const auto compare = [&](float weightScale, float outputScale, std::int32_t activation,
                             Kind8 kind) {
        Case8 given{.type = OperationType::FULLY_CONNECTED, .kind = kind};
        given.batches = 3;
        given.inputs = 9;
        given.outputs = 7;
        given.inputScale = 1.0F;
        given.weightScale = weightScale;
        given.outputScale = outputScale;
        given.activation = activation;
        Random random(1);
        return StepCase(given, random).compare(*kernels_, nullptr);
    };
    for (const Kind8 kind : {Kind8::UNSIGNED, Kind8::SIGNED}) {
        EXPECT_TRUE(compare(0x1p-32F, 1.0F, 0, kind));
        EXPECT_FALSE(compare(0x1.fp-33F, 1.0F, 0, kind));
        EXPECT_TRUE(compare(255.9F, 1.0F, 0, kind));
        EXPECT_FALSE(compare(256.0F, 1.0F, 0, kind));
        EXPECT_FALSE(compare(0x1p-130F, 0x1p-120F, 0, kind));
        EXPECT_FALSE(compare(0x1p-100F, 0x1p-130F, 0, kind));
        EXPECT_FALSE(compare(1.0F, 1000.0F, 2, kind));  // RELU1: one value
    }
}

TEST_P(Dot8, clampsBeforeItAddsTheZeroPoint) {
    // Sums times the scale are far beyond 32 bits on both sides.
    Case8 given{.type = OperationType::FULLY_CONNECTED, .kind = Kind8::SIGNED};
    given.batches = 8;
    given.inputs = 400;
    given.outputs = 40;
    given.inputScale = 1.0F;
    given.weightScale = 255.0F;
    given.outputScale = 1.0F;
    given.outputZeroPoint = -128;
    Random random(1);
    StepCase operation(given, random);
    auto* const bias = operation.operation().inputs[2].as<std::int32_t>();
    for (std::size_t output = 0; output < given.outputs; ++output) {
        bias[output] = output % 2 == 0 ? std::numeric_limits<std::int32_t>::min() / 2
                                       : std::numeric_limits<std::int32_t>::max() / 2;
    }
    if (NNBURST_XNNPACK_RELEASE >= 2024) {  // its sums wrap around, so it is not asked for them
        EXPECT_EQ(operation.makeXnnpack(), nullptr);
        const auto own = operation.makeDot8(*kernels_);
        ASSERT_NE(own, nullptr);
        EXPECT_EQ(operation.run(*own), operation.runReference());
        return;
    }
    EXPECT_TRUE(operation.compare(*kernels_, nullptr));
}

TEST_P(Dot8, leavesSignedWeightsWithAZeroPointToTheReference) {
    Case8 given{.type = OperationType::FULLY_CONNECTED, .kind = Kind8::SIGNED};
    Random random(1);
    StepCase operation(given, random);
    operation.operation().inputs[1].zeroPoint = 3;
    EXPECT_EQ(operation.makeDot8(*kernels_), nullptr);
}

TEST_P(Dot8, areCloseToTheReference) {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        Case8 given{.type = OperationType::CONV_2D};
        given.height = randomAxis(random, 9);
        given.width = randomAxis(random, 9);
        given.inputs = random.size(1, 40);
        given.outputs = random.size(1, 80);
        setQuantization(given, random, windowSize(given) * given.inputs);
        SCOPED_TRACE(given.description());
        StepCase operation(given, random);
        const auto step = operation.makeDot8(*kernels_);
        if (step) {
            expectClose(operation.operation().outputs[0].type, operation.run(*step),
                        operation.runReference());
        }
        ASSERT_FALSE(HasFailure());
    }
}

// ---- Packed weights, threads, time

TEST_P(Dot8, sharesPackedWeightsAmongSteps) {
    Random random(1);
    Case8 given{.type = OperationType::CONV_2D, .inputs = 33, .outputs = 70};
    given.height = given.width = {.input = 9, .window = 3, .before = 1, .after = 1};
    given.weightZeroPoint = 120;
    StepCase operation(given, random);
    const auto first = operation.makeDot8(*kernels_);
    ASSERT_NE(first, nullptr);
    EXPECT_TRUE(first->hasPackedConstants());
    const auto outputs = operation.run(*first);
    operation.dropConstants();
    const auto second = operation.makeDot8(*kernels_);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(operation.run(*second), outputs);
}

TEST_P(Dot8, makesNoStepWithoutWeights) {
    Random random(1);
    StepCase operation({.type = OperationType::CONV_2D}, random);
    operation.dropConstants();
    EXPECT_EQ(operation.makeDot8(*kernels_), nullptr);
}

TEST(Dot8Weights, areNotPackedForArgumentsThatRequestsGive) {
    for (const OperationType type :
         {OperationType::CONV_2D, OperationType::DEPTHWISE_CONV_2D, OperationType::GROUPED_CONV_2D,
          OperationType::TRANSPOSE_CONV_2D, OperationType::FULLY_CONNECTED}) {
        Random random(1);
        StepCase operation({.type = type}, random);
        EXPECT_NE(operation.makePlain(false), nullptr) << toString(type);
        // Other values may need the same weights in another order.
        std::vector<OperandView>& inputs = operation.operation().inputs;
        for (std::size_t input = 1; input < inputs.size(); ++input) {
            inputs[input].isConstant = false;
            EXPECT_EQ(operation.makePlain(false), nullptr)
                << "input " << input << " of " << toString(type);
            inputs[input].isConstant = true;
        }
    }
}

SharedAccount accountWithMemory(std::uint64_t bytes) {
    Amounts limits;
    limits[Resource::MEMORY] = bytes;
    return Account::create("test", limits);
}

std::uint64_t memoryUsed(const SharedAccount& account) {
    return account->usage(Resource::MEMORY).used;
}

TEST(Dot8Weights, areNotPackedBeyondTheLimitOfTheirModel) {
    for (const OperationType type :
         {OperationType::CONV_2D, OperationType::DEPTHWISE_CONV_2D, OperationType::GROUPED_CONV_2D,
          OperationType::TRANSPOSE_CONV_2D, OperationType::FULLY_CONNECTED}) {
        SCOPED_TRACE(toString(type));
        Random random(1);
        StepCase operation({.type = type}, random);
        const auto make = [&](dot8::PackedWeights& weights, std::uint32_t index) {
            return dot8::makeStep(
                operation.operation().view(),
                {.kernels = &plainMicrokernels(false), .weights = &weights, .operation = index});
        };
        dot8::PackedWeights unlimited;
        ASSERT_TRUE(make(unlimited, 0));
        const std::uint64_t bytes = unlimited.memoryBytes();
        ASSERT_GT(bytes, 0U);

        // Two graphs of one model.
        const SharedAccount account = accountWithMemory(2 * bytes + bytes / 2);
        dot8::PackedWeights first;
        dot8::PackedWeights second;
        first.setModelAccount(account);
        second.setModelAccount(account);
        EXPECT_TRUE(make(first, 0));
        EXPECT_TRUE(make(second, 0));
        const auto refused = make(second, 1);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
        EXPECT_EQ(second.memoryBytes(), bytes);
        EXPECT_TRUE(make(second, 0));  // packed already
        EXPECT_EQ(memoryUsed(account), 2 * bytes);
    }
}

TEST(Dot8Weights, areChargedToTheClientForWhichTheyArePacked) {
    Random random(1);
    StepCase operation({.type = OperationType::FULLY_CONNECTED, .inputs = 50}, random);
    const SharedAccount account = accountWithMemory(1 << 20);
    {
        dot8::PackedWeights weights;
        const dot8::StepContext context{
            .kernels = &plainMicrokernels(false), .weights = &weights, .account = account.get()};
        EXPECT_TRUE(dot8::makeStep(operation.operation().view(), context));
        EXPECT_TRUE(dot8::makeStep(operation.operation().view(), context));
        EXPECT_EQ(memoryUsed(account), weights.memoryBytes());
    }
    EXPECT_EQ(memoryUsed(account), 0U);
}

TEST_P(Dot8, sharesLongOperationsAmongThreads) {
    Random random(1);
    for (const std::uint32_t height : {1U, 7U, 40U}) {
        Case8 given{.type = OperationType::CONV_2D, .inputs = 130, .outputs = 500};
        given.height.input = height;
        given.width.input = 41;
        given.weightZeroPoint = 100;
        given.outputScale = 2.0F;
        StepCase operation(given, random);
        EXPECT_TRUE(operation.compare(*kernels_, twoThreads()));
        EXPECT_TRUE(operation.makeDot8(*kernels_, twoThreads())->isMultithreaded());
    }
    StepCase small({.type = OperationType::CONV_2D}, random);
    EXPECT_FALSE(small.makeDot8(*kernels_, twoThreads())->isMultithreaded());
}

TEST_P(Dot8, endsEarlyWhenTheTimeIsOver) {
    for (const std::uint32_t window : {1U, 3U}) {
        for (pthreadpool_t const threads : {pthreadpool_t{nullptr}, twoThreads()}) {
            Random random(1);
            Case8 given{.type = OperationType::CONV_2D, .inputs = 256, .outputs = 256};
            given.height = given.width = {.input = 64, .window = window};
            StepCase operation(given, random);
            const auto step = operation.makeDot8(*kernels_, threads);
            ASSERT_NE(step, nullptr);
            EXPECT_NE(operation.run(*step).back(), std::byte{0});  // and the other thread is awake
            std::vector<std::byte> output(sizeBytes(operation.operation().outputs[0]));
            const AlignedBuffer scratch = *AlignedBuffer::allocate(step->scratchBytes());
            std::vector<std::byte*> operands(operation.operation().inputs.size());
            operands[0] = operation.input().data();
            operands.push_back(output.data());
            if (step->scratchBytes() != 0) {
                operands.push_back(scratch.data());
            }
            ASSERT_TRUE(step->setUp(operands));
            TimeLimit limit(std::chrono::steady_clock::now());
            ASSERT_TRUE(step->run(limit));
            EXPECT_TRUE(limit.isOver());
            const std::vector<std::byte> untouched(output.size() / 2);
            EXPECT_TRUE(std::equal(untouched.begin(), untouched.end(), output.rbegin()));
        }
    }
}

TEST(Dot8Pace, tellsTheOtherThreadsThatTheTimeIsOver) {
    std::atomic<bool> isOver{false};
    TimeLimit limit(std::chrono::steady_clock::now());
    dot8::Pace caller(&limit, isOver);
    dot8::Pace other(nullptr, isOver);
    EXPECT_FALSE(other.isOverAfter(1));
    EXPECT_TRUE(caller.isOverAfter(std::size_t{1} << 30));
    EXPECT_TRUE(other.isOverAfter(1));
}

TEST(Dot8Pace, checksTheTimeLimitAlsoBetweenTheShortestTasks) {
    constexpr std::size_t kTasks = 70000;
    static_assert(kTasks > TimeLimit::kWorkPerCheck);
    std::atomic<bool> isOver{false};
    TimeLimit limit(std::chrono::steady_clock::now());
    dot8::Pace pace(&limit, isOver);
    bool hasEnded = false;
    for (std::size_t task = 0; task < kTasks; ++task) {
        hasEnded = pace.isOverAfter(2);
    }
    EXPECT_TRUE(hasEnded);
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Dot8, testing::ValuesIn(dot8::kInstructionSets),
                         testName);

// ---- Models

Model oneConvolution(std::uint32_t outputs = 24) {
    ModelBuilder builder;
    Random random(1);
    const auto type = OperandType::TENSOR_QUANT8_ASYMM;
    const auto x = builder.addTensor(type, {1, 8, 8, 16}, 0.5F, 120);
    const auto w = builder.addConstant(
        type, {outputs, 3, 3, 16}, random.elements(type, std::size_t{outputs} * 9 * 16), 0.5F, 130);
    const auto b =
        builder.addConstant(OperandType::TENSOR_INT32, {outputs},
                            random.elements(OperandType::TENSOR_INT32, outputs), 0.25F, 0);
    const auto y = builder.addTensor(type, {1, 8, 8, outputs}, 200.0F, 128);
    builder.addOperation(OperationType::CONV_2D,
                         {x, w, b, builder.addScalar(1), builder.addScalar(1), builder.addScalar(1),
                          builder.addScalar(0)},
                         {y});
    return build(builder, {x}, {y});
}

TEST(Dot8Models, runOnOurKernelsUnlessTheseAreSwitchedOff) {
    if (dot8::fastestMicrokernels() == nullptr) {
        GTEST_SKIP() << "this processor does not have the instructions";
    }
    const Model model = oneConvolution();
    for (const bool useDotProducts : {true, false}) {
        EXPECT_TRUE(makeEngine(true));  // initialises XNNPACK
        const Kernels kernels{.dot8 = useDotProducts ? dot8::fastestMicrokernels() : nullptr};
        const auto graph = Graph::create(model, model.main);
        ASSERT_TRUE(graph);
        xnnpack::OperatorCache operators;
        PlanningTurns planning;
        const auto plan =
            makePlan(**graph, {.inputs = {{.shape = {1, 8, 8, 16}}}, .omittedOutputs = {0}},
                     kernels, operators, *planning.take());
        ASSERT_TRUE(plan) << plan.error().message;
        EXPECT_EQ((*graph)->packedWeights->all().size(), useDotProducts ? 1U : 0U);
    }
}

std::vector<std::byte> outputOf(CompiledModel& model) {
    Random random(1);
    TestRequest request;
    request.addInput(random.elements(OperandType::TENSOR_QUANT8_ASYMM, 8 * 8 * 16));
    request.addOutput(std::size_t{8} * 8 * 64);
    EXPECT_TRUE(request.run(model));
    const auto output = request.output(0);
    return {output.begin(), output.end()};
}

class Dot8PackedModels : public testing::Test {
  protected:
    void SetUp() override {
        if (dot8::fastestMicrokernels() == nullptr) {
            GTEST_SKIP() << "this processor does not have the instructions";
        }
    }
    Result<std::shared_ptr<CompiledModel>> compileWith(const PackedModel& packed) {
        return CompiledModel::compile(engine_, model_, packed);
    }

    const std::shared_ptr<Engine> engine_ = makeEngine(true);
    const Model model_ = oneConvolution(64);
    static constexpr std::uint32_t kWeights = 1;
};

TEST_F(Dot8PackedModels, areCompiledAgainWithoutTheValuesOfTheirWeights) {
    const auto compiled = compileWith({});
    ASSERT_TRUE(compiled) << compiled.error().message;
    const std::vector<std::byte> expected = outputOf(**compiled);
    const PackedModel packed = (*compiled)->packed();
    EXPECT_EQ(packed.packing, engine_->packedFor().packing);
    EXPECT_TRUE(packed.packing.starts_with(dot8::packingName(*dot8::fastestMicrokernels())));
    ASSERT_EQ(packed.graphs.size(), 1U);
    EXPECT_EQ(packed.graphs[0].filters.size(), 1U);
    EXPECT_EQ(packed.graphs[0].packedConstants, std::vector<std::uint32_t>{kWeights});

    const DataLocation& location = model_.main.operands[kWeights].location;
    ASSERT_EQ(model_.main.operands[kWeights].lifetime, OperandLifeTime::CONSTANT_REFERENCE);
    const Mapping pool = *Mapping::map(model_.pools[location.poolIndex]);
    std::memset(pool.data() + location.offset, 0, location.length);
    const auto again = compileWith(packed);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(outputOf(**again), expected);
    EXPECT_EQ((*again)->packed().graphs[0].packedConstants, packed.graphs[0].packedConstants);
    const auto blank = compileWith({});
    ASSERT_TRUE(blank);
    EXPECT_NE(outputOf(**blank), expected);
}

TEST_F(Dot8PackedModels, ofOtherSizesAreRefused) {
    const auto compiled = compileWith({});
    ASSERT_TRUE(compiled);
    PackedModel packed = (*compiled)->packed();
    auto& filter = packed.graphs.at(0).filters.at(0).second;
    dot8::FilterForm form = filter->form;
    form.columns += 16;
    filter = *dot8::PackedFilter::allocate(*filter->kernels, form);
    const auto again = compileWith(packed);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().status, ErrorStatus::GENERAL_FAILURE);
}

TEST_F(Dot8PackedModels, shareTheirFiltersWithTheCompiledModel) {
    const auto compiled = compileWith({});
    ASSERT_TRUE(compiled);
    const PackedModel packed = (*compiled)->packed();
    const auto again = compileWith(packed);
    ASSERT_TRUE(again);
    EXPECT_EQ((*again)->packed().graphs.at(0).filters, packed.graphs.at(0).filters);
}

/// `count` fully connected layers of one output, which share their weights. Packed, these take 4 to
/// 16 times as much for each layer.
Model layersOfOneConstant(std::uint32_t count, const Dimensions& input) {
    constexpr auto kBytes = OperandType::TENSOR_QUANT8_ASYMM;
    ModelBuilder builder;
    const auto x = builder.addTensor(kBytes, input, 0.5F, 120);
    const auto w =
        builder.addConstant(kBytes, {1, input[1]}, std::vector<std::byte>(input[1]), 0.5F, 3);
    const auto b = builder.addConstant(OperandType::TENSOR_INT32, {1},
                                       bytesOf(std::vector<std::int32_t>{7}), 0.25F, 0);
    const auto activation = builder.addScalar(0);
    std::vector<std::uint32_t> outputs;
    for (std::uint32_t layer = 0; layer < count; ++layer) {
        outputs.push_back(builder.addTensor(kBytes, {input[0], 1}, 200.0F, 128));
        builder.addOperation(OperationType::FULLY_CONNECTED, {x, w, b, activation},
                             {outputs.back()});
    }
    return build(builder, {x}, outputs);
}

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

TEST_F(Dot8PackedModels, areRefusedIfTheyPackOneConstantTooOften) {
    const auto compiled =
        CompiledModel::compile(engine_, layersOfOneConstant(40, {1, std::uint32_t{kMebibyte}}));
    ASSERT_FALSE(compiled);
    EXPECT_EQ(compiled.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    EXPECT_NE(compiled.error().message.find("packed weights"), std::string::npos)
        << compiled.error().message;
}

TEST_F(Dot8PackedModels, countWhatTheirWeightsTakeBeyondTheConstants) {
    const auto compiled =
        CompiledModel::compile(engine_, layersOfOneConstant(2, {1, std::uint32_t{kMebibyte}}));
    ASSERT_TRUE(compiled) << compiled.error().message;
    const PackedModel packed = (*compiled)->packed();
    std::uint64_t bytes = 0;
    for (const auto& [operation, filter] : packed.graphs.at(0).filters) {
        bytes += filter->memory.sizeBytes();
    }
    EXPECT_GE(bytes, 8 * kMebibyte);
    EXPECT_GE((*compiled)->memoryBytes(), bytes - 2 * kMebibyte);
}

TEST_F(Dot8PackedModels, chargeWhatAnExecutionPacksToItsClient) {
    constexpr std::uint32_t kInputs = 1 << 16;
    const auto compiled = CompiledModel::compile(engine_, layersOfOneConstant(1, {0, kInputs}));
    ASSERT_TRUE(compiled) << compiled.error().message;
    const auto runFor = [&](const SharedAccount& account) {
        LaneShare client(nullptr, account);
        TestRequest request;
        request.addInput(std::vector<std::byte>(kInputs), {1, kInputs});
        request.addOutput(1);
        return request.runFor(client, **compiled);
    };
    const auto refused = runFor(accountWithMemory(2 * kInputs));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT);
    const SharedAccount account = accountWithMemory(64 * kMebibyte);
    const auto run = runFor(account);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_GE(memoryUsed(account), 4 * std::uint64_t{kInputs});
}

}  // namespace
}  // namespace nnburst::exec
