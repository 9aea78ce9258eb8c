// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// A session whose model is exchanged between two runs.

#include <algorithm>
#include <chrono>
#include <future>

#include "device/devices.h"
#include "nnburst/builtin_models.h"
#include "nnburst/model_builder.h"
#include "nnburst/session.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

/// A model of the signature of makeAddModel.
Model makeMulModel(std::uint32_t count = 4) {
    ModelBuilder builder;
    const auto a = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto b = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    const auto activation = builder.addScalar(std::int32_t{0});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {count});
    builder.addOperation(OperationType::MUL, {a, b, activation}, {out});
    return std::move(*builder.build({a, b}, {out}));
}

/// The sums of the columns of `rows` rows; 0 leaves the number to the request.
Model makeSumModel(std::uint32_t rows) {
    const std::vector<std::int32_t> axes{0};
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {rows, 4});
    const auto summed =
        builder.addConstant(OperandType::TENSOR_INT32, {1}, std::as_bytes(std::span(axes)));
    const auto keepsAxes = builder.addScalar(false);
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::REDUCE_SUM, {in, summed, keepsAxes}, {out});
    return std::move(*builder.build({in}, {out}));
}

Session makeSession(Device& device, const Model& model, const SessionOptions& options = {}) {
    auto session = Session::create(device, model, options);
    EXPECT_TRUE(session) << session.error().message;
    return std::move(*session);
}

class ReplaceModel : public DeviceTest {
  protected:
    void SetUp() override {
        DeviceTest::SetUp();
        session.emplace(makeSession(*device, makeAddModel()));
        a = *session->input<float>(0);
        b = *session->input<float>(1);
        out = *session->output<float>(0);
        std::ranges::fill(a, 3.0F);
        std::ranges::fill(b, 4.0F);
    }

    std::optional<Session> session;
    std::span<float> a;
    std::span<float> b;
    std::span<const float> out;
};

TEST_P(ReplaceModel, takesEffectBetweenTwoRunsInTheSameMemory) {
    for (int round = 0; round < 5; ++round) {
        ASSERT_TRUE(session->run());
        ASSERT_EQ(out[3], 7.0F);
        Result<> replaced = session->replaceModel(makeSession(*device, makeMulModel()));
        ASSERT_TRUE(replaced) << replaced.error().message;
        ASSERT_TRUE(session->run());
        ASSERT_EQ(out[3], 12.0F);
        replaced = session->replaceModel(makeSession(*device, makeAddModel()));
        ASSERT_TRUE(replaced) << replaced.error().message;
    }
}

TEST_P(ReplaceModel, givesEachModelTheDimensionsThatItLeavesOpen) {
    const SessionOptions oneRow{.inputDimensions = {{"input0", {1, 4}}}};
    Session sums = makeSession(*device, makeSumModel(1));
    std::ranges::fill(*sums.input<float>(), 3.0F);
    for (const std::uint32_t rows : {0U, 1U, 0U}) {
        const Result<> replaced = sums.replaceModel(
            makeSession(*device, makeSumModel(rows), rows == 0 ? oneRow : SessionOptions()));
        ASSERT_TRUE(replaced) << replaced.error().message;
        const Result<> run = sums.run();
        ASSERT_TRUE(run) << run.error().message;
        EXPECT_EQ((*sums.output<float>())[3], 3.0F);
    }
}

TEST_P(ReplaceModel, losesNoRunWhileTheNextModelIsPrepared) {
    int mulRuns = 0;
    auto next =
        std::async(std::launch::async, [this] { return Session::create(*device, makeMulModel()); });
    for (int run = 0; mulRuns < 10; ++run) {
        if (next.valid() && next.wait_for(0s) == std::future_status::ready) {
            Result<Session> made = next.get();
            ASSERT_TRUE(made) << made.error().message;
            ASSERT_TRUE(session->replaceModel(std::move(*made)));
        }
        std::ranges::fill(a, static_cast<float>(run));
        ASSERT_TRUE(session->run());
        const float expected =
            next.valid() ? static_cast<float>(run) + 4.0F : static_cast<float>(run) * 4.0F;
        ASSERT_EQ(out[0], expected);
        mulRuns += next.valid() ? 0 : 1;
    }
}

TEST_P(ReplaceModel, refusesAModelOfAnotherSignature) {
    const Result<> refused = session->replaceModel(makeSession(*device, makeMulModel(5)));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(refused.error().message,
              "session replaceModel: input 0 of the new model is TENSOR_FLOAT32 \"input0\" of "
              "dimensions 5 of scale 0 and zero point 0: must be TENSOR_FLOAT32 \"input0\" of "
              "dimensions 4 of scale 0 and zero point 0");
    const Result<> lstm =
        session->replaceModel(makeSession(*device, *makeStreamingLstm({.features = 4})));
    EXPECT_EQ(lstm.error().message, "session replaceModel: the new model has 3 inputs: must be 2");
    ASSERT_TRUE(session->run());
    EXPECT_EQ(out[3], 7.0F);
}

TEST_P(ReplaceModel, refusesASessionThatWasMovedFrom) {
    Session next = makeSession(*device, makeMulModel());
    const Session other = std::move(next);
    // NOLINTNEXTLINE(bugprone-use-after-move): this is what is tested
    EXPECT_EQ(session->replaceModel(std::move(next)).error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(ReplaceModel, isRefusedWhileARunIsUnderWay) {
    ASSERT_TRUE(session->submit());
    const Result<> refused = session->replaceModel(makeSession(*device, makeMulModel()));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    ASSERT_TRUE(session->wait());
    EXPECT_EQ(out[3], 7.0F);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(ReplaceModel);

/// The states of a session lie in its memory, which outlives the driver.
TEST(ReplaceModelAfterTheEndOfADriver, continuesWithTheStatesOnAnother) {
    const Model model = std::move(*makeStreamingLstm({.features = 8, .cells = 16}));
    ModelSignature signature = signatureOf(model);
    signature.states = {{.input = 1, .output = 1}, {.input = 2, .output = 2}};
    const auto sessionOn = [&](Device& device) {
        return std::move(*Session::create(*prepareModel(device, model), signature));
    };
    const SharedDevice local = *makeLocalDevice();
    Session expected = sessionOn(*local);
    auto driver = std::make_unique<DriverProcess>();
    Session session = sessionOn(*driver->connect());
    const std::span<float> sound = *session.input<float>();
    const std::span<const float> filtered = *session.output<float>();
    for (int step = 0; step < 10; ++step) {
        std::ranges::fill(sound, 0.1F * static_cast<float>(step));
        std::ranges::fill(*expected.input<float>(), 0.1F * static_cast<float>(step));
        ASSERT_TRUE(expected.run());
        if (step == 5) {
            driver.reset();  // killed
            ASSERT_EQ(session.run().error().status, ErrorStatus::DEVICE_UNAVAILABLE);
            driver = std::make_unique<DriverProcess>();
            const Result<> replaced = session.replaceModel(sessionOn(*driver->connect()));
            ASSERT_TRUE(replaced) << replaced.error().message;
        }
        ASSERT_TRUE(session.run());
        ASSERT_TRUE(std::ranges::equal(filtered, *expected.output<float>())) << "step " << step;
    }
}

}  // namespace
}  // namespace nnburst::test
