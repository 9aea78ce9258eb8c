// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "exec/operation/time_limit.h"
#include "exec/reference/fixed_point.h"
#include "exec/reference/lstm_cell.h"
#include "exec/reference/operations.h"
#include "exec/reference/test_operation.h"

namespace nnburst::exec {
namespace {

using enum OperandType;

/// Units, or a rank, in whose loops the time passes more than once.
constexpr std::uint32_t kLong = 1 << 18;
static_assert(kLong > 2 * TimeLimit::kWorkPerCheck);

/// The outputs of a run whose time is over before it begins.
std::vector<TestOperand> runLate(TestOperation operation) {
    TimeLimit limit(std::chrono::steady_clock::now());
    operation.timeLimit = &limit;
    (void)operation.run();
    EXPECT_TRUE(limit.isOver());
    return operation.outputs;
}

/// Whether a run has left an output as it was.
bool isUnwritten(const TestOperand& output) {
    return std::all_of(output.data.begin(), output.data.end(),
                       [](std::byte byte) { return byte == std::byte{0xCD}; });
}

/// How often a run checks its time limit.
std::size_t countChecks(TestOperation operation) {
    std::size_t checks = 0;
    TimeLimit limit({}, nullptr,
                    {[](void* pass) noexcept { ++*static_cast<std::size_t*>(pass); }, &checks});
    operation.timeLimit = &limit;
    EXPECT_EQ(operation.refusal(), "");
    return checks;
}

// ---- RNN

/// Two batches of two inputs, three units.
TestOperation smallRnn() {
    return {OperationType::RNN,
            {floats({2, 2}, {1, 2, 3, 4}), floats({3, 2}, {1, 0, 0, 1, 1, -1}),
             floats({3, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0}), floats({3}, {0.5F, 0, -0.5F}),
             floats({2, 3}, {10, 20, 30, 40, 50, 60}), scalar(0)},
            {tensor(TENSOR_FLOAT32), tensor(TENSOR_FLOAT32)}};
}

TEST(Rnn, addsInputStateAndBias) {
    TestOperation operation = smallRnn();
    ASSERT_EQ(operation.refusal(), "");
    const std::vector<float> expected{21.5F, 32, 8.5F, 53.5F, 64, 38.5F};
    for (const TestOperand& output : operation.outputs) {
        EXPECT_EQ(output.dimensions, (Dimensions{2, 3}));
        EXPECT_EQ(output.values<float>(), expected);
    }
    operation.inputs[5] = scalar(3);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[1].values<float>(), (std::vector<float>{6, 6, 6, 6, 6, 6}));
}

TEST(Rnn, updatesItsStateInPlace) {
    TestOperation operation = smallRnn();
    operation.inPlace = {{.input = 4, .output = 0}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.inputs[4].values<float>(),
              (std::vector<float>{21.5F, 32, 8.5F, 53.5F, 64, 38.5F}));
}

TEST(Rnn, refusesOperandsThatBreakARule) {
    expectRefusals(
        smallRnn,
        {
            {[](auto& o) { o.inputs.resize(5); }, "RNN: 5 inputs; must be 6"},
            {[](auto& o) { o.outputs.resize(1); }, "RNN: 1 outputs; must be 2"},
            {[](auto& o) { o.inputs[0].type = TENSOR_QUANT8_ASYMM; },
             "RNN input 0 (input): type TENSOR_QUANT8_ASYMM; must be TENSOR_FLOAT32 or "
             "TENSOR_FLOAT16"},
            {[](auto& o) { o.inputs[1].type = TENSOR_FLOAT16; },
             "RNN input 1 (weights): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of input 0 "
             "(input)"},
            {[](auto& o) { o.inputs[4].type = TENSOR_FLOAT16; },
             "RNN input 4 (hidden state in): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of "
             "input 0 (input)"},
            {[](auto& o) { o.outputs[1].type = TENSOR_FLOAT16; },
             "RNN output 1 (output): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that of input 0 "
             "(input)"},
            {[](auto& o) { o.inputs[0].dimensions = {4}; },
             "RNN input 0 (input): rank 1; must be 2"},
            {[](auto& o) {
                 o.inputs[1].dimensions = {2, 3};
             },
             "RNN input 1 (weights): size 3 of axis 1; must be 2, the size of the input"},
            {[](auto& o) {
                 o.inputs[1].dimensions = {0, 2};
             },
             "RNN input 1 (weights): size 0 of axis 0; must be at least 1"},
            {[](auto& o) {
                 o.inputs[2].dimensions = {3, 2};
             },
             "RNN input 2 (recurrent weights): size 2 of axis 1; must be 3, the number of units "
             "(of input 1)"},
            {[](auto& o) { o.inputs[3].dimensions = {2}; },
             "RNN input 3 (bias): size 2 of axis 0; must be 3, the number of units (of input 1)"},
            {[](auto& o) {
                 o.inputs[4].dimensions = {3, 2};
             },
             "RNN input 4 (hidden state in): size 3 of axis 0; must be 2, the batch size of the "
             "input"},
            {[](auto& o) { o.inputs[5] = scalar(5); },
             "RNN input 5 (activation): value 5; must be 0 (NONE), 1 (RELU), 2 (RELU1), 3 (RELU6), "
             "4 (TANH) or 6 (SIGMOID)"},
            {[](auto& o) {
                 o.outputShapes = {Shape{2, 3}, Shape{3, 3}};
             },
             "RNN output 1: shape 3x3; must be 2x3"},
        });
}

// ---- RNN over sequences

/// One step with an input of 2 elements and 3 units.
TestOperation unidirectionalRnn() {
    return {OperationType::UNIDIRECTIONAL_SEQUENCE_RNN,
            {floats({1, 1, 2}, {1, 2}), floats({3, 2}, {1, 0, 0, 1, 1, 1}),
             floats({3, 3}, std::vector<float>(9)), floats({3}, {0, 0, 0}),
             floats({1, 3}, {0, 0, 0}), scalar(0), scalar(1)},
            {tensor(TENSOR_FLOAT32)}};
}

/// The same in both directions, without an auxiliary input.
TestOperation bidirectionalRnn() {
    TestOperation operation = unidirectionalRnn();
    operation.type = OperationType::BIDIRECTIONAL_SEQUENCE_RNN;
    std::vector<TestOperand>& inputs = operation.inputs;
    inputs.resize(5);
    for (std::size_t input = 1; input < 5; ++input) {
        inputs.push_back(TestOperand(inputs[input]));
    }
    inputs.insert(inputs.end(), 3, omitted(TENSOR_FLOAT32));
    inputs.insert(inputs.end(), {scalar(0), scalar(true), scalar(false)});
    operation.outputs.push_back(tensor(TENSOR_FLOAT32));
    return operation;
}

TEST(SequenceRnn, refusesOrdersThatTheHalDoesNotHave) {
    expectRefusals(unidirectionalRnn,
                   {
                       {[](auto& o) { o.inputs[6] = scalar(-1); },
                        "UNIDIRECTIONAL_SEQUENCE_RNN input 6 (time major): value -1; must be at "
                        "least 0"},
                       {[](auto& o) { o.inputs[6] = scalar(2); },
                        "UNIDIRECTIONAL_SEQUENCE_RNN input 6 (time major): value 2; must be 0 or "
                        "1"},
                   });
}

TEST(SequenceRnn, refusesAuxiliaryWeightsWithoutAnAuxiliaryInput) {
    const auto give = [](std::size_t index) {
        return [index](TestOperation& operation) {
            operation.inputs[index] = floats({3, 2}, std::vector<float>(6));
        };
    };
    expectRefusals(bidirectionalRnn,
                   {
                       {give(10),
                        "BIDIRECTIONAL_SEQUENCE_RNN input 10 (auxiliary weights); must be left out "
                        "without input 9"},
                       {give(11),
                        "BIDIRECTIONAL_SEQUENCE_RNN input 11 (auxiliary weights); must be left out "
                        "without input 9"},
                   });
}

TEST(SequenceRnn, leavesAuxiliaryWeightsThatARequestMayLeaveOutToThePlanner) {
    TestOperation operation = bidirectionalRnn();
    operation.inputs[10] = tensor(TENSOR_FLOAT32);
    operation.inputs[11] = tensor(TENSOR_FLOAT32);
    EXPECT_TRUE(operation.check());
}

TEST(SequenceRnn, acceptsBackwardAuxiliaryWeightsAloneWhileARequestMayLeaveThemOut) {
    TestOperation operation = bidirectionalRnn();
    operation.inputs[9] = operation.inputs[0];
    operation.inputs[10].dimensions = {3, 2};
    operation.inputs[11] = tensor(TENSOR_FLOAT32);
    const Result<> checked = operation.check();
    EXPECT_TRUE(checked) << checked.error().message;
    operation.inputs[11] = omitted(TENSOR_FLOAT32);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[1].data, operation.outputs[0].data);
    operation.inputs[11] = floats({3, 2}, std::vector<float>(6));
    EXPECT_EQ(operation.refusal(),
              "BIDIRECTIONAL_SEQUENCE_RNN input 10 (auxiliary weights): left out; must be given");
}

// ---- LSTM

/// Which of the HAL's options an LSTM uses.
struct Options {
    bool isCoupled = false;  ///< no input gate
    bool hasPeepholes = false;
    bool hasProjection = false;
    bool hasProjectionBias = false;
    bool hasNorms = false;
    std::int32_t activation = 4;
    float cellClip = 0.0F;
    float projectionClip = 0.0F;
};

constexpr std::uint32_t kBatches = 2;
constexpr std::uint32_t kInputSize = 3;
constexpr std::uint32_t kUnits = 4;

/// An LSTM of random weights.
TestOperation lstm(const Options& options, std::uint32_t seed = 1) {
    std::mt19937 random(seed);
    const std::uint32_t outputSize = options.hasProjection ? 2 : kUnits;
    const auto weights = [&](const Dimensions& dimensions, bool isThere = true) {
        std::size_t count = 1;
        for (const std::uint32_t axis : dimensions) {
            count *= axis;
        }
        std::vector<float> values(count);
        for (float& value : values) {
            value = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
        }
        return isThere ? floats(dimensions, values) : omitted(TENSOR_FLOAT32);
    };
    const bool hasInputGate = !options.isCoupled;
    TestOperation operation{OperationType::LSTM, {}, {}};
    auto& inputs = operation.inputs;
    inputs.push_back(weights({kBatches, kInputSize}));
    inputs.push_back(weights({kUnits, kInputSize}, hasInputGate));
    for (int gate = 0; gate < 3; ++gate) {
        inputs.push_back(weights({kUnits, kInputSize}));
    }
    inputs.push_back(weights({kUnits, outputSize}, hasInputGate));
    for (int gate = 0; gate < 3; ++gate) {
        inputs.push_back(weights({kUnits, outputSize}));
    }
    inputs.push_back(weights({kUnits}, hasInputGate && options.hasPeepholes));
    inputs.push_back(weights({kUnits}, options.hasPeepholes));
    inputs.push_back(weights({kUnits}, options.hasPeepholes));
    inputs.push_back(weights({kUnits}, hasInputGate));
    for (int gate = 0; gate < 3; ++gate) {
        inputs.push_back(weights({kUnits}));
    }
    inputs.push_back(weights({outputSize, kUnits}, options.hasProjection));
    inputs.push_back(weights({outputSize}, options.hasProjectionBias));
    inputs.push_back(weights({kBatches, outputSize}));
    inputs.push_back(weights({kBatches, kUnits}));
    inputs.push_back(scalar(options.activation));
    inputs.push_back(scalar(options.cellClip));
    inputs.push_back(scalar(options.projectionClip));
    if (options.hasNorms) {
        inputs.push_back(weights({kUnits}, hasInputGate));
        for (int gate = 0; gate < 3; ++gate) {
            inputs.push_back(weights({kUnits}));
        }
    }
    operation.outputs.assign(4, tensor(TENSOR_FLOAT32));
    return operation;
}

using Vector = std::vector<double>;

/// Row `row` of input `index` of a batch or matrix, as numbers.
Vector rowOf(const TestOperation& operation, std::size_t index, std::size_t row) {
    const TestOperand& operand = operation.inputs[index];
    const auto values = operand.values<float>();
    const std::size_t size = operand.dimensions.back();
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * size);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
}

double dot(const Vector& a, const Vector& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

double activate(std::int32_t activation, double x) {
    switch (activation) {
        case 1:
            return std::max(x, 0.0);
        case 3:
            return std::clamp(x, 0.0, 6.0);
        case 4:
            return std::tanh(x);
        case 6:
            return sigmoid(x);
        default:
            return x;
    }
}

double clipTo(double limit, double x) {
    return limit == 0.0 ? x : std::clamp(x, -limit, limit);
}

/// The sum of gate `gate` (input, forget, cell, output), by the formulas of the HAL.
Vector sumOf(const TestOperation& operation, const Options& options, std::size_t gate,
             std::size_t batch, const Vector& cell) {
    const Vector x = rowOf(operation, 0, batch);
    const Vector h = rowOf(operation, 18, batch);
    Vector sum(kUnits);
    for (std::size_t u = 0; u < kUnits; ++u) {
        sum[u] = dot(rowOf(operation, 1 + gate, u), x) + dot(rowOf(operation, 5 + gate, u), h);
        if (options.hasPeepholes && gate != 2) {
            const std::size_t peephole = gate == 3 ? 11 : 9 + gate;
            sum[u] += rowOf(operation, peephole, 0)[u] * cell[u];
        }
    }
    if (options.hasNorms) {
        double mean = 0.0;
        double variance = 0.0;
        for (const double value : sum) {
            mean += value / kUnits;
        }
        for (const double value : sum) {
            variance += (value - mean) * (value - mean) / kUnits;
        }
        for (std::size_t u = 0; u < kUnits; ++u) {
            sum[u] = (sum[u] - mean) / std::sqrt(variance) * rowOf(operation, 23 + gate, 0)[u];
        }
    }
    for (std::size_t u = 0; u < kUnits; ++u) {
        sum[u] += rowOf(operation, 12 + gate, 0)[u];
    }
    return sum;
}

struct State {
    Vector output;
    Vector cell;
};

State stepByDefinition(const TestOperation& operation, const Options& options, std::size_t batch) {
    const Vector before = rowOf(operation, 19, batch);
    const Vector forget = sumOf(operation, options, 1, batch, before);
    const Vector input =
        options.isCoupled ? Vector(kUnits) : sumOf(operation, options, 0, batch, before);
    const Vector candidate = sumOf(operation, options, 2, batch, before);
    State state{Vector(kUnits), Vector(kUnits)};
    for (std::size_t u = 0; u < kUnits; ++u) {
        const double f = sigmoid(forget[u]);
        const double i = options.isCoupled ? 1.0 - f : sigmoid(input[u]);
        state.cell[u] = clipTo(options.cellClip,
                               f * before[u] + i * activate(options.activation, candidate[u]));
    }
    const Vector output = sumOf(operation, options, 3, batch, state.cell);
    for (std::size_t u = 0; u < kUnits; ++u) {
        state.output[u] = sigmoid(output[u]) * activate(options.activation, state.cell[u]);
    }
    if (options.hasProjection) {
        Vector projected(operation.inputs[16].dimensions[0]);
        for (std::size_t o = 0; o < projected.size(); ++o) {
            projected[o] = dot(rowOf(operation, 16, o), state.output) +
                           (options.hasProjectionBias ? rowOf(operation, 17, 0)[o] : 0.0);
            projected[o] = clipTo(options.projectionClip, projected[o]);
        }
        state.output = projected;
    }
    return state;
}

void expectRow(const std::vector<float>& actual, std::size_t batch, const Vector& expected) {
    ASSERT_EQ(actual.size(), kBatches * expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(actual[batch * expected.size() + i], expected[i], 1e-5) << "element " << i;
    }
}

TEST(Lstm, isTheFormulaOfTheHalWithAllOptions) {
    for (unsigned choice = 0; choice < 32; ++choice) {
        for (const std::int32_t activation : {0, 1, 3, 4, 6}) {
            const Options options{.isCoupled = (choice & 1) != 0,
                                  .hasPeepholes = (choice & 2) != 0,
                                  .hasProjection = (choice & 12) != 0,
                                  .hasProjectionBias = (choice & 12) == 12,
                                  .hasNorms = (choice & 16) != 0,
                                  .activation = activation,
                                  .cellClip = choice % 3 == 0 ? 0.5F : 0.0F,
                                  .projectionClip = choice % 5 == 0 ? 0.25F : 0.0F};
            SCOPED_TRACE("choice " + std::to_string(choice) + ", activation " +
                         std::to_string(activation));
            TestOperation operation = lstm(options, choice + 1);
            ASSERT_EQ(operation.refusal(), "");
            const auto& outputs = operation.outputs;
            const std::vector<float> scratch = outputs[0].values<float>();
            EXPECT_EQ(outputs[0].dimensions,
                      (Dimensions{kBatches, kUnits * (options.isCoupled ? 3 : 4)}));
            EXPECT_EQ(scratch, std::vector<float>(scratch.size(), 0.0F));
            for (std::size_t batch = 0; batch < kBatches; ++batch) {
                const State expected = stepByDefinition(operation, options, batch);
                expectRow(outputs[1].values<float>(), batch, expected.output);
                expectRow(outputs[2].values<float>(), batch, expected.cell);
                expectRow(outputs[3].values<float>(), batch, expected.output);
            }
        }
    }
}

TEST(Lstm, updatesItsStatesInPlace) {
    for (const bool hasProjection : {false, true}) {
        const Options options{.hasPeepholes = true, .hasProjection = hasProjection};
        TestOperation apart = lstm(options);
        ASSERT_EQ(apart.refusal(), "");
        TestOperation together = lstm(options);
        together.inPlace = {{.input = 18, .output = 1}, {.input = 19, .output = 2}};
        ASSERT_EQ(together.refusal(), "");
        EXPECT_EQ(together.inputs[18].data, apart.outputs[1].data);
        EXPECT_EQ(together.inputs[19].data, apart.outputs[2].data);
        EXPECT_EQ(together.outputs[3].data, apart.outputs[3].data);
    }
}

TEST(Lstm, normalisesEqualSumsToZero) {
    const Options options{.hasNorms = true};
    TestOperation operation = lstm(options);
    for (std::size_t index = 1; index <= 8; ++index) {
        operation.inputs[index].data.assign(operation.inputs[index].data.size(), std::byte{0});
    }
    ASSERT_EQ(operation.refusal(), "");
    for (const float value : operation.outputs[3].values<float>()) {
        EXPECT_FALSE(std::isnan(value));
    }
}

TEST(Lstm, normalisesManyUnitsExactly) {
    constexpr double kCount = 4096;
    std::vector<float> values(4096);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = 5.0F + static_cast<float>(i) / 4096;
    }
    const std::vector<float> before = values;
    normalize(OperationView{}, values);
    const double mean = 5.0 + (kCount - 1) / 2 / kCount;
    const double deviation = std::sqrt((kCount * kCount - 1) / 12) / kCount;
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR(values[i], (before[i] - mean) / deviation, 1e-6) << "unit " << i;
    }
}

TEST(Lstm, takesHalves) {
    const Options options{.hasProjection = true};
    TestOperation single = lstm(options);
    ASSERT_EQ(single.refusal(), "");
    TestOperation half = lstm(options);
    for (TestOperand& input : half.inputs) {
        if (input.type == TENSOR_FLOAT32 && !input.isOmitted) {
            input = halves(input.dimensions, input.values<float>());
        } else if (input.type == FLOAT32) {
            input = scalar(Float16(0.0F));
        } else if (input.isOmitted) {
            input.type = TENSOR_FLOAT16;
        }
    }
    half.outputs.assign(4, tensor(TENSOR_FLOAT16));
    ASSERT_EQ(half.refusal(), "");
    const auto expected = single.outputs[3].values<float>();
    const auto actual = half.outputs[3].values<Float16>();
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(static_cast<float>(actual[i]), expected[i], 5e-3);
    }
}

TEST(Lstm, refusesOperandsThatBreakARule) {
    expectRefusals(
        [] { return lstm({.hasPeepholes = true, .hasProjection = true, .hasNorms = true}); },
        {
            {[](auto& o) { o.inputs.resize(24); }, "LSTM: 24 inputs; must be 23 or 27"},
            {[](auto& o) { o.outputs.resize(3); }, "LSTM: 3 outputs; must be 4"},
            {[](auto& o) { o.inputs[0].type = TENSOR_QUANT8_ASYMM; },
             "LSTM input 0 (input): type TENSOR_QUANT8_ASYMM; must be TENSOR_FLOAT32 or "
             "TENSOR_FLOAT16"},
            {[](auto& o) { o.inputs[9].type = TENSOR_FLOAT16; },
             "LSTM input 9 (cell-to-input weights): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, "
             "that of input 0 (input)"},
            {[](auto& o) { o.outputs[0].type = TENSOR_FLOAT16; },
             "LSTM output 0 (scratch buffer): type TENSOR_FLOAT16; must be TENSOR_FLOAT32, that "
             "of input 0 (input)"},
            {[](auto& o) { o.outputs[2].dimensions = {8}; },
             "LSTM output 2 (cell state out): rank 1; must be 2"},
            {[](auto& o) { o.inputs[2].isOmitted = true; },
             "LSTM input 2 (input-to-forget weights): left out; must be given"},
            {[](auto& o) { o.inputs[0].dimensions = {6}; },
             "LSTM input 0 (input): rank 1; must be 2"},
            {[](auto& o) {
                 o.inputs[3].dimensions = {4, 4};
             },
             "LSTM input 3 (input-to-cell weights): size 4 of axis 1; must be 3, the size of the "
             "input"},
            {[](auto& o) {
                 o.inputs[6].dimensions = {3, 2};
             },
             "LSTM input 6 (recurrent-to-forget weights): size 3 of axis 0; must be 4, the number "
             "of cell units (of the input-to-output weights)"},
            {[](auto& o) {
                 o.inputs[6].dimensions = {4, 3};
             },
             "LSTM input 6 (recurrent-to-forget weights): size 3 of axis 1; must be 2, the size "
             "of the output (of the recurrent-to-output weights)"},
            {[](auto& o) {
                 o.inputs[4].dimensions = {0, 3};
             },
             "LSTM input 4 (input-to-output weights): size 0 of axis 0; must be at least 1"},
            {[](auto& o) {
                 o.inputs[8].dimensions = {4, 0};
             },
             "LSTM input 8 (recurrent-to-output weights): size 0 of axis 1; must be at least 1"},
            {[](auto& o) { o.inputs[13].dimensions = {5}; },
             "LSTM input 13 (forget gate bias): size 5 of axis 0; must be 4, the number of cell "
             "units (of the input-to-output weights)"},
            {[](auto& o) {
                 o.inputs[16].dimensions = {2, 5};
             },
             "LSTM input 16 (projection weights): size 5 of axis 1; must be 4, the number of cell "
             "units (of the input-to-output weights)"},
            {[](auto& o) {
                 o.inputs[18].dimensions = {1, 2};
             },
             "LSTM input 18 (output state in): size 1 of axis 0; must be 2, the batch size of the "
             "input"},
            {[](auto& o) { o.inputs[26].dimensions = {1}; },
             "LSTM input 26 (output layer normalization weights): size 1 of axis 0; must be 4, "
             "the number of cell units (of the input-to-output weights)"},
            {[](auto& o) { o.inputs[16].isOmitted = true; },
             "LSTM input 8 (recurrent-to-output weights): size 2 of axis 1; must be 4, the number "
             "of cell units, as there is no projection"},
            {[](auto& o) { o.inputs[20] = scalar(2); },
             "LSTM input 20 (activation): value 2; must be 0 (NONE), 1 (RELU), 3 (RELU6), 4 (TANH) "
             "or 6 (SIGMOID)"},
            {[](auto& o) { o.inputs[21] = scalar(-1.0F); },
             "LSTM input 21 (cell clip): value -1; must be at least 0"},
            {[](auto& o) { o.inputs[22] = scalar(NAN); },
             "LSTM input 22 (projection clip): value nan; must be at least 0"},
            {[](auto& o) { o.inputs[22] = scalar(Float16(1.0F)); },
             "LSTM input 22 (projection clip): type FLOAT16; must be FLOAT32"},
            {[](auto& o) {
                 o.outputShapes = {Shape{2, 16}, Shape{2, 2}, Shape{2, 3}, Shape{2, 2}};
             },
             "LSTM output 2: shape 2x3; must be 2x4"},
        });
}

TEST(Lstm, refusesOptionsThatDoNotGoTogether) {
    const auto omit = [](std::size_t index) {
        return [index](TestOperation& operation) { operation.inputs[index].isOmitted = true; };
    };
    const std::string inputGate =
        "LSTM: some of inputs 1, 5 and 12 (weights and bias of the input gate) are left out; must "
        "be all or none";
    const std::string norms =
        "LSTM: some of inputs 24 to 26 (layer normalization weights) are left out; must be all or "
        "none";
    const std::string peepholes =
        "LSTM: one of inputs 10 and 11 (cell-to-gate weights) is left out; must be both or none";
    const std::string inputPeephole =
        "LSTM: input 9 (cell-to-input weights); must be given with inputs 1 and 11 and left out "
        "otherwise";
    const std::string inputNorm =
        "LSTM: input 23 (input layer normalization weights); must be given with inputs 1 and 26 "
        "and left out otherwise";
    expectRefusals(
        [] { return lstm({.hasPeepholes = true, .hasProjection = true, .hasNorms = true}); },
        {
            {omit(1), inputGate},
            {omit(5), inputGate},
            {omit(12), inputGate},
            {omit(9), inputPeephole},
            {omit(10), peepholes},
            {omit(11), peepholes},
            {omit(23), inputNorm},
            {omit(24), norms},
            {omit(25), norms},
            {omit(26), norms},
        });
    expectRefusals([] { return lstm({.isCoupled = true, .hasPeepholes = true, .hasNorms = true}); },
                   {
                       {[](auto& o) {
                            o.inputs[9] = floats({4}, {0, 0, 0, 0});
                        },
                        inputPeephole},
                       {[](auto& o) {
                            o.inputs[23] = floats({4}, {0, 0, 0, 0});
                        },
                        inputNorm},
                       {[](auto& o) {
                            o.inputs[17] = floats({4}, {0, 0, 0, 0});
                        },
                        "LSTM: input 17 (projection bias); must be left out without input 16"},
                   });
}

/// One input and one output, which is projected from kLong units.
TestOperation longLstm() {
    const auto weights = [](std::uint32_t rows, std::uint32_t columns) {
        return floats({rows, columns}, std::vector<float>(std::size_t{rows} * columns, 0.5F));
    };
    TestOperation operation{OperationType::LSTM, {weights(1, 1)}, {}};
    auto& inputs = operation.inputs;
    inputs.insert(inputs.end(), 8, weights(kLong, 1));
    inputs.insert(inputs.end(), 3, omitted(TENSOR_FLOAT32));
    inputs.insert(inputs.end(), 4, floats({kLong}, std::vector<float>(kLong, 0.5F)));
    inputs.insert(inputs.end(), {weights(1, kLong), omitted(TENSOR_FLOAT32)});
    inputs.insert(inputs.end(), {weights(1, 1), weights(1, kLong)});
    inputs.insert(inputs.end(), {scalar(4), scalar(0.0F), scalar(0.0F)});
    operation.outputs.assign(4, tensor(TENSOR_FLOAT32));
    return operation;
}

TEST(Lstm, writesNoStateWhenItsRunIsOutOfTime) {
    const std::vector<TestOperand> outputs = runLate(longLstm());
    for (std::size_t output = 1; output < outputs.size(); ++output) {
        EXPECT_TRUE(isUnwritten(outputs[output])) << output;
    }
}

TEST(Lstm, checksItsTimeLimitInLoopsOverUnits) {
    EXPECT_GE(countChecks(longLstm()), 70U);  // 49 while it multiplies
}

TEST(Lstm, leavesOptionsThatComeWithTheRequestToThePlanner) {
    // The model does not say whether inputs of unknown size will be given.
    TestOperation operation = lstm({.isCoupled = true});
    for (const std::size_t index : {1U, 5U, 12U}) {
        operation.inputs[index] = tensor(TENSOR_FLOAT32);
    }
    EXPECT_TRUE(operation.check());
    operation.inputs[1].isOmitted = true;
    EXPECT_TRUE(operation.check());
}

// ---- LSTM over sequences

/// Three steps of two batches in both directions, time major, of one input and one unit. Input 39
/// is the input of the backward layer.
TestOperation bidirectionalLstm() {
    const TestOperand none = omitted(TENSOR_FLOAT32);
    TestOperation operation{OperationType::BIDIRECTIONAL_SEQUENCE_LSTM,
                            {floats({3, 2, 1}, {1, 2, 3, 4, 5, 6})},
                            {tensor(TENSOR_FLOAT32), tensor(TENSOR_FLOAT32)}};
    auto& inputs = operation.inputs;
    for (int layer = 0; layer < 2; ++layer) {
        inputs.insert(inputs.end(), 8, floats({1, 1}, {0.5F}));  // weights
        inputs.insert(inputs.end(), 3, none);
        inputs.insert(inputs.end(), 4, floats({1}, {0.25F}));  // biases
        inputs.insert(inputs.end(), 2, none);
    }
    inputs.insert(inputs.end(), 4, floats({2, 1}, {0, 0}));  // states
    inputs.push_back(floats({3, 2, 1}, {-1, 1, -2, 2, -3, 3}));
    inputs.insert(inputs.end(), 8, none);
    inputs.insert(inputs.end(),
                  {scalar(4), scalar(0.0F), scalar(0.0F), scalar(false), scalar(true)});
    return operation;
}

TEST(SequenceLstm, takesTheAuxiliaryInputAsThatOfTheBackwardLayer) {
    TestOperation operation = bidirectionalLstm();
    ASSERT_EQ(operation.refusal(), "");
    TestOperation other = bidirectionalLstm();
    other.inputs[0] = other.inputs[39];
    other.inputs[39] = omitted(TENSOR_FLOAT32);
    ASSERT_EQ(other.refusal(), "");
    EXPECT_EQ(operation.outputs[1].data, other.outputs[1].data);
    EXPECT_NE(operation.outputs[0].data, other.outputs[0].data);
}

TEST(SequenceLstm, refusesAnInputOfTheBackwardLayerThatIsShorterThanTheOther) {
    expectRefusals(
        bidirectionalLstm,
        {
            {[](auto& o) {
                 o.inputs[39] = floats({1, 2, 1}, {1, 2});
             },
             "BIDIRECTIONAL_SEQUENCE_LSTM input 39 (input): size 1 of axis 0; must be 3, that of "
             "the input"},
            {[](auto& o) {
                 o.inputs[39] = floats({3, 1, 1}, {1, 2, 3});
                 o.inputs[37] = o.inputs[38] = floats({1, 1}, {0.0F});
             },
             "BIDIRECTIONAL_SEQUENCE_LSTM input 39 (input): size 1 of axis 1; must be 2, that of "
             "the input"},
        });
}

TEST(SequenceLstm, refusesItAlsoIfOnlyTheRequestTellsTheSizes) {
    TestOperation steps = bidirectionalLstm();
    steps.inputs[0] = floats({0, 2, 1}, {});
    EXPECT_TRUE(steps.check());
    EXPECT_EQ(steps.refusal(),
              "BIDIRECTIONAL_SEQUENCE_LSTM input 39 (input): size 3 of axis 0; must be 0, that of "
              "the input");
    TestOperation batches = bidirectionalLstm();
    batches.inputs[39] = floats({3, 0, 1}, {});
    batches.inputs[37] = batches.inputs[38] = floats({0, 1}, {});
    EXPECT_TRUE(batches.check());
    EXPECT_EQ(batches.refusal(),
              "BIDIRECTIONAL_SEQUENCE_LSTM input 39 (input): size 0 of axis 1; must be 2, that of "
              "the input");
}

TEST(SequenceLstm, needsAsMuchScratchMemoryForAnyNumberOfSteps) {
    const auto scratchBytes = [](std::uint32_t steps) {
        constexpr auto kType = OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM;
        std::uint8_t isTimeMajor = 1;
        std::vector<OperandView> inputs(24);
        inputs[0].shape = {steps, 1, 3};
        inputs[4].shape = {4, 3};  // input-to-output weights
        inputs[8].shape = {4, 4};  // recurrent-to-output weights
        inputs[23].type = BOOL;
        inputs[23].data = reinterpret_cast<std::byte*>(&isTimeMajor);
        return findOperation(kType)->scratchBytes({.type = kType, .inputs = inputs});
    };
    EXPECT_GT(scratchBytes(100), 0U);
    EXPECT_EQ(scratchBytes(10000), scratchBytes(100));
}

constexpr std::uint32_t kManySteps = 1000;

/// An LSTM of float16 with one unit, whose cell state is 1 at first. Each step adds 0.0004, which
/// is less than half of the difference between 1 and the next float16.
TestOperation slowLstm(OperationType type, bool isTimeMajor) {
    const bool isBidirectional = type == OperationType::BIDIRECTIONAL_SEQUENCE_LSTM;
    const std::size_t layers = isBidirectional ? 2 : 1;
    const TestOperand none = omitted(TENSOR_FLOAT16);
    const TestOperand noClip = scalar(Float16(0.0F));
    const Dimensions shape =
        isTimeMajor ? Dimensions{kManySteps, 1, 1} : Dimensions{1, kManySteps, 1};
    TestOperation operation{type, {halves(shape, std::vector<float>(kManySteps))}, {}};
    auto& inputs = operation.inputs;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        inputs.insert(inputs.end(), 8, halves({1, 1}, {0.0F}));  // weights
        inputs.insert(inputs.end(), 3, none);
        for (const float bias : {20.0F, 20.0F, 0.0004F, 20.0F}) {
            inputs.push_back(halves({1}, {bias}));
        }
        inputs.insert(inputs.end(), 2, none);
    }
    for (std::size_t layer = 0; layer < layers; ++layer) {
        inputs.insert(inputs.end(), {halves({1, 1}, {0.0F}), halves({1, 1}, {1.0F})});
    }
    if (isBidirectional) {
        inputs.insert(inputs.end(), 9, none);
    }
    inputs.insert(inputs.end(), {scalar(4), noClip, noClip});
    if (isBidirectional) {
        inputs.push_back(scalar(false));
    }
    inputs.push_back(scalar(isTimeMajor));
    operation.outputs.assign(3 * layers, tensor(TENSOR_FLOAT16));
    return operation;
}

TEST(SequenceLstm, keepsStatesOfHalvesExactBetweenSteps) {
    constexpr double kCell = 1.4;
    constexpr double kTolerance = 2e-3;
    for (const OperationType type : {OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM,
                                     OperationType::BIDIRECTIONAL_SEQUENCE_LSTM}) {
        for (const bool isTimeMajor : {false, true}) {
            SCOPED_TRACE(std::string(toString(type)) + (isTimeMajor ? ", time major" : ""));
            TestOperation operation = slowLstm(type, isTimeMajor);
            ASSERT_EQ(operation.refusal(), "");
            const std::size_t layers = operation.outputs.size() / 3;
            for (std::size_t layer = 0; layer < layers; ++layer) {
                const auto results = operation.outputs[layer].values<Float16>();
                ASSERT_EQ(results.size(), kManySteps);
                const Float16 last = layer == 0 ? results.back() : results.front();
                EXPECT_NEAR(static_cast<float>(last), std::tanh(kCell), kTolerance);
                const std::size_t states = layers + 2 * layer;
                const auto output = operation.outputs[states].values<Float16>();
                const auto cell = operation.outputs[states + 1].values<Float16>();
                EXPECT_EQ(static_cast<float>(output.at(0)), static_cast<float>(last));
                EXPECT_NEAR(static_cast<float>(cell.at(0)), kCell, kTolerance);
            }
        }
    }
}

// ---- Quantised LSTM

TEST(FixedPoint16, hasTheTangentsOfRealNumbers) {
    // Exponentials are 4 steps off at most, and reciprocals 14.
    constexpr double kTolerance = 0x1p-15 * 64;
    for (int integerBits = 0; integerBits <= 6; ++integerBits) {
        double largest = 0.0;
        for (std::int32_t raw = INT16_MIN; raw <= INT16_MAX; ++raw) {
            const double expected = std::tanh(std::ldexp(raw, integerBits - 15));
            const double actual =
                fixed16::tanh(static_cast<std::int16_t>(raw), integerBits) * 0x1p-15;
            largest = std::max(largest, std::fabs(actual - expected));
        }
        EXPECT_LE(largest, kTolerance) << integerBits << " integer bits";
    }
}

/// A step with this cell state, one input, and one output, which is projected from the units. The
/// weights are 0, and biases open all gates: the cell keeps its state and adds about 1, or 2048
/// units of the state. Before it is clipped, the output is at its maximum.
TestOperation quantizedLstm(const std::vector<std::int16_t>& cellState, float cellClip,
                            float projectionClip) {
    constexpr float kOutputScale = 0.25F;
    constexpr float kCellScale = 0x1p-11F;
    const auto units = static_cast<std::uint32_t>(cellState.size());
    const auto weights = [](std::uint32_t rows, std::uint32_t columns) {
        TestOperand operand = quant8Signed(
            {rows, columns}, std::vector<std::int8_t>(std::size_t{rows} * columns), 0x1p-8F, 0);
        operand.type = TENSOR_QUANT8_SYMM;
        return operand;
    };
    const auto biases = [](std::uint32_t count) {
        return int32s({count}, std::vector<std::int32_t>(count, 1 << 20));
    };
    TestOperand cell = tensor(TENSOR_QUANT16_SYMM, {1, units}, kCellScale);
    cell.data = toBytes(cellState);
    TestOperation operation{
        OperationType::QUANTIZED_LSTM, {quant8Signed({1, 1}, {1}, 0x1p-7F, 0)}, {}};
    auto& inputs = operation.inputs;
    inputs.insert(inputs.end(), 8, weights(units, 1));
    inputs.insert(inputs.end(), 3, omitted(TENSOR_QUANT16_SYMM));  // cell-to-gate weights
    inputs.insert(inputs.end(), 4, biases(units));
    inputs.insert(inputs.end(), {weights(1, units), biases(1)});
    inputs.insert(inputs.end(), {quant8Signed({1, 1}, {0}, kOutputScale, 0), cell});
    inputs.insert(inputs.end(), 4, omitted(TENSOR_QUANT16_SYMM));  // layer normalization weights
    inputs.insert(inputs.end(), {scalar(cellClip), scalar(projectionClip)});
    inputs.insert(inputs.end(), 4, scalar(0x1p-12F));           // gate scales
    inputs.insert(inputs.end(), {scalar(0), scalar(0x1p-7F)});  // of the hidden state
    const TestOperand output = tensor(TENSOR_QUANT8_ASYMM_SIGNED, {}, kOutputScale, 0);
    operation.outputs = {output, tensor(TENSOR_QUANT16_SYMM, {}, kCellScale), output};
    return operation;
}

TEST(QuantizedLstm, clipsToWholeStepsTowardsZero) {
    TestOperation operation = quantizedLstm({32767, -32767}, 0.7F, 0.7F);
    ASSERT_EQ(operation.refusal(), "");
    // 0.7 is 1433.6 steps of the cell state, and 2.8 of the output.
    EXPECT_EQ(operation.outputs[1].values<std::int16_t>(),
              (std::vector<std::int16_t>{1433, -1433}));
    EXPECT_EQ(operation.outputs[2].values<std::int8_t>(), std::vector<std::int8_t>{2});
}

TEST(QuantizedLstm, doesNotClipToLessThanAStep) {
    TestOperation operation = quantizedLstm({32767, 32767}, 0.7F * 0x1p-11F, 0.2F);
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[1].values<std::int16_t>(),
              (std::vector<std::int16_t>{32767, 32767}));
    EXPECT_EQ(operation.outputs[2].values<std::int8_t>(), std::vector<std::int8_t>{127});
}

TEST(QuantizedLstm, doesNotClipIfItsClipsAreLeftOut) {
    TestOperation unlimited = quantizedLstm({32767, -32767}, 0.0F, 0.0F);
    ASSERT_EQ(unlimited.refusal(), "");
    TestOperation operation = quantizedLstm({32767, -32767}, 0.0F, 0.0F);
    operation.inputs[24] = omitted(FLOAT32);
    operation.inputs[25] = omitted(FLOAT32);
    ASSERT_EQ(operation.refusal(), "");
    for (std::size_t output = 0; output < 3; ++output) {
        EXPECT_EQ(operation.outputs[output].data, unlimited.outputs[output].data) << output;
    }
    operation.inputs[24] = omitted(INT32);
    EXPECT_EQ(operation.refusal(),
              "QUANTIZED_LSTM input 24 (cell clip): type INT32; must be FLOAT32");
}

TEST(QuantizedLstm, computesInTheScalesOfItsStatesWhateverThoseOfItsOutputs) {
    TestOperation same = quantizedLstm({32767, -32767}, 0.7F, 0.7F);
    ASSERT_EQ(same.refusal(), "");
    TestOperation operation = quantizedLstm({32767, -32767}, 0.7F, 0.7F);
    for (TestOperand& output : operation.outputs) {
        output.scale *= 2;
    }
    operation.outputs[2].zeroPoint = 5;
    ASSERT_EQ(operation.refusal(), "");
    for (std::size_t output = 0; output < 3; ++output) {
        EXPECT_EQ(operation.outputs[output].data, same.outputs[output].data) << output;
    }
}

TEST(QuantizedLstm, writesNothingWhenItsRunIsOutOfTime) {
    const std::vector<std::int16_t> cellState(kLong, 100);
    for (const TestOperand& output : runLate(quantizedLstm(cellState, 0.0F, 0.0F))) {
        EXPECT_TRUE(isUnwritten(output));
    }
}

TEST(QuantizedLstm, checksItsTimeLimitInLoopsOverUnits) {
    const std::vector<std::int16_t> cellState(kLong, 100);
    EXPECT_GE(countChecks(quantizedLstm(cellState, 0.0F, 0.0F)), 70U);  // 65 while it multiplies
}

/// A step with one input and one unit. All weights are 0.
TestOperation quantized16BitLstm() {
    constexpr float kUnit = 0x1p-7F;
    constexpr float kWeightScale = 0.5F;
    TestOperand cell = tensor(TENSOR_QUANT16_SYMM, {1, 1}, 0x1p-11F);
    cell.data = toBytes(std::vector<std::int16_t>{2048});
    TestOperation operation{
        OperationType::QUANTIZED_16BIT_LSTM, {quant8({1, 1}, {130}, kUnit, 128)}, {}};
    auto& inputs = operation.inputs;
    inputs.insert(inputs.end(), 8, quant8({1, 1}, {100}, kWeightScale, 100));
    inputs.insert(inputs.end(), 4, int32s({1}, {0}, kUnit * kWeightScale));
    inputs.insert(inputs.end(), {cell, quant8({1, 1}, {128}, kUnit, 128)});
    operation.outputs = {tensor(TENSOR_QUANT16_SYMM, {}, 0x1p-11F),
                         tensor(TENSOR_QUANT8_ASYMM, {}, kUnit, 128)};
    return operation;
}

TEST(Quantized16BitLstm, refusesBiasesOfAnotherScaleThanTheProducts) {
    std::vector<Refusal> refusals;
    for (const std::size_t bias : {9U, 10U, 11U, 12U}) {
        refusals.push_back({[bias](auto& o) { o.inputs[bias].scale = 0.25F; },
                            "QUANTIZED_16BIT_LSTM input " + std::to_string(bias) +
                                " (bias): scale 0.25; must be 0.00390625, the product of the "
                                "scales 0.0078125 and 0.5"});
    }
    expectRefusals(quantized16BitLstm, refusals);
}

TEST(Quantized16BitLstm, takesBiasesWhoseScaleIsRounded) {
    TestOperation operation = quantized16BitLstm();
    operation.inputs[9].scale = std::nextafter(operation.inputs[9].scale, 1.0F);
    EXPECT_EQ(operation.refusal(), "");
}

// ---- SVDF

TEST(Svdf, keepsFeaturesThatExceedTheRangeOfFloat16) {
    TestOperation operation{
        OperationType::SVDF,
        {halves({1, 1}, {300.0F}), halves({1, 1}, {300.0F}), halves({1, 2}, {0.0F, 0.01F}),
         omitted(TENSOR_FLOAT16), halves({1, 2}, {0.0F, 0.0F}), scalar(1), scalar(0)},
        {tensor(TENSOR_FLOAT16), tensor(TENSOR_FLOAT16)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_NEAR(static_cast<float>(operation.outputs[1].values<Float16>()[0]), 900.0F, 1.0F);
    EXPECT_TRUE(std::isinf(static_cast<float>(operation.outputs[0].values<Float16>()[0])));
}

TEST(Svdf, endsWithinAUnitWhenItsRunIsOutOfTime) {
    const std::vector<float> ones(kLong, 1.0F);
    TestOperation operation{
        OperationType::SVDF,
        {floats({1, 1}, {1.0F}), floats({kLong, 1}, ones), floats({kLong, 1}, ones),
         omitted(TENSOR_FLOAT32), floats({1, kLong}, ones),
         scalar(static_cast<std::int32_t>(kLong)), scalar(0)},
        {tensor(TENSOR_FLOAT32), tensor(TENSOR_FLOAT32)}};
    ASSERT_EQ(operation.refusal(), "");
    EXPECT_EQ(operation.outputs[1].values<float>(), std::vector<float>{float{kLong}});
    EXPECT_TRUE(isUnwritten(runLate(operation)[1]));
}

}  // namespace
}  // namespace nnburst::exec
