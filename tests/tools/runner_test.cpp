// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "support/quantized_sum.h"

namespace nnburst::run {
namespace {

TfliteModel makeNamedSum() {
    TfliteModel model;
    model.model = test::makeQuantizedSum();
    model.inputNames = {"in"};
    model.outputNames = {"sum"};
    model.states = {{.input = 1, .output = 1}};
    return model;
}

TEST(Runner, beginsSequencesWithTheZeroPointOfSignedBytes) {
    const TfliteModel model = makeNamedSum();
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
