// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Driver-managed buffers as inputs and outputs of executions of every kind, by the rules of HAL
/// 1.3.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "device/devices.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

constexpr RequestArgument kWholeBuffer{.hasNoValue = false, .location = {.poolIndex = 1}};

/// out = a + a and out2 = b + b.
Model makeTwoSums() {
    ModelBuilder builder;
    const auto activation = builder.addScalar(std::int32_t{0});
    std::vector<std::uint32_t> inputs;
    std::vector<std::uint32_t> outputs;
    for (int i = 0; i < 2; ++i) {
        inputs.push_back(builder.addTensor(OperandType::TENSOR_FLOAT32, {4}));
        outputs.push_back(builder.addTensor(OperandType::TENSOR_FLOAT32, {4}));
        builder.addOperation(OperationType::ADD, {inputs.back(), inputs.back(), activation},
                             {outputs.back()});
    }
    return std::move(*builder.build(inputs, outputs));
}

class MemoryDomainExecutionTest : public ExecutionTest {
  protected:
    AllocatedBuffer allocate(std::vector<std::uint32_t> inputs, std::vector<std::uint32_t> outputs,
                             const Dimensions& dimensions = {}) {
        const auto roles = [](const std::vector<std::uint32_t>& indexes) {
            std::vector<BufferRole> made;
            for (const std::uint32_t index : indexes) {
                made.push_back({.modelIndex = 0, .ioIndex = index, .frequency = 1.0F});
            }
            return made;
        };
        auto allocated =
            device->allocate({dimensions}, std::array{prepared}, roles(inputs), roles(outputs));
        EXPECT_TRUE(allocated) << allocated.error().message;
        return allocated ? *allocated : AllocatedBuffer();
    }

    void expectStatus(const Request& request, ErrorStatus status) {
        const Result<> result = execute(request);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().status, status) << result.error().message;
        EXPECT_TRUE(outcome.outputShapes.empty());
    }

    /// A burst gives up before the driver does.
    static bool isEmptySoon(const AllocatedBuffer& buffer) {
        return eventually([&] {
            const Result<> copied = buffer.buffer->copyTo(*Region::create(16));
            return !copied && copied.error().status == ErrorStatus::GENERAL_FAILURE;
        });
    }

    static void fill(const AllocatedBuffer& buffer, const std::vector<float>& values) {
        const SharedRegion source = *Region::create(values.size() * sizeof(float));
        ASSERT_TRUE(source->write(0, std::as_bytes(std::span(values))));
        const Result<> copied =
            buffer.buffer->copyFrom(source, {static_cast<std::uint32_t>(values.size())});
        ASSERT_TRUE(copied) << copied.error().message;
    }

    static std::vector<float> contents(const AllocatedBuffer& buffer, std::size_t count) {
        const SharedRegion destination = *Region::create(count * sizeof(float));
        const Result<> copied = buffer.buffer->copyTo(destination);
        EXPECT_TRUE(copied) << copied.error().message;
        std::vector<float> values(count);
        EXPECT_TRUE(destination->read(0, std::as_writable_bytes(std::span(values))));
        return values;
    }
};

TEST_P(MemoryDomainExecutionTest, anOutputStaysInTheDriverUntilItIsTheNextInput) {
    use(makeAddModel());
    const AllocatedBuffer state = allocate({0}, {0});
    const AllocatedBuffer other = allocate({0}, {0});
    AddRequest add;
    std::fill(add.b(), add.b() + 4, 1.0F);
    fill(state, {0, 0, 0, 0});
    Request request = add.request;
    request.pools.resize(3);
    request.inputs[0] = kWholeBuffer;
    request.outputs[0] = kWholeBuffer;
    request.outputs[0].location.poolIndex = 2;
    for (int turn = 0; turn < 10; ++turn) {
        request.pools[1] = turn % 2 == 0 ? state.token : other.token;
        request.pools[2] = turn % 2 == 0 ? other.token : state.token;
        const Result<> result = execute(request);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(outcome.outputShapes[0].dimensions, Dimensions{4});
    }
    EXPECT_EQ(contents(state, 4), std::vector<float>(4, 10.0F));
}

TEST_P(MemoryDomainExecutionTest, anInputThatHoldsNothingIsRefusedUntilItIsWritten) {
    use(makeAddModel());
    const AllocatedBuffer buffer = allocate({0}, {0});
    AddRequest add;
    add.request.pools.emplace_back(buffer.token);
    Request reading = add.request;
    reading.inputs[0] = kWholeBuffer;
    Request writing = add.request;
    writing.outputs[0] = kWholeBuffer;
    expectStatus(reading, ErrorStatus::GENERAL_FAILURE);
    ASSERT_TRUE(execute(writing));
    ASSERT_TRUE(execute(reading));
    EXPECT_EQ(add.out()[3], 3.0F + 10.0F + 10.0F);
}

TEST_P(MemoryDomainExecutionTest, anOutputOfAFailedExecutionHoldsNothing) {
    use(makeAddModel());
    const AllocatedBuffer buffer = allocate({0}, {0});
    fill(buffer, {1, 2, 3, 4});
    AddRequest add;
    Request request = add.request;
    request.pools.emplace_back(buffer.token);
    request.outputs[0] = kWholeBuffer;
    ASSERT_FALSE(execute(request, {.deadline = TimePoint(std::chrono::steady_clock::now()) -
                                               std::chrono::seconds(1)}));
    EXPECT_TRUE(isEmptySoon(buffer));
    ASSERT_TRUE(execute(request));
    EXPECT_EQ(contents(buffer, 4), (std::vector<float>{10, 11, 12, 13}));
}

struct WrongExecution {
    const char* name;
    std::function<void(Request&, ExecutionOptions&)> change;
};

TEST_P(MemoryDomainExecutionTest, anOutputOfARefusedRequestWithManyOutputsHoldsNothing) {
    constexpr std::uint32_t kOutputs = 200;
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    std::vector<std::uint32_t> outputs;
    for (std::uint32_t i = 0; i < kOutputs; ++i) {
        outputs.push_back(builder.addTensor(OperandType::TENSOR_FLOAT32, {4}));
        builder.addOperation(OperationType::RELU, {in}, {outputs.back()});
    }
    use(*builder.build({in}, outputs));
    const AllocatedBuffer buffer = allocate({}, {kOutputs - 1});
    fill(buffer, {1, 2, 3, 4});
    const AddRequest add;
    Request request = add.request;
    request.inputs.resize(1);
    request.pools.emplace_back(buffer.token);
    request.outputs.resize(kOutputs, add.request.outputs[0]);
    request.outputs.back() = kWholeBuffer;
    EXPECT_FALSE(execute(request, {.measure = static_cast<MeasureTiming>(2)}));
    EXPECT_TRUE(isEmptySoon(buffer));
}

TEST_P(MemoryDomainExecutionTest, anOutputOfARefusedRequestHoldsNothing) {
    use(makeAddModel());
    const AllocatedBuffer buffer = allocate({0}, {0});
    AddRequest add;
    add.request.pools.emplace_back(buffer.token);
    add.request.outputs[0] = kWholeBuffer;
    for (const WrongExecution& wrong : std::vector<WrongExecution>{
             {"no inputs", [](Request&r, auto&) { r.inputs.clear(); }},
             {"one input is missing", [](Request&r, auto&) { r.inputs.pop_back(); }},
             {"one output more", [](Request&r, auto&) { r.outputs.push_back(r.outputs[0]); }},
             {"wrong length", [](Request&r, auto&) { r.inputs[0].location.length -= 4; }},
             {"omitted input", [](Request&r, auto&) { r.inputs[0] = {.hasNoValue = true}; }},
             {"part of a buffer", [](Request&r, auto&) { r.outputs[0].location.length = 16; }},
             {"other dimensions", [](Request&r, auto&) { r.outputs[0].dimensions = {5}; }},
             {"too many dimensions",
              [](Request&r, auto&) { r.outputs[0].dimensions = Dimensions(100, 1); }},
             {"input of the buffer too", [](Request&r, auto&) { r.inputs[0] = kWholeBuffer; }},
             {"pool without memory", [](Request&r, auto&) { r.pools[0] = SharedRegion(); }},
             {"pool that is too small", [](Request&r, auto&) { r.pools[0] = *Region::create(1); }},
             {"unknown buffer", [](Request&r, auto&) { r.pools.emplace_back(BufferToken{1000}); }},
             {"unknown measure",
              [](auto&, ExecutionOptions&o) { o.measure = static_cast<MeasureTiming>(2); }}}) {
        fill(buffer, {1, 2, 3, 4});
        Request request = add.request;
        ExecutionOptions options;
        wrong.change(request, options);
        const Result<> result = execute(request, options);
        ASSERT_FALSE(result) << wrong.name;
        EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT)
            << wrong.name << ": " << result.error().message;
        ASSERT_TRUE(isEmptySoon(buffer)) << wrong.name;
        ASSERT_TRUE(execute(add.request)) << wrong.name;
    }
}

TEST_P(MemoryDomainExecutionTest, anOutputHoldsNothingWhenAnotherIsTooSmall) {
    use(makeTwoSums());
    const AllocatedBuffer buffer = allocate({}, {0});
    fill(buffer, {1, 2, 3, 4});
    AddRequest add;
    Request request = add.request;
    request.outputs.push_back(request.outputs[0]);
    request.outputs[1].location.length = 4;
    request.pools.emplace_back(buffer.token);
    request.outputs[0] = kWholeBuffer;
    const Result<> result = execute(request);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::OUTPUT_INSUFFICIENT_SIZE);
    EXPECT_TRUE(isEmptySoon(buffer));
}

TEST_P(MemoryDomainExecutionTest, aRequestTakesNoContentsThatItCouldNotHaveWritten) {
    use(makeTwoSums());
    const AllocatedBuffer input = allocate({0}, {});
    const AllocatedBuffer first = allocate({}, {0});
    fill(input, {1, 2, 3, 4});
    fill(first, {5, 6, 7, 8});
    AddRequest add;
    Request good = add.request;
    good.outputs.push_back(good.outputs[0]);
    good.pools.emplace_back(input.token);
    Request request = good;
    request.outputs[0] = kWholeBuffer;  // allocated for an input
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    good.pools[1] = first.token;
    request = good;
    request.outputs[1] = kWholeBuffer;  // allocated for another output
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    request = good;
    request.outputs.push_back(kWholeBuffer);  // an output that there is not
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    use(makeTwoSums());
    request = good;
    request.outputs[0] = kWholeBuffer;  // allocated for another prepared model
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_EQ(contents(input, 4), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(contents(first, 4), (std::vector<float>{5, 6, 7, 8}));
}

TEST_P(MemoryDomainExecutionTest, unknownTokensAreRefused) {
    use(makeAddModel());
    AddRequest add;
    for (const BufferToken token : {BufferToken{0}, BufferToken{1000}}) {
        Request request = add.request;
        request.pools.emplace_back(token);
        Request reading = request;
        reading.inputs[0] = kWholeBuffer;
        expectStatus(reading, ErrorStatus::INVALID_ARGUMENT);
        Request writing = request;
        writing.outputs[0] = kWholeBuffer;
        expectStatus(writing, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST_P(MemoryDomainExecutionTest, theTokenOfADroppedBufferIsUnknown) {
    use(makeAddModel());
    AddRequest add;
    AllocatedBuffer buffer = allocate({}, {0});
    add.request.pools.emplace_back(buffer.token);
    add.request.outputs[0] = kWholeBuffer;
    ASSERT_TRUE(execute(add.request));
    buffer.buffer = nullptr;
    EXPECT_TRUE(eventually([&] {
        const Result<> result = execute(add.request);
        return !result && result.error().status == ErrorStatus::INVALID_ARGUMENT;
    }));
}

TEST_P(MemoryDomainExecutionTest, aBufferIsOfNoUseForAnotherPreparedModel) {
    use(makeAddModel());
    const AllocatedBuffer buffer = allocate({0}, {0});
    fill(buffer, {1, 2, 3, 4});
    use(makeAddModel());  // the same content, but another object
    AddRequest add;
    add.request.pools.emplace_back(buffer.token);
    Request reading = add.request;
    reading.inputs[0] = kWholeBuffer;
    expectStatus(reading, ErrorStatus::INVALID_ARGUMENT);
    Request writing = add.request;
    writing.outputs[0] = kWholeBuffer;
    expectStatus(writing, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MemoryDomainExecutionTest, aBufferOfAnotherPreparedModelMayHaveNoUse) {
    use(makeAddModel());
    const AllocatedBuffer buffer = allocate({0}, {0});
    use(makeAddModel());
    AddRequest add;
    add.request.pools.emplace_back(buffer.token);
    const Result<> result = execute(add.request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 13.0F);
}

TEST_P(MemoryDomainExecutionTest, aBufferIsOfNoUseForOtherArguments) {
    use(makeTwoSums());
    const AllocatedBuffer input = allocate({0}, {});
    const AllocatedBuffer output = allocate({}, {0});
    fill(input, {1, 2, 3, 4});
    AddRequest add;
    Request good = add.request;
    good.outputs.push_back(add.request.outputs[0]);
    good.pools.emplace_back(input.token);
    Request request = good;
    request.inputs[1] = kWholeBuffer;
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    request = good;
    request.outputs[0] = kWholeBuffer;
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    good.pools[1] = output.token;
    request = good;
    request.outputs[1] = kWholeBuffer;
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    request = good;
    request.inputs[0] = kWholeBuffer;
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MemoryDomainExecutionTest, aBufferThatIsWrittenIsUsedForNothingElse) {
    use(makeTwoSums());
    const AllocatedBuffer buffer = allocate({0, 1}, {0, 1});
    fill(buffer, {1, 2, 3, 4});
    AddRequest first;
    AddRequest second;
    Request good = first.request;
    good.outputs.push_back(second.request.outputs[0]);
    good.outputs[1].location.poolIndex = 2;
    good.pools.emplace_back(buffer.token);
    good.pools.emplace_back(second.pool.region());
    Request request = good;
    request.inputs[0] = kWholeBuffer;
    request.outputs[0] = kWholeBuffer;
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    request = good;
    request.outputs[0] = kWholeBuffer;
    request.outputs[1] = kWholeBuffer;
    expectStatus(request, ErrorStatus::INVALID_ARGUMENT);
    fill(buffer, {1, 2, 3, 4});
    request = good;
    request.inputs[0] = kWholeBuffer;
    request.inputs[1] = kWholeBuffer;
    ASSERT_TRUE(execute(request));
    EXPECT_EQ(first.out()[3], 8.0F);
    EXPECT_EQ(second.out()[3], 8.0F);
}

TEST_P(MemoryDomainExecutionTest, argumentsInABufferAreTheWholeBuffer) {
    use(makeAddModel());
    const AllocatedBuffer buffer = allocate({0}, {});
    fill(buffer, {1, 2, 3, 4});
    AddRequest add;
    add.request.pools.emplace_back(buffer.token);
    add.request.inputs[0] = kWholeBuffer;
    add.request.inputs[0].location.length = 16;
    expectStatus(add.request, ErrorStatus::INVALID_ARGUMENT);
    add.request.inputs[0].location = {.poolIndex = 1, .offset = 4, .length = 0};
    expectStatus(add.request, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MemoryDomainExecutionTest, dimensionsOfARequestMustAgreeWithTheBuffer) {
    use(makeAddModel(0));
    const AllocatedBuffer buffer = allocate({0}, {0}, {4});
    fill(buffer, {1, 2, 3, 4});
    AddRequest eight(8);
    eight.request.pools.emplace_back(buffer.token);
    Request reading = eight.request;
    reading.inputs[0] = kWholeBuffer;
    reading.inputs[0].dimensions = {8};
    expectStatus(reading, ErrorStatus::INVALID_ARGUMENT);
    Request writing = eight.request;
    writing.outputs[0] = kWholeBuffer;
    writing.outputs[0].dimensions = {8};
    expectStatus(writing, ErrorStatus::INVALID_ARGUMENT);
    writing.outputs[0].dimensions = {};
    expectStatus(writing, ErrorStatus::GENERAL_FAILURE);
}

TEST_P(MemoryDomainExecutionTest, aBufferOfUnknownDimensionsTakesThoseOfItsContents) {
    use(makeAddModel(0));
    const AllocatedBuffer buffer = allocate({0}, {0});
    for (const std::uint32_t count : {3U, 1U, 100U, 3U}) {
        AddRequest add(count);
        add.request.pools.emplace_back(buffer.token);
        Request writing = add.request;
        writing.outputs[0] = kWholeBuffer;
        const Result<> written = execute(writing);
        ASSERT_TRUE(written) << written.error().message;
        EXPECT_EQ(outcome.outputShapes[0],
                  (OutputShape{.dimensions = {count}, .isSufficient = true}));
        Request reading = add.request;
        reading.inputs[0] = kWholeBuffer;
        const Result<> read = execute(reading);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(add.out()[0], 20.0F);
    }
}

NNBURST_INSTANTIATE_FOR_ALL_EXECUTIONS(MemoryDomainExecutionTest);

}  // namespace
}  // namespace nnburst::test
