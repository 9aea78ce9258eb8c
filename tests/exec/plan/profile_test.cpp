// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/plan/profile.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace nnburst::exec {
namespace {

using namespace std::chrono_literals;

/// The contents of a profile's file.
struct ReadProfile {
    std::vector<char> bytes;

    [[nodiscard]] const ProfileHeader& header() const {
        return *reinterpret_cast<const ProfileHeader*>(bytes.data());
    }
    [[nodiscard]] const ProfiledStep& step(std::size_t index) const {
        return reinterpret_cast<const ProfiledStep*>(bytes.data() + sizeof(ProfileHeader))[index];
    }
    [[nodiscard]] const StepRecord& record(std::size_t index) const {
        return reinterpret_cast<const StepRecord*>(bytes.data() + sizeof(ProfileHeader) +
                                                   kProfiledSteps * sizeof(ProfiledStep))[index];
    }
};

class ProfileTest : public testing::Test {
  protected:
    ProfileTest() { std::remove(path_.c_str()); }
    ~ProfileTest() override { std::remove(path_.c_str()); }

    [[nodiscard]] ReadProfile read() const {
        std::ifstream stream(path_, std::ios::binary);
        return {{std::istreambuf_iterator<char>(stream), {}}};
    }

    const std::string path_ = testing::TempDir() + "profile_test." + std::to_string(::getpid());
    /// CONV_2D of 8x8x3 with 16 filters of 3x3x3.
    const std::vector<OperandView> inputs_{{.shape = {1, 8, 8, 3}},
                                           {.shape = {16, 3, 3, 3}, .isConstant = true}};
    const std::vector<OperandView> outputs_{{.shape = {1, 8, 8, 16}}};
    const OperationView convolution_{OperationType::CONV_2D, inputs_, outputs_};
};

TEST_F(ProfileTest, writesDescribedStepsAndTheirRunsIntoItsFile) {
    auto profile = Profile::create(path_);
    ASSERT_TRUE(profile) << profile.error().message;
    EXPECT_FALSE((*profile)->isRecording());
    const std::uint32_t step =
        (*profile)->describe(7, convolution_, KernelLibrary::XNNPACK, "XNNPACK");
    (*profile)->record(step, TimePoint(5us), TimePoint(8us));

    const ReadProfile file = read();
    ASSERT_EQ(file.bytes.size(), kProfileBytes);
    EXPECT_EQ(file.header().magic.load(), kProfileMagic);
    EXPECT_EQ(file.header().version, kProfileVersion);
    EXPECT_EQ(file.header().stepCount.load(), 1U);
    EXPECT_EQ(file.header().recordCount.load(), 1U);
    const ProfiledStep& described = file.step(step);
    EXPECT_EQ(described.isDescribed.load(), 1U);
    EXPECT_EQ(described.operation, 7U);
    EXPECT_EQ(described.type, static_cast<std::int32_t>(OperationType::CONV_2D));
    EXPECT_EQ(described.library, KernelLibrary::XNNPACK);
    EXPECT_EQ(described.inputBytes, 4U * 8 * 8 * 3);
    EXPECT_EQ(described.constantBytes, 4U * 16 * 3 * 3 * 3);
    EXPECT_EQ(described.outputBytes, 4U * 8 * 8 * 16);
    EXPECT_EQ(described.arithmeticCount, 2U * 8 * 8 * 16 * 3 * 3 * 3);
    EXPECT_STREQ(described.kernel, "XNNPACK");
    const StepRecord& record = file.record(0);
    EXPECT_EQ(record.step, step);
    EXPECT_EQ(record.beginNs, 5000U);
    EXPECT_EQ(record.endNs.load(), 8000U);
}

TEST_F(ProfileTest, refusesAFileThatExists) {
    std::ofstream(path_) << "contents";
    const auto profile = Profile::create(path_);
    ASSERT_FALSE(profile);
    EXPECT_EQ(profile.error().status, ErrorStatus::GENERAL_FAILURE);
    std::string contents;
    std::ifstream(path_) >> contents;
    EXPECT_EQ(contents, "contents");
}

TEST_F(ProfileTest, countsStepsAndRecordsBeyondItsRoomAndDropsThem) {
    auto profile = Profile::create(path_);
    ASSERT_TRUE(profile) << profile.error().message;
    for (std::uint32_t i = 0; i <= kProfiledSteps; ++i) {
        (void)(*profile)->describe(i, convolution_, KernelLibrary::OWN, "a name that is too long");
    }
    for (std::uint32_t i = 0; i <= kStepRecords; ++i) {
        (*profile)->record(0, TimePoint(1us), TimePoint(2us));
    }
    const ReadProfile file = read();
    ASSERT_EQ(file.bytes.size(), kProfileBytes);
    EXPECT_EQ(file.header().stepCount.load(), kProfiledSteps + 1);
    EXPECT_EQ(file.header().recordCount.load(), kStepRecords + 1);
    EXPECT_STREQ(file.step(0).kernel, "a name that is ");
}

/// Records after the objects of static storage duration that ofProcess made are destroyed.
[[noreturn]] void recordWhileExiting(const std::string& path) {
    static const std::string file = path + "." + std::to_string(::getpid());
    static Profile* profile = nullptr;
    (void)std::atexit([] {
        std::remove(file.c_str());
        profile->record(0, TimePoint(1us), TimePoint(2us));
    });
    ::setenv(kProfileVariable, path.c_str(), 1);
    profile = Profile::ofProcess();
    std::exit(0);
}

TEST_F(ProfileTest, ofTheProcessTakesRecordsWhileTheProcessExits) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has asked for none before
    EXPECT_EXIT(recordWhileExiting(path_), testing::ExitedWithCode(0), "");
}

TEST(ArithmeticCount, isZeroForOperationsThatMultiplyNoMatrices) {
    const std::vector<OperandView> operands{{.shape = {2, 3}}};
    EXPECT_EQ(arithmeticCount({OperationType::RELU, operands, operands}), 0U);
}

}  // namespace
}  // namespace nnburst::exec
