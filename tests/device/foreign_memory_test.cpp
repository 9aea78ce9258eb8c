// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Memory that cannot be sealed is copied, so that a process that cuts it harms no other.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

#include "device/devices.h"
#include "device/foreign_memory.h"
#include "nnburst/model_builder.h"

namespace nnburst::test {
namespace {

class ForeignMemoryTest : public ExecutionTest {};

TEST_P(ForeignMemoryTest, isReadAndWrittenByExecutions) {
    use(makeAddModel());
    const ForeignMemory memory(64);
    for (int turn = 0; turn < 3; ++turn) {
        const auto base = static_cast<float>(turn);
        memory.write(0, {base, 1, 2, 3, 10, 10, 10, 10, -1, -1, -1, -1, 77, 77, 77, 77});
        const Result<> result = execute(addRequest(memory.region));
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(memory.read(32, 8), (std::vector<float>{base + 10, 11, 12, 13, 77, 77, 77, 77}));
    }
}

TEST_P(ForeignMemoryTest, standsBesideMappedMemory) {
    use(makeAddModel());
    const ForeignMemory memory(64);
    memory.write(0, {5, 5, 5, 5});
    AddRequest add;
    add.request.pools.emplace_back(memory.region);
    add.request.inputs[0].location = {.poolIndex = 1, .offset = 0, .length = 16};
    const Result<> result = execute(add.request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[0], 15.0F);
}

TEST_P(ForeignMemoryTest, thatIsCutIsRefusedAndTheDriverGoesOn) {
    use(makeAddModel());
    const ForeignMemory memory(64);
    memory.resize(8);
    const Result<> result = execute(addRequest(memory.region));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT) << result.error().message;
    expectService();
}

TEST_P(ForeignMemoryTest, thatIsReadOnlyServesForInputs) {
    use(makeAddModel());
    const ForeignMemory memory(64);
    memory.write(0, {5, 5, 5, 5, 6, 6, 6, 6});
    const std::string link = "/proc/self/fd/" + std::to_string(memory.region->fd());
    const SharedRegion readOnly =
        *Region::receive(UniqueFd(::open(link.c_str(), O_RDONLY | O_CLOEXEC)), 64);
    AddRequest add;
    add.request.pools.emplace_back(readOnly);
    add.request.inputs[0].location = {.poolIndex = 1, .offset = 0, .length = 16};
    add.request.inputs[1].location = {.poolIndex = 1, .offset = 16, .length = 16};
    ASSERT_TRUE(execute(add.request));
    EXPECT_EQ(add.out()[0], 11.0F);
    const Result<> result = execute(addRequest(readOnly));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST_P(ForeignMemoryTest, outputsOfUnknownSizeAreWrittenAsFarAsTheyGo) {
    use(makeAddModel(0));
    const ForeignMemory memory(128);
    memory.write(0, std::vector<float>(32, 7.0F));
    Request request = addRequest(memory.region);
    request.inputs[0].dimensions = {4};
    request.inputs[1].dimensions = {4};
    request.outputs[0].location.length = 64;
    const Result<> result = execute(request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(memory.read(32, 6), (std::vector<float>{14, 14, 14, 14, 7, 7}));
}

/// ADD of an input and a constant that lies in `region`.
Model makeModelWithConstant(const SharedRegion& region) {
    ModelBuilder builder;
    const auto a = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto b = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    const auto activation = builder.addScalar(std::int32_t{0});
    const auto out = builder.addTensor(OperandType::TENSOR_FLOAT32, {4});
    builder.addOperation(OperationType::ADD, {a, b, activation}, {out});
    Model model = std::move(*builder.build({a, b}, {out}));
    model.main.inputIndexes.pop_back();
    model.main.operands[b].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    model.main.operands[b].location = {.poolIndex = 0, .offset = 16, .length = 16};
    model.pools = {region};
    return model;
}

TEST_P(ForeignMemoryTest, holdsConstantsOfModels) {
    ForeignMemory memory(64);
    memory.write(16, {1, 2, 3, 4});
    use(makeModelWithConstant(memory.region));
    memory.resize(0);  // they are not needed any more
    AddRequest add;
    add.request.inputs.pop_back();
    const Result<> result = execute(add.request);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(add.out()[3], 3.0F + 4.0F);
}

/// A file that is neither in memory nor on a local disk, of 64 bytes at least. Null without sysfs.
SharedRegion openFileOfSysfs() {
    UniqueFd file(::open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC));
    auto region = file ? Region::receive(std::move(file), 64) : Result<SharedRegion>(nullptr);
    return region ? *region : nullptr;
}

// A file on overlayfs over FUSE once blocked threads of a driver for ever.
TEST_P(ForeignMemoryTest, ofAFileSystemThatIsNotLocalIsRefusedByDrivers) {
    use(makeAddModel());
    AddRequest add;
    add.request.pools.emplace_back(openFileOfSysfs());
    if (std::get<SharedRegion>(add.request.pools[1]) == nullptr) {
        GTEST_SKIP() << "/sys/kernel/notes cannot be read here";
    }
    add.request.inputs[0].location = {.poolIndex = 1, .offset = 0, .length = 16};
    const Result<> result = execute(add.request);
    if (std::get<Kind>(GetParam()) == Kind::LOCAL) {
        EXPECT_TRUE(result) << result.error().message;
        return;
    }
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT) << result.error().message;
    expectService();
}

TEST_P(ForeignMemoryTest, holdsConstantsOfModelsOnEveryFileSystem) {
    const SharedRegion file = openFileOfSysfs();
    if (file == nullptr) {
        GTEST_SKIP() << "/sys/kernel/notes cannot be read here";
    }
    std::vector<float> constants(16);
    ASSERT_TRUE(file->read(0, std::as_writable_bytes(std::span(constants))));
    const ForeignMemory copy(64);
    copy.write(0, constants);
    std::vector<std::array<std::byte, 16>> results;
    for (const SharedRegion& region : {file, copy.region}) {
        use(makeModelWithConstant(region));
        AddRequest add;
        add.request.inputs.pop_back();
        const Result<> result = execute(add.request);
        ASSERT_TRUE(result) << result.error().message;
        std::memcpy(results.emplace_back().data(), add.out(), 16);
    }
    EXPECT_EQ(results[0], results[1]);
}

TEST_P(ForeignMemoryTest, ofAModelThatIsCutIsRefused) {
    const ForeignMemory memory(64);
    const Model model = makeModelWithConstant(memory.region);
    memory.resize(20);
    const auto result = prepareModel(*device, model);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::INVALID_ARGUMENT) << result.error().message;
}

TEST_P(ForeignMemoryTest, fillsBuffersAndIsFilledByThem) {
    use(makeAddModel());
    const BufferRole role{.modelIndex = 0, .ioIndex = 0, .frequency = 1.0F};
    const auto buffer = device->allocate({}, std::array{prepared}, std::array{role}, {});
    ASSERT_TRUE(buffer);
    const ForeignMemory source(16);
    source.write(0, {1, 2, 3, 4});
    ASSERT_TRUE(buffer->buffer->copyFrom(source.region, {}));
    const ForeignMemory destination(16);
    ASSERT_TRUE(buffer->buffer->copyTo(destination.region));
    EXPECT_EQ(destination.read(0, 4), (std::vector<float>{1, 2, 3, 4}));
}

NNBURST_INSTANTIATE_FOR_ALL_EXECUTIONS(ForeignMemoryTest);

}  // namespace
}  // namespace nnburst::test
