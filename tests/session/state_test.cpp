// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Sessions of recurrent models, whose states they keep.

#include <algorithm>
#include <cmath>

#include "device/devices.h"
#include "nnburst/builtin_models.h"
#include "nnburst/session.h"
#include "support/quantized_sum.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

constexpr int kSteps = 7;

/// Features of step `step`.
void fillFeatures(std::span<float> features, int step) {
    for (std::size_t i = 0; i < features.size(); ++i) {
        features[i] = std::sin(static_cast<float>(step + 1) * static_cast<float>(i));
    }
}

class SessionOfStates : public DeviceTest {
  protected:
    void SetUp() override {
        DeviceTest::SetUp();
        const Model model = std::move(*makeStreamingLstm({.features = 8, .cells = 16}));
        prepared_ = prepare(model);
        signature = signatureOf(model);
    }

    [[nodiscard]] Session makeSession() const {
        auto session = Session::create(prepared_, signature);
        EXPECT_TRUE(session) << session.error().message;
        return std::move(*session);
    }

    /// The outputs of each step, from a session whose states the test feeds back.
    [[nodiscard]] std::vector<std::vector<float>> expectedOutputs() const {
        Session session = makeSession();
        std::vector<std::vector<float>> outputs;
        for (int step = 0; step < kSteps; ++step) {
            fillFeatures(*session.input<float>(0), step);
            EXPECT_TRUE(session.run());
            const std::span<const float> output = *session.output<float>(0);
            outputs.emplace_back(output.begin(), output.end());
            for (const std::size_t state : {1, 2}) {
                std::ranges::copy(*session.output<float>(state),
                                  session.input<float>(state)->begin());
            }
        }
        return outputs;
    }

    void declareStates() {
        signature.states = {{.input = 1, .output = 1}, {.input = 2, .output = 2}};
    }

    ModelSignature signature;

  private:
    SharedPreparedModel prepared_;
};

void expectOutput(const Session& session, const std::vector<float>& expected) {
    EXPECT_TRUE(std::ranges::equal(*session.output<float>(), expected));
}

TEST_P(SessionOfStates, feedsThemBack) {
    const auto expected = expectedOutputs();
    ASSERT_NE(expected[0], expected[1]);
    declareStates();
    Session session = makeSession();
    EXPECT_EQ(session.inputs().size(), 1U);
    EXPECT_EQ(session.outputs().size(), 1U);
    for (int step = 0; step < kSteps; ++step) {
        fillFeatures(*session.input<float>(), step);
        if (step % 2 == 0) {
            ASSERT_TRUE(session.run());
        } else {
            ASSERT_TRUE(session.submit());
            ASSERT_TRUE(session.wait());
        }
        expectOutput(session, expected[static_cast<std::size_t>(step)]);
    }
}

TEST_P(SessionOfStates, takesThoseThatAFileDeclares) {
    const auto expected = expectedOutputs();
    TfliteModel file{.model = std::move(*makeStreamingLstm({.features = 8, .cells = 16})),
                     .inputNames = {"sound"},
                     .outputNames = {"filtered"},
                     .states = {{.input = 1, .output = 1}, {.input = 2, .output = 2}}};
    auto session = Session::create(*device, file);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ(session->inputs().size(), 1U);
    for (int step = 0; step < kSteps; ++step) {
        fillFeatures(*session->input<float>("sound"), step);
        ASSERT_TRUE(session->run());
        EXPECT_TRUE(std::ranges::equal(*session->output<float>("filtered"),
                                       expected[static_cast<std::size_t>(step)]));
    }
}

TEST_P(SessionOfStates, beginsAgainAfterAReset) {
    const auto expected = expectedOutputs();
    declareStates();
    for (const int stepsBefore : {1, 2}) {
        Session session = makeSession();
        for (int step = 0; step < stepsBefore; ++step) {
            fillFeatures(*session.input<float>(), step);
            ASSERT_TRUE(session.run());
        }
        ASSERT_TRUE(session.resetStates());
        fillFeatures(*session.input<float>(), 0);
        ASSERT_TRUE(session.run());
        expectOutput(session, expected[0]);
    }
}

TEST_P(SessionOfStates, beginsWithTheZeroPointOfSignedBytes) {
    const Model model = makeQuantizedSum();
    ModelSignature quantized = signatureOf(model);
    quantized.states = {{.input = 1, .output = 1}};
    auto session = Session::create(prepare(model), quantized);
    ASSERT_TRUE(session) << session.error().message;
    std::ranges::fill(*session->input<std::int8_t>(), std::int8_t{9});
    for (int round = 0; round < 2; ++round) {  // the second one with the blocks exchanged
        for (const int sum : {9, 11, 13}) {
            ASSERT_TRUE(session->run());
            EXPECT_EQ((*session->output<std::int8_t>())[0], sum);
        }
        ASSERT_TRUE(session->resetStates());
    }
}

TEST_P(SessionOfStates, keepsThemWhenARunFails) {
    const auto expected = expectedOutputs();
    declareStates();
    Session session = makeSession();
    for (int step = 0; step < kSteps; ++step) {
        fillFeatures(*session.input<float>(), step);
        ASSERT_FALSE(session.run(TimePoint(std::chrono::steady_clock::now() - 1ms)));
        ASSERT_TRUE(session.run());
        expectOutput(session, expected[static_cast<std::size_t>(step)]);
    }
}

TEST_P(SessionOfStates, refusesStatesThatDoNotFit) {
    const auto expectRefusal = [&](std::vector<ModelState> states, const char* message) {
        signature.states = std::move(states);
        const auto session =
            Session::create(prepare(*makeStreamingLstm({.features = 8})), signature);
        ASSERT_FALSE(session);
        EXPECT_EQ(session.error().status, ErrorStatus::INVALID_ARGUMENT);
        EXPECT_EQ(session.error().message, message);
    };
    expectRefusal({{.input = 3, .output = 1}},
                  "state from output 1 to input 3: the model has 3 outputs and 3 inputs");
    expectRefusal({{.input = 1, .output = 1}, {.input = 1, .output = 2}},
                  "state from output 2 to input 1: one of them is in another state already");
    expectRefusal({{.input = 1, .output = 0}},
                  "state from output 0 (TENSOR_FLOAT32 \"output0\" of dimensions 1x8) to input 1 "
                  "(TENSOR_FLOAT32 \"input1\" of dimensions 1x16): must be of one type and size");
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(SessionOfStates);

}  // namespace
}  // namespace nnburst::test
