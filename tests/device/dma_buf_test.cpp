// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Memory of devices (dma-bufs) in requests: used in place, with begin and end of each access.
/// /dev/udmabuf is not on every machine, so memfds stand in for them.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "device/devices.h"
#include "fake_dma_buf.h"
#include "support/sanitizers.h"

namespace nnburst::test {
namespace {

/// A buffer of a camera, say: a descriptor that is not sealed.
class DeviceBuffer {
  public:
    explicit DeviceBuffer(std::size_t sizeBytes)
        : fd_(::memfd_create(kFakeDmaBufName, MFD_CLOEXEC)) {
        EXPECT_EQ(::ftruncate(fd_.get(), static_cast<off_t>(sizeBytes)), 0);
        auto received = Region::receive(std::move(*UniqueFd::duplicate(fd_.get())), sizeBytes);
        EXPECT_TRUE(received) << received.error().message;
        region = *received;
        values = static_cast<float*>(
            ::mmap(nullptr, sizeBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0));
        sizeBytes_ = sizeBytes;
    }
    ~DeviceBuffer() { ::munmap(values, sizeBytes_); }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    [[nodiscard]] const UniqueFd& fd() const noexcept { return fd_; }

    SharedRegion region;
    float* values = nullptr;

  private:
    UniqueFd fd_;
    std::size_t sizeBytes_ = 0;
};

/// A request for makeAddModel: four floats at 0 and at 16, their sums at 32.
Request addRequest(const SharedRegion& region) {
    const auto at = [](std::uint32_t offset) {
        return RequestArgument{.hasNoValue = false,
                               .location = {.poolIndex = 0, .offset = offset, .length = 16}};
    };
    return {.inputs = {at(0), at(16)}, .outputs = {at(32)}, .pools = {region}};
}

bool isMapped(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
    const std::string maps(std::istreambuf_iterator<char>(file), {});
    return maps.find(kFakeDmaBufName) != std::string::npos;
}

class DmaBufTest : public testing::Test {
  protected:
    ~DmaBufTest() override {
        fakeDmaBufs().areInUse = false;
        fakeDmaBufs().refuse = false;
        ::unsetenv("LD_PRELOAD");
    }
    /// Executes in each way, with other values each time.
    void expectRightResults(Device& device, const DeviceBuffer& buffer) {
        const SharedPreparedModel prepared = *prepareModel(device, makeAddModel());
        const auto burst = std::move(*prepared->configureExecutionBurst({}));
        const Request request = addRequest(buffer.region);
        const auto reusable = std::move(*burst->createReusableExecution(request, {}));
        ExecutionOutcome outcome;
        float value = 0;
        const auto expectRight = [&](const auto& execute) {
            for (int i = 0; i < 3; ++i) {
                buffer.values[0] = ++value;
                buffer.values[4] = 100.0F;
                const Result<> result = execute();
                ASSERT_TRUE(result) << result.error().message;
                ASSERT_EQ(buffer.values[8], value + 100.0F);
            }
        };
        expectRight([&] { return prepared->executeSynchronously(request, {}, outcome); });
        expectRight([&] { return burst->execute(request, {}, outcome); });
        expectRight([&] { return reusable->compute({}, outcome); });
    }
};

TEST_F(DmaBufTest, isUsedInPlaceWithBeginAndEndOfEachAccess) {
    const DeviceBuffer buffer(4096);
    EXPECT_FALSE(buffer.region->isForeign());
    const SharedDevice device = *makeLocalDevice();
    const int begun = fakeDmaBufs().begun;
    const int ended = fakeDmaBufs().ended;
    expectRightResults(*device, buffer);
    EXPECT_EQ(fakeDmaBufs().begun - begun, 9);
    EXPECT_EQ(fakeDmaBufs().ended - ended, 9);
}

TEST_F(DmaBufTest, isUsedInPlaceByADriver) {
    if (kHasSanitizer) {
        GTEST_SKIP() << "sanitizers want to be the first library of a process";
    }
    const DeviceBuffer buffer(4096);
    ::setenv("LD_PRELOAD", NNBURST_FAKE_DMA_BUF_PATH, 1);
    const DriverProcess driver({"--no-sandbox"});  // fake_dma_buf.cpp reads links
    ::unsetenv("LD_PRELOAD");
    const SharedDevice device = driver.connect();
    expectRightResults(*device, buffer);
    const SharedPreparedModel prepared = *prepareModel(*device, makeAddModel());
    const auto burst = std::move(*prepared->configureExecutionBurst({}));
    ExecutionOutcome outcome;
    ASSERT_TRUE(burst->execute(addRequest(buffer.region), {}, outcome));
    EXPECT_TRUE(isMapped(driver.pid()));
}

TEST_F(DmaBufTest, thatADeviceUsesForTooLongIsRefused) {
    const DeviceBuffer buffer(4096);
    const SharedPreparedModel prepared = *prepareModel(**makeLocalDevice(), makeAddModel());
    ExecutionOutcome outcome;
    fakeDmaBufs().areInUse = true;
    const Result<> refused = prepared->executeSynchronously(addRequest(buffer.region), {}, outcome);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
    fakeDmaBufs().areInUse = false;
    EXPECT_TRUE(prepared->executeSynchronously(addRequest(buffer.region), {}, outcome));
}

TEST_F(DmaBufTest, isNotAwaitedBeyondTheDeadline) {
    const DeviceBuffer buffer(4096);
    const SharedPreparedModel prepared = *prepareModel(**makeLocalDevice(), makeAddModel());
    ExecutionOutcome outcome;
    fakeDmaBufs().areInUse = true;
    const TimePoint deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(900);
    const Result<> missed =
        prepared->executeSynchronously(addRequest(buffer.region), {.deadline = deadline}, outcome);
    ASSERT_FALSE(missed);
    EXPECT_EQ(missed.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
    EXPECT_NE(missed.error().message.find("device"), std::string::npos) << missed.error().message;
}

TEST_F(DmaBufTest, whoseAccessTheSystemRefusesFailsTheRequest) {
    const DeviceBuffer buffer(4096);
    const SharedPreparedModel prepared = *prepareModel(**makeLocalDevice(), makeAddModel());
    ExecutionOutcome outcome;
    fakeDmaBufs().refuse = true;
    const Result<> refused = prepared->executeSynchronously(addRequest(buffer.region), {}, outcome);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("device buffer"), std::string::npos)
        << refused.error().message;
}

TEST_F(DmaBufTest, mayHoldTheConstantsOfAModel) {
    const DeviceBuffer buffer(8192);
    std::fill_n(buffer.values + 1500, 4, 5.0F);  // not at the start of a page
    Model model = makeAddModel();
    Operand& b = model.main.operands[model.main.inputIndexes[1]];
    b.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    b.location = {.poolIndex = 0, .offset = 6000, .length = 16};
    model.main.inputIndexes.pop_back();
    model.pools = {buffer.region};
    const auto prepared = prepareModel(**makeLocalDevice(), model);
    ASSERT_TRUE(prepared) << prepared.error().message;
    AddRequest add;
    add.request.inputs.pop_back();
    ExecutionOutcome outcome;
    ASSERT_TRUE((*prepared)->executeSynchronously(add.request, {}, outcome));
    EXPECT_EQ(add.out()[3], 8.0F);
}

TEST_F(DmaBufTest, isReadAndWrittenAtAnyOffset) {
    const DeviceBuffer buffer(3 * 4096);
    const std::array<float, 2> written{1.5F, 2.5F};
    ASSERT_TRUE(buffer.region->write(4092, std::as_bytes(std::span(written))));
    EXPECT_EQ(buffer.values[1023], 1.5F);
    EXPECT_EQ(buffer.values[1024], 2.5F);
    std::array<float, 2> read{};
    ASSERT_TRUE(buffer.region->read(4092, std::as_writable_bytes(std::span(read))));
    EXPECT_EQ(read, written);
    EXPECT_FALSE(buffer.region->read(3 * 4096 - 4, std::as_writable_bytes(std::span(read))));
}

TEST_F(DmaBufTest, thatIsSmallerThanAnnouncedIsRefused) {
    const DeviceBuffer buffer(4096);
    EXPECT_FALSE(Region::receive(std::move(*UniqueFd::duplicate(buffer.fd().get())), 8192));
}

}  // namespace
}  // namespace nnburst::test
