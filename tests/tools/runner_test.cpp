// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "nnburst/model_builder.h"

namespace nnburst::run {
namespace {

/// Adds its input to the sum of the earlier ones, a state. All are signed bytes of scale 0.5 and
/// zero point 7.
TfliteModel makeQuantizedSum() {
    ModelBuilder builder;
    const auto tensor = [&] {
        return builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM_SIGNED, {4}, 0.5F, 7);
    };
    const auto in = tensor();
    const auto state = tensor();
    const auto sum = tensor();
    const auto next = tensor();
    const auto activation = builder.addScalar(std::int32_t{0});
    builder.addOperation(OperationType::ADD, {in, state, activation}, {sum});
    builder.addOperation(OperationType::ADD, {in, state, activation}, {next});
    TfliteModel model;
    model.model = std::move(*builder.build({in, state}, {sum, next}));
    model.inputNames = {"in"};
    model.outputNames = {"sum"};
    model.states = {{.input = 1, .output = 1}};
    return model;
}

TEST(Runner, beginsSequencesWithTheZeroPointOfSignedBytes) {
    const TfliteModel model = makeQuantizedSum();
    const SharedDevice device = *makeLocalDevice();
    auto runner = Runner::create(model, *device, Via::BURST);
    ASSERT_TRUE(runner) << runner.error().message;
    std::ranges::fill(runner->input(0), std::byte{9});
    for (int round = 0; round < 2; ++round) {
        for (const int sum : {9, 11}) {
            const auto executed = runner->execute();
            ASSERT_TRUE(executed) << executed.error().message;
            EXPECT_EQ(std::to_integer<int>(runner->output(0)[0]), sum);
            runner->feedBack();
        }
        runner->resetStates();
    }
}

}  // namespace
}  // namespace nnburst::run
