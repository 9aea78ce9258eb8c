// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Deadlines that pass inside one long operation.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include "device/devices.h"
#include "nnburst/fence.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// out = 1.5 ^ x, by a reference kernel.
Model makeReferenceModel() {
    constexpr std::uint32_t kElements = 4 << 20;
    const std::vector<float> one{1.5F};
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {kElements});
    const auto base =
        builder.addConstant(OperandType::TENSOR_FLOAT32, {1}, std::as_bytes(std::span(one)));
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {kElements});
    builder.addOperation(OperationType::POW, {base, in}, {out});
    return std::move(*builder.build({in}, {out}));
}

/// out = relu(in), beside an image without elements that is resized to 2^62 pixels.
Model makeModelOfAnEmptyImage() {
    const std::vector<std::int32_t> sizes{1, 1, 1, 0};
    ModelBuilder builder;
    const auto shape =
        builder.addConstant(OperandType::TENSOR_INT32, {4}, std::as_bytes(std::span(sizes)));
    const auto image = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, 1, 1, 0});
    builder.addOperation(OperationType::FILL, {shape, builder.addScalar(0.0F)}, {image});
    const auto size = builder.addScalar(std::numeric_limits<std::int32_t>::max());
    const auto resized = builder.addTensor(OperandType::TENSOR_FLOAT32, {1, 0, 0, 0});
    builder.addOperation(OperationType::RESIZE_NEAREST_NEIGHBOR,
                         {image, size, size, builder.addScalar(false)}, {resized});
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::RELU, {in}, {out});
    return std::move(*builder.build({in}, {out}));
}

/// A convolution by XNNPACK.
Model makeXnnpackModel() {
    const Dimensions image{1, 224, 224, 64};
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, image);
    const std::vector<float> weights(64 * 3 * 3 * 64, 0.01F);
    const auto filter = builder.addConstant(OperandType::TENSOR_FLOAT32, {64, 3, 3, 64},
                                            std::as_bytes(std::span(weights)));
    const auto bias = builder.addConstant(OperandType::TENSOR_FLOAT32, {64},
                                          std::as_bytes(std::span(weights).first(64)));
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, image);
    const auto padding = builder.addScalar(std::int32_t{1});  // SAME
    const auto stride = builder.addScalar(std::int32_t{1});
    const auto activation = builder.addScalar(std::int32_t{0});
    builder.addOperation(OperationType::CONV_2D,
                         {in, filter, bias, padding, stride, stride, activation}, {out});
    return std::move(*builder.build({in}, {out}));
}

class LongOperationTest : public DeviceTest {
  protected:
    using Execute = std::function<Result<>(const ExecutionOptions&)>;

    void use(const Model& model) {
        prepared = prepare(model);
        ASSERT_NE(prepared, nullptr);
        burst = std::move(*prepared->configureExecutionBurst({}));
        const Dimensions& sizes = model.main.operands[model.main.inputIndexes[0]].dimensions;
        bytes_ = sizeof(float);
        for (const std::uint32_t size : sizes) {
            bytes_ *= size;
        }
        memory_ = *Mapping::map(*Region::create(2 * std::uint64_t{bytes_}));
        auto* const elements = reinterpret_cast<float*>(memory_.data());
        for (std::uint32_t i = 0; i < bytes_ / sizeof(float); ++i) {
            elements[i] = static_cast<float>(i % 7);
        }
        request = {};
        request.pools = {memory_.region()};
        request.inputs = {{.location = {.offset = 0, .length = bytes_}}};
        request.outputs = {{.location = {.offset = bytes_, .length = bytes_}}};
    }

    static Clock::duration timeOf(const std::function<void()>& call) {
        const Clock::time_point start = Clock::now();
        call();
        return Clock::now() - start;
    }

    /// The operation is all that the model has. The shortest of several executions each: others
    /// may take the processors.
    void expectToEndEarly(const Execute& execute) {
        constexpr int kTurns = 5;
        Clock::duration whole = Clock::duration::max();
        for (int turn = 0; turn < kTurns; ++turn) {
            whole = std::min(whole, timeOf([&] { ASSERT_TRUE(execute({})); }));
        }
        Clock::duration ended = Clock::duration::max();
        for (int turn = 0; turn < kTurns; ++turn) {
            ended = std::min(ended, timeOf([&] {
                                 const Result<> result =
                                     execute({.deadline = Clock::now() + whole / 10});
                                 ASSERT_FALSE(result);
                                 const ErrorStatus status = result.error().status;
                                 EXPECT_TRUE(status == ErrorStatus::MISSED_DEADLINE_PERSISTENT ||
                                             status == ErrorStatus::MISSED_DEADLINE_TRANSIENT)
                                     << result.error().message;
                             }));
            expectNoWriteFromHereOn();
        }
        EXPECT_LT(ended, whole / 2) << ended.count() << " ns of " << whole.count();
    }

    void expectAllWaysToEndEarly() {
        expectToEndEarly([this](const ExecutionOptions& options) {
            return burst->execute(request, options, outcome);
        });
        expectToEndEarly([this](const ExecutionOptions& options) {
            return prepared->executeSynchronously(request, options, outcome);
        });
        expectToEndEarly([this](const ExecutionOptions& options) -> Result<> {
            auto execution = prepared->executeFenced(request, {}, options, std::nullopt);
            if (!execution) {
                return tl::unexpected<Error>(execution.error());
            }
            if (execution->fence) {
                (void)waitForFence(execution->fence.get(), Clock::now() + kWatchdog);
            }
            Timing launched;
            Timing fenced;
            return execution->callback(launched, fenced);
        });
    }

    SharedPreparedModel prepared;
    std::unique_ptr<Burst> burst;
    Request request;
    ExecutionOutcome outcome;

  private:
    void expectNoWriteFromHereOn() {
        const std::byte* const outputs = memory_.data() + bytes_;
        const std::vector<std::byte> after(outputs, outputs + bytes_);
        std::this_thread::sleep_for(20ms);  // what still ran would write meanwhile
        EXPECT_EQ(std::memcmp(after.data(), outputs, bytes_), 0);
    }

    Mapping memory_;
    std::uint32_t bytes_ = 0;
};

TEST_P(LongOperationTest, ofTheReferenceKernelsEndsSoonAfterItsDeadline) {
    use(makeReferenceModel());
    expectAllWaysToEndEarly();
}

TEST_P(LongOperationTest, ofXnnpackEndsSoonAfterItsDeadline) {
    use(makeXnnpackModel());
    expectAllWaysToEndEarly();
}

TEST_P(LongOperationTest, onAnImageWithoutElementsIsPreparedAtOnce) {
    EXPECT_NE(prepare(makeModelOfAnEmptyImage()), nullptr);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(LongOperationTest);

}  // namespace
}  // namespace nnburst::test
