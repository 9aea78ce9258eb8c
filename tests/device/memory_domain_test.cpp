// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// IDevice::allocate and IBuffer, by the rules of HAL 1.3.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "device/devices.h"
#include "nnburst/fence.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

/// Floats in shared memory of exactly their size.
SharedRegion regionOf(const std::vector<float>& values) {
    SharedRegion region = *Region::create(values.size() * sizeof(float));
    EXPECT_TRUE(region->write(0, std::as_bytes(std::span(values))));
    return region;
}

std::vector<float> contentsOf(const SharedRegion& region) {
    std::vector<float> values(region->sizeBytes() / sizeof(float));
    EXPECT_TRUE(region->read(0, std::as_writable_bytes(std::span(values))));
    return values;
}

template <class T>
void expectStatus(const Result<T>& result, ErrorStatus status) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, status) << result.error().message;
    EXPECT_FALSE(result.error().message.empty());
}

class MemoryDomainTest : public DeviceTest {
  protected:
    /// A buffer for inputs and outputs of makeAddModel(count).
    AllocatedBuffer allocate(std::uint32_t count, const Dimensions& dimensions = {}) {
        model = prepare(makeAddModel(count));
        auto allocated = device->allocate({dimensions}, std::array{model}, kInputs, kOutputs);
        EXPECT_TRUE(allocated) << allocated.error().message;
        return allocated ? *allocated : AllocatedBuffer();
    }

    static constexpr std::array<BufferRole, 2> kInputs{
        {{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F},
         {.modelIndex = 0, .ioIndex = 1, .frequency = 0.5F}}};
    static constexpr std::array<BufferRole, 1> kOutputs{
        {{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}}};

    SharedPreparedModel model;
};

TEST_P(MemoryDomainTest, aBufferGivesBackWhatWasCopiedToIt) {
    const AllocatedBuffer buffer = allocate(4);
    const std::vector<float> values{1, 2, 3, 4};
    const Result<> copied = buffer.buffer->copyFrom(regionOf(values), {4});
    ASSERT_TRUE(copied) << copied.error().message;
    const SharedRegion destination = *Region::create(16);
    ASSERT_TRUE(buffer.buffer->copyTo(destination));
    EXPECT_EQ(contentsOf(destination), values);
}

TEST_P(MemoryDomainTest, tokensAreUniqueAndNotZero) {
    const AllocatedBuffer first = allocate(4);
    const AllocatedBuffer second = allocate(4);
    EXPECT_NE(first.token, BufferToken{0});
    EXPECT_NE(first.token, second.token);
}

TEST_P(MemoryDomainTest, aNewBufferHoldsNothing) {
    const AllocatedBuffer buffer = allocate(4);
    expectStatus(buffer.buffer->copyTo(*Region::create(16)), ErrorStatus::GENERAL_FAILURE);
}

TEST_P(MemoryDomainTest, copyFromWantsMemoryOfTheRightSize) {
    const AllocatedBuffer buffer = allocate(4);
    expectStatus(buffer.buffer->copyFrom(*Region::create(8), {4}), ErrorStatus::INVALID_ARGUMENT);
    expectStatus(buffer.buffer->copyFrom(*Region::create(32), {4}), ErrorStatus::INVALID_ARGUMENT);
    expectStatus(buffer.buffer->copyFrom(nullptr, {4}), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(buffer.buffer->copyFrom(*Region::create(16), {4}));
}

TEST_P(MemoryDomainTest, copyFromWantsTheDimensionsOfTheBuffer) {
    const AllocatedBuffer buffer = allocate(4);
    const SharedRegion source = *Region::create(16);
    for (const Dimensions& wrong :
         {Dimensions{2, 2}, Dimensions{2}, Dimensions{0}, Dimensions(100, 1)}) {
        expectStatus(buffer.buffer->copyFrom(source, wrong), ErrorStatus::INVALID_ARGUMENT);
    }
    EXPECT_TRUE(buffer.buffer->copyFrom(source, {}));
    EXPECT_TRUE(buffer.buffer->copyFrom(source, {4}));
}

TEST_P(MemoryDomainTest, aScalarHasNoDimensions) {
    ModelBuilder builder;
    const auto activation = builder.addTensor(OperandType::INT32, {});
    const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto output = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::ADD, {input, input, activation}, {output});
    const std::array models{prepare(*builder.build({activation, input}, {output}))};
    const std::array<BufferRole, 1> roles{{{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}}};
    expectStatus(device->allocate({{1}}, models, roles, {}), ErrorStatus::INVALID_ARGUMENT);
    const AllocatedBuffer buffer = *device->allocate({}, models, roles, {});
    const SharedRegion source = *Region::create(4);
    expectStatus(buffer.buffer->copyFrom(source, {1}), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(buffer.buffer->copyFrom(source, {}));
}

TEST_P(MemoryDomainTest, copyFromToABufferOfUnknownSizeMustSayTheDimensions) {
    const AllocatedBuffer buffer = allocate(0);
    expectStatus(buffer.buffer->copyFrom(*Region::create(16), {}), ErrorStatus::INVALID_ARGUMENT);
    expectStatus(buffer.buffer->copyFrom(*Region::create(16), {0}), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(buffer.buffer->copyFrom(*Region::create(16), {4}));
    EXPECT_TRUE(buffer.buffer->copyFrom(*Region::create(400), {100}));
    EXPECT_TRUE(buffer.buffer->copyTo(*Region::create(400)));
}

TEST_P(MemoryDomainTest, copyToWantsMemoryOfTheRightSize) {
    const AllocatedBuffer buffer = allocate(0);
    ASSERT_TRUE(buffer.buffer->copyFrom(*Region::create(16), {4}));
    expectStatus(buffer.buffer->copyTo(*Region::create(8)), ErrorStatus::INVALID_ARGUMENT);
    expectStatus(buffer.buffer->copyTo(*Region::create(32)), ErrorStatus::INVALID_ARGUMENT);
    expectStatus(buffer.buffer->copyTo(nullptr), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(buffer.buffer->copyTo(*Region::create(16)));
}

TEST_P(MemoryDomainTest, aBufferOutlivesItsPreparedModel) {
    const AllocatedBuffer buffer = allocate(4);
    model = nullptr;
    EXPECT_TRUE(buffer.buffer->copyFrom(*Region::create(16), {4}));
}

struct WrongAllocation {
    const char* name;
    std::vector<BufferRole> inputs;
    std::vector<BufferRole> outputs;
    Dimensions dimensions;
};

TEST_P(MemoryDomainTest, allocateRefusesWhatMakesNoSense) {
    const auto role = [](std::uint32_t modelIndex, std::uint32_t ioIndex, float frequency = 1.0F) {
        return BufferRole{.modelIndex = modelIndex, .ioIndex = ioIndex, .frequency = frequency};
    };
    const std::array models{prepare(makeAddModel())};
    for (const WrongAllocation& wrong : std::vector<WrongAllocation>{
             {"no role", {}, {}, {}},
             {"unknown model", {role(1, 0)}, {}, {}},
             {"unknown input", {role(0, 2)}, {}, {}},
             {"unknown output", {}, {role(0, 1)}, {}},
             {"input named twice", {role(0, 0), role(0, 0)}, {}, {}},
             {"output named twice", {}, {role(0, 0), role(0, 0)}, {}},
             {"no frequency", {role(0, 0, 0.0F)}, {}, {}},
             {"frequency above one", {role(0, 0, 1.5F)}, {}, {}},
             {"negative frequency", {}, {role(0, 0, -0.5F)}, {}},
             {"frequency that is no number", {}, {role(0, 0, NAN)}, {}},
             {"other rank", {role(0, 0)}, {}, {2, 2}},
             {"other size", {role(0, 0)}, {}, {5}},
             {"too many dimensions", {role(0, 0)}, {}, Dimensions(100, 1)}}) {
        const auto allocated =
            device->allocate({wrong.dimensions}, models, wrong.inputs, wrong.outputs);
        ASSERT_FALSE(allocated) << wrong.name;
        EXPECT_EQ(allocated.error().status, ErrorStatus::INVALID_ARGUMENT)
            << wrong.name << ": " << allocated.error().message;
    }
}

TEST_P(MemoryDomainTest, allocateRefusesMoreDimensionsThanAModelMayHave) {
    ModelBuilder builder;  // an operand of unknown rank agrees with any dimensions
    const auto input = builder.addTensor(OperandType::TENSOR_FLOAT32, {});
    const auto output = builder.addTensor(OperandType::TENSOR_FLOAT32, {});
    builder.addOperation(OperationType::RELU, {input}, {output});
    const std::array models{prepare(*builder.build({input}, {output}))};
    const std::array<BufferRole, 1> roles{{{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F}}};
    EXPECT_TRUE(device->allocate({Dimensions(8, 1)}, models, roles, {}));
    expectStatus(device->allocate({Dimensions(9, 1)}, models, roles, {}),
                 ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MemoryDomainTest, allocateRefusesModelsAndRolesWithoutNumber) {
    const SharedPreparedModel sum = prepare(makeAddModel());
    EXPECT_TRUE(device->allocate({}, std::vector<SharedPreparedModel>(4096, sum), kInputs, {}));
    for (const std::size_t count : {4097, 8193}) {
        expectStatus(
            device->allocate({}, std::vector<SharedPreparedModel>(count, sum), kInputs, {}),
            ErrorStatus::INVALID_ARGUMENT);
    }
    const BufferDesc large{.dimensions = Dimensions(std::size_t{9} << 20, 1)};
    expectStatus(device->allocate(large, std::array{sum}, kInputs, {}),
                 ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(device->allocate({}, std::array{sum}, kInputs, {})) << "the connection is lost";
}

TEST_P(MemoryDomainTest, allocateTakes4096RolesAndNoMore) {
    constexpr std::uint32_t kCount = 4097;
    ModelBuilder builder;
    std::vector<std::uint32_t> inputs;
    std::vector<BufferRole> roles;
    for (std::uint32_t i = 0; i < kCount; ++i) {
        inputs.push_back(builder.addTensor(OperandType::TENSOR_FLOAT32, {1}));
        roles.push_back({.modelIndex = 0, .ioIndex = i, .frequency = 1.0F});
    }
    std::vector<std::uint32_t> operands = inputs;
    operands.push_back(builder.addScalar(std::int32_t{0}));
    const auto joined = builder.addTensor(OperandType::TENSOR_FLOAT32, {kCount});
    builder.addOperation(OperationType::CONCATENATION, operands, {joined});
    const std::array models{prepare(*builder.build(inputs, {joined}))};
    const auto refused = device->allocate({}, models, roles, {});
    expectStatus(refused, ErrorStatus::INVALID_ARGUMENT);
    EXPECT_NE(refused.error().message.find("4097"), std::string::npos) << refused.error().message;
    roles.pop_back();
    const auto most = device->allocate({}, models, roles, {});
    EXPECT_TRUE(most) << most.error().message;
}

TEST_P(MemoryDomainTest, allocateRefusesModelsOfOthers) {
    const SharedDevice other = *makeLocalDevice();
    const SharedPreparedModel foreign = *prepareModel(*other, makeAddModel());
    expectStatus(device->allocate({}, std::array{foreign}, kInputs, {}),
                 ErrorStatus::INVALID_ARGUMENT);
    expectStatus(device->allocate({}, std::array{SharedPreparedModel()}, kInputs, {}),
                 ErrorStatus::INVALID_ARGUMENT);
}

Model makeQuantizedRelu(float scale, std::int32_t zeroPoint) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM, {4}, scale, zeroPoint);
    const auto out = builder.addTensor(OperandType::TENSOR_QUANT8_ASYMM, {4}, scale, zeroPoint);
    builder.addOperation(OperationType::RELU, {in}, {out});
    return std::move(*builder.build({in}, {out}));
}

/// DEQUANTIZE of a tensor with a scale for each of 2 channels.
Model makePerChannelDequantize(float secondScale) {
    ModelBuilder builder;
    const auto in = builder.addTensor(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, {2, 2});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {2, 2});
    builder.addOperation(OperationType::DEQUANTIZE, {in}, {out});
    builder.operand(in).extraParams =
        SymmPerChannelQuantParams{.scales = {0.5F, secondScale}, .channelDim = 1};
    return std::move(*builder.build({in}, {out}));
}

TEST_P(MemoryDomainTest, allRolesHaveTheSameScaleOfEachChannel) {
    const std::array models{prepare(makePerChannelDequantize(0.5F)),
                            prepare(makePerChannelDequantize(0.5F)),
                            prepare(makePerChannelDequantize(0.25F))};
    const auto allocate = [&](std::uint32_t first, std::uint32_t second) {
        return device->allocate({}, models,
                                std::array{BufferRole{.modelIndex = first, .frequency = 1.0F},
                                           BufferRole{.modelIndex = second, .frequency = 1.0F}},
                                {});
    };
    EXPECT_TRUE(allocate(0, 1));
    expectStatus(allocate(0, 2), ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MemoryDomainTest, allRolesMustBeOfOneKind) {
    const std::array models{prepare(makeAddModel()), prepare(makeQuantizedRelu(0.5F, 10)),
                            prepare(makeQuantizedRelu(0.25F, 10)),
                            prepare(makeQuantizedRelu(0.5F, 11))};
    const auto allocate = [&](std::uint32_t input, std::uint32_t output) {
        return device->allocate({}, models,
                                std::array{BufferRole{.modelIndex = input, .frequency = 1.0F}},
                                std::array{BufferRole{.modelIndex = output, .frequency = 1.0F}});
    };
    EXPECT_TRUE(allocate(1, 1));
    expectStatus(allocate(0, 1), ErrorStatus::INVALID_ARGUMENT);
    expectStatus(allocate(1, 2), ErrorStatus::INVALID_ARGUMENT);
    expectStatus(allocate(1, 3), ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MemoryDomainTest, dimensionsOfAllRolesAndTheDescriptionAreJoined) {
    const std::array models{prepare(makeAddModel(0)), prepare(makeAddModel(4)),
                            prepare(makeAddModel(5))};
    const auto allocate = [&](std::uint32_t input, std::uint32_t output, Dimensions dimensions) {
        return device->allocate({std::move(dimensions)}, models,
                                std::array{BufferRole{.modelIndex = input, .frequency = 1.0F}},
                                std::array{BufferRole{.modelIndex = output, .frequency = 1.0F}});
    };
    const auto joined = allocate(0, 1, {});
    ASSERT_TRUE(joined);
    EXPECT_TRUE(joined->buffer->copyFrom(*Region::create(16), {})) << "4 of the output's role";
    const auto described = allocate(0, 0, {7});
    ASSERT_TRUE(described);
    EXPECT_TRUE(described->buffer->copyFrom(*Region::create(28), {})) << "7 of the description";
    expectStatus(allocate(1, 2, {}), ErrorStatus::INVALID_ARGUMENT);
    expectStatus(allocate(0, 1, {5}), ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(MemoryDomainTest, aBufferThatIsTooLargeIsRefused) {
    const std::array models{prepare(makeAddModel(0))};
    expectStatus(device->allocate({{UINT32_MAX}}, models, kInputs, {}),
                 ErrorStatus::GENERAL_FAILURE);
}

NNBURST_INSTANTIATE_FOR_ALL_DEVICES(MemoryDomainTest);

/// A driver with memory for one large buffer, whose token another client names.
class TokenOfAnotherClient : public testing::Test {
  protected:
    static Result<AllocatedBuffer> allocateLarge(Device& device) {
        constexpr std::uint32_t kFloats = 16 << 20;  // 64 MiB
        NNBURST_TRY_ASSIGN(const SharedPreparedModel model, prepareModel(device, makeAddModel(0)));
        const std::array<BufferRole, 1> roles{{{.frequency = 1.0F}}};
        return device.allocate({{kFloats}}, std::array{model}, roles, {});
    }

    /// A request of `prepared` with a pool that no argument uses: the buffer of the other client.
    [[nodiscard]] Request request() const {
        Request request = add.request;
        request.pools.emplace_back(buffer->token);
        return request;
    }

    void expectThatTheOwnerCanFreeTheBuffer() {
        buffer->buffer = nullptr;
        owner = nullptr;
        const SharedDevice later = driver.connect();
        EXPECT_TRUE(eventually([&] { return allocateLarge(*later).has_value(); }));
    }

    const DriverProcess driver{{"--limit", "driver.memory=100M", "--limit", "user.memory=100M",
                                "--limit", "client.memory=100M"}};
    SharedDevice owner = driver.connect();
    Result<AllocatedBuffer> buffer = allocateLarge(*owner);
    const SharedDevice other = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*other, makeAddModel());
    AddRequest add;
};

TEST_F(TokenOfAnotherClient, doesNotKeepTheBufferWithABurst) {
    ASSERT_TRUE(buffer) << buffer.error().message;
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    ExecutionOutcome outcome;
    Request reading = request();
    reading.inputs[0] = {.location = {.poolIndex = 1}};
    expectStatus(burst->execute(reading, {}, outcome), ErrorStatus::INVALID_ARGUMENT);
    EXPECT_TRUE(burst->execute(request(), {}, outcome)) << "a pool may have no use";
    expectThatTheOwnerCanFreeTheBuffer();
}

TEST_F(TokenOfAnotherClient, doesNotKeepTheBufferWithAnExecutionThatWaits) {
    ASSERT_TRUE(buffer) << buffer.error().message;
    const UniqueFd fence = std::move(*makeFence());
    const auto waiting = prepared->executeFenced(request(), std::array{fence.get()}, {}, {});
    ASSERT_TRUE(waiting) << waiting.error().message;
    expectThatTheOwnerCanFreeTheBuffer();
}

TEST(MemoryDomain, aBurstDoesNotKeepABufferThatItsClientHasFreed) {
    const DriverProcess driver({"--limit", "client.memory=100M"});
    const SharedDevice device = driver.connect();
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel(0));
    const std::array<BufferRole, 1> roles{{{.frequency = 1.0F}}};
    const auto allocate = [&] {
        return device->allocate({{16 << 20}}, std::array{prepared}, roles, {});
    };
    auto buffer = allocate();
    ASSERT_TRUE(buffer) << buffer.error().message;
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    AddRequest add;
    add.request.pools.emplace_back(buffer->token);
    ExecutionOutcome outcome;
    EXPECT_TRUE(burst->execute(add.request, {}, outcome));
    buffer->buffer = nullptr;
    EXPECT_TRUE(eventually([&] { return allocate().has_value(); }));
}

}  // namespace
}  // namespace nnburst::test
