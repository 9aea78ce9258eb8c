// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "failing_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "device/driver_process.h"
#include "nnburst/unique_fd.h"
#include "support/sanitizers.h"

namespace nnburst::test {
namespace {

/// A driver, and the allocations in it that fail.
class FailingMemoryTest : public testing::Test {
  protected:
    void SetUp() override {
        if (kHasSanitizer) {
            GTEST_SKIP() << "sanitizers have an allocator of their own";
        }
        const std::string path = directory_.path() / "failing-memory";
        const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        EXPECT_EQ(::ftruncate(file.get(), sizeof(FailingMemory)), 0);
        memory_ = static_cast<FailingMemory*>(::mmap(
            nullptr, sizeof(FailingMemory), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
        ::setenv("NNBURST_FAILING_MEMORY", path.c_str(), 1);
        ::setenv("LD_PRELOAD", NNBURST_FAILING_MEMORY_PATH, 1);
        driver_ = std::make_unique<DriverProcess>();
        ::unsetenv("LD_PRELOAD");
        ::unsetenv("NNBURST_FAILING_MEMORY");
    }
    void TearDown() override {
        if (memory_ != nullptr) {
            ::munmap(memory_, sizeof(FailingMemory));
        }
    }

    /// From now on, after `until` attempts `count` fail.
    void failAfter(std::int64_t until, std::int64_t count) {
        memory_->until.store(until, std::memory_order_relaxed);
        memory_->count.store(count, std::memory_order_relaxed);
    }

    /// Connects, prepares a model and executes it.
    [[nodiscard]] Result<> use() const {
        NNBURST_TRY_ASSIGN(const SharedDevice device, nnburst::connect(driver_->socketPath()));
        NNBURST_TRY_ASSIGN(const SharedPreparedModel prepared,
                           prepareModel(*device, makeAddModel()));
        AddRequest add;
        ExecutionOutcome outcome;
        NNBURST_TRY(prepared->executeSynchronously(add.request, {}, outcome));
        NNBURST_TRY_ASSIGN(const auto burst, prepared->configureExecutionBurst({}));
        return burst->execute(add.request, {}, outcome);
    }

    void expectService() {
        failAfter(0, 0);
        const Result<> used = use();
        EXPECT_TRUE(used) << used.error().message;
    }

    [[nodiscard]] std::int64_t failures() const {
        return memory_->failed.load(std::memory_order_relaxed);
    }

    TemporaryDirectory directory_;
    FailingMemory* memory_ = nullptr;
    std::unique_ptr<DriverProcess> driver_;
};

TEST_F(FailingMemoryTest, oneFailedAllocationEndsNoDriver) {
    constexpr std::int64_t kAllocations = 1500;
    constexpr std::int64_t kStep = 23;
    for (std::int64_t i = 0; i < kAllocations && !HasFailure(); i += kStep) {
        SCOPED_TRACE(i);
        failAfter(i, 1);
        (void)use();  // may fail
        expectService();
    }
    EXPECT_NE(failures(), 0) << "operator new of the driver is not that of the test";
}

TEST_F(FailingMemoryTest, clientsAreAcceptedAfterOneForWhichThereWasNoMemory) {
    constexpr std::int64_t kAllocationsOfAdmission = 8;
    std::vector<SharedDevice> served;  // kept: the end of a client allocates, too
    for (std::int64_t i = 0; i < kAllocationsOfAdmission; ++i) {
        SCOPED_TRACE(i);
        failAfter(i, 2);  // also with the reserve
        if (const auto first = nnburst::connect(driver_->socketPath())) {
            served.push_back(*first);
        }
        failAfter(0, 0);
        const auto next = nnburst::connect(driver_->socketPath());
        ASSERT_TRUE(next) << next.error().message;
        served.push_back(*next);
    }
    EXPECT_NE(failures(), 0) << "operator new of the driver is not that of the test";
}

}  // namespace
}  // namespace nnburst::test
