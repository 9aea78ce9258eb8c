// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

// Quantised LSTM operations with packed weights against the reference kernels, bit for bit.

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <string>

#include "exec/dot8/backend.h"
#include "exec/dot8/instruction_set.h"
#include "exec/dot8/plain_microkernels.h"
#include "exec/dot8/step_case.h"
#include "exec/reference/operations.h"
#include "exec/reference/reference_step.h"
#include "support/sanitizers.h"

namespace nnburst::exec {
namespace {

using dot8::InstructionSet;
using enum OperandType;

/// An operation whose tensors are random.
class LstmCase {
  public:
    OperationInstance& instance() { return instance_; }

    OperandView& add(OperandType type, const Shape& shape, float scale, std::int32_t zeroPoint,
                     bool isConstant, Random& random) {
        data_.push_back(
            random.elements(TENSOR_QUANT8_ASYMM, shape.elementCount() * elementBytes(type)));
        instance_.inputs.push_back({.type = type,
                                    .shape = shape,
                                    .scale = scale,
                                    .zeroPoint = zeroPoint,
                                    .isConstant = isConstant});
        instance_.inputs.back().data = data_.back().data();
        return instance_.inputs.back();
    }
    void omit() { instance_.inputs.push_back({.isConstant = true, .isOmitted = true}); }
    template <class T>
    void addScalar(OperandType type, T value) {
        data_.emplace_back(sizeof(T));
        std::memcpy(data_.back().data(), &value, sizeof(T));
        instance_.inputs.push_back({.type = type, .isConstant = true});
        instance_.inputs.back().data = data_.back().data();
    }
    /// Biases around 0 that do not hide the products.
    void addBias(std::uint32_t size, Random& random) {
        data_.emplace_back(size * sizeof(std::int32_t));
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::int32_t value = random.integer(-20000, 20000);
            std::memcpy(data_.back().data() + i * sizeof(value), &value, sizeof(value));
        }
        instance_.inputs.push_back({.type = TENSOR_INT32, .shape = {size}, .isConstant = true});
        instance_.inputs.back().data = data_.back().data();
    }

    std::unique_ptr<Step> makeOwn(const dot8::Microkernels& kernels) {
        auto step = dot8::makeStepAsReference(instance_.view(),
                                              {.kernels = &kernels, .weights = &weights_});
        EXPECT_TRUE(step) << step.error().message;
        return step ? std::move(*step) : nullptr;
    }

    std::vector<std::vector<std::byte>> run(Step& step, TimeLimit limit = TimeLimit()) {
        std::vector<std::vector<std::byte>> outputs;
        std::vector<std::byte*> operands;
        for (const OperandView& input : instance_.inputs) {
            operands.push_back(input.data);
        }
        for (const OperandView& output : instance_.outputs) {
            outputs.emplace_back(sizeBytes(output));
            operands.push_back(outputs.back().data());
        }
        const AlignedBuffer scratch = *AlignedBuffer::allocate(step.scratchBytes());
        operands.push_back(scratch.data());
        EXPECT_TRUE(step.setUp(operands));
        const auto result = step.run(limit);
        EXPECT_TRUE(result) << result.error().message;
        return outputs;
    }

    /// The step's outputs are those of the reference kernel.
    void compare(const dot8::Microkernels& kernels) {
        const std::unique_ptr<Step> own = makeOwn(kernels);
        ASSERT_NE(own, nullptr);
        EXPECT_EQ(run(*own), run(*makeReferenceStep(instance_)));
        EXPECT_FALSE(weights_.all().empty());
    }

  private:
    OperationInstance instance_;
    std::deque<std::vector<std::byte>> data_;
    dot8::PackedWeights weights_;
};

void make16Bit(LstmCase& given, Random& random) {
    const std::uint32_t batches = random.size(1, 3);
    const std::uint32_t inputs = random.size(1, 150);
    const std::uint32_t units = random.size(1, 150);
    const float scale = random.real(0.001F, 0.02F);
    const std::int32_t zeroPoint = random.integer(0, 255);
    given.instance().type = OperationType::QUANTIZED_16BIT_LSTM;
    constexpr float kUnit = 1.0F / 128;
    given.add(TENSOR_QUANT8_ASYMM, {batches, inputs}, kUnit, 128, false, random);
    // Bytes that all fit into signed ones without their zero point, or not.
    const bool isNarrow = random.flip();
    for (int matrix = 0; matrix < 8; ++matrix) {
        const OperandView& weights =
            given.add(TENSOR_QUANT8_ASYMM, {units, matrix < 4 ? inputs : units}, scale, zeroPoint,
                      true, random);
        for (std::size_t i = 0; isNarrow && i < weights.shape.elementCount(); ++i) {
            auto& byte = weights.as<std::uint8_t>()[i];
            byte = static_cast<std::uint8_t>(zeroPoint < 128 ? byte / 2 : 128 + byte / 2);
        }
    }
    for (int gate = 0; gate < 4; ++gate) {
        given.addBias(units, random);
    }
    given.add(TENSOR_QUANT16_SYMM, {batches, units}, 1.0F / 2048, 0, false, random);
    given.add(TENSOR_QUANT8_ASYMM, {batches, units}, kUnit, 128, false, random);
    given.instance().outputs = {given.instance().inputs[13], given.instance().inputs[14]};
}

void makeWithOptions(LstmCase& given, Random& random) {
    const std::uint32_t batches = random.size(1, 3);
    const std::uint32_t inputs = random.size(1, 150);
    const std::uint32_t units = random.size(1, 150);
    const bool isProjected = random.flip();
    const std::uint32_t outputs = isProjected ? random.size(1, 150) : units;
    const bool hasInputGate = random.flip();
    const bool hasPeepholes = random.flip();
    const bool hasNorms = random.flip();
    given.instance().type = OperationType::QUANTIZED_LSTM;
    const auto matrix = [&](std::uint32_t rows, std::uint32_t columns) {
        given.add(TENSOR_QUANT8_SYMM, {rows, columns}, random.real(0.0005F, 0.01F), 0, true,
                  random);
    };
    const auto vector = [&](bool isThere) {
        if (isThere) {
            given.add(TENSOR_QUANT16_SYMM, {units}, 0.0001F, 0, true, random);
        } else {
            given.omit();
        }
    };
    given.add(TENSOR_QUANT8_ASYMM_SIGNED, {batches, inputs}, 0.01F, random.integer(-128, 127),
              false, random);
    for (const std::uint32_t columns : {inputs, outputs}) {
        for (int gate = 0; gate < 4; ++gate) {
            if (gate == 0 && !hasInputGate) {
                given.omit();
            } else {
                matrix(units, columns);
            }
        }
    }
    vector(hasPeepholes && hasInputGate);
    vector(hasPeepholes);
    vector(hasPeepholes);
    for (int gate = 0; gate < 4; ++gate) {
        if (gate == 0 && !hasInputGate) {
            given.omit();
        } else {
            given.addBias(units, random);
        }
    }
    if (isProjected) {
        matrix(outputs, units);
    } else {
        given.omit();
    }
    if (isProjected && random.flip()) {
        given.addBias(outputs, random);
    } else {
        given.omit();
    }
    given.add(TENSOR_QUANT8_ASYMM_SIGNED, {batches, outputs}, 0.008F, random.integer(-128, 127),
              false, random);
    given.add(TENSOR_QUANT16_SYMM, {batches, units}, 1.0F / 2048, 0, false, random);
    vector(hasNorms && hasInputGate);
    for (int gate = 1; gate < 4; ++gate) {
        vector(hasNorms);
    }
    given.addScalar(FLOAT32, random.flip() ? 0.0F : 8.0F);
    given.addScalar(FLOAT32, random.flip() ? 0.0F : 0.5F);
    for (int gate = 0; gate < 4; ++gate) {
        given.addScalar(FLOAT32, random.real(0.001F, 0.01F));
    }
    given.addScalar(INT32, random.integer(-128, 127));
    given.addScalar(FLOAT32, 0.008F);
    const OperandView state = given.instance().inputs[18];
    given.instance().outputs = {state, given.instance().inputs[19], state};
}

class Dot8Lstm : public testing::TestWithParam<InstructionSet> {
  protected:
    void SetUp() override {
        kernels_ = dot8::microkernels(GetParam());
        if (kernels_ == nullptr) {
            GTEST_SKIP() << "this processor does not have the instructions";
        }
    }

    static constexpr int kRounds = test::kHasSanitizer ? 20 : 150;

    const dot8::Microkernels* kernels_ = nullptr;
};

TEST_P(Dot8Lstm, computesWhatTheReferenceKernelsCompute) {
    for (int round = 0; round < kRounds; ++round) {
        for (const auto make : {make16Bit, makeWithOptions}) {
            Random random(static_cast<std::uint32_t>(round + 1));
            LstmCase given;
            make(given, random);
            SCOPED_TRACE(std::string(toString(given.instance().type)) + ", round " +
                         std::to_string(round));
            given.compare(*kernels_);
        }
    }
}

TEST_P(Dot8Lstm, leavesWeightsThatAreNoConstantsToTheReference) {
    Random random(1);
    for (const std::size_t input : {std::size_t{2}, std::size_t{30}}) {
        LstmCase given;
        makeWithOptions(given, random);
        given.instance().inputs[input].isConstant = false;
        EXPECT_EQ(given.makeOwn(*kernels_), nullptr);
    }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Dot8Lstm, testing::ValuesIn(dot8::kInstructionSets),
                         testName);

TEST(LstmOnPlainMicrokernels, multipliesBytesOfEitherSign) {
    for (int round = 0; round < 20; ++round) {
        for (const bool multipliesSigned : {false, true}) {
            for (const auto make : {make16Bit, makeWithOptions}) {
                Random random(static_cast<std::uint32_t>(round + 1));
                LstmCase given;
                make(given, random);
                given.compare(plainMicrokernels(multipliesSigned));
            }
        }
    }
}

int multipliedBlocks = 0;

/// Plain micro-kernels that count the blocks of columns that they multiply.
dot8::Microkernels countingMicrokernels() {
    dot8::Microkernels kernels = plainMicrokernels(true);
    kernels.multiply = [](const dot8::BlockProduct& block) {
        ++multipliedBlocks;
        plainMicrokernels(true).multiply(block);
    };
    return kernels;
}

TEST(LstmOnPlainMicrokernels, endsAfterTheBlockOfColumnsInWhichItsTimeIsOver) {
    const dot8::Microkernels kernels = countingMicrokernels();
    for (const auto make : {make16Bit, makeWithOptions}) {
        Random random(1);
        LstmCase given;
        make(given, random);
        const std::uint32_t units = given.instance().inputs[2].shape[0];
        ASSERT_GT(units, 2 * kernels.blockColumns) << "a matrix must have several blocks";
        const std::unique_ptr<Step> step = given.makeOwn(kernels);
        ASSERT_NE(step, nullptr);
        TimeLimit late(std::chrono::steady_clock::now());
        ASSERT_FALSE(late.isOverAfter(TimeLimit::kWorkPerCheck - 2));
        multipliedBlocks = 0;
        given.run(*step, late);
        EXPECT_EQ(multipliedBlocks, 1);
    }
}

}  // namespace
}  // namespace nnburst::exec
