// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/accelerated_model.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "exec/plan/profile.h"
#include "model_bursts.h"

namespace nnburst::exec {
namespace {

/// Copies its input to its output.
class AcceleratedCopy final : public AcceleratorModel {
  public:
    Result<> run(std::span<const std::span<const std::byte>> inputs,
                 std::span<const std::span<std::byte>> outputs,
                 const OptionalTimePoint& /*deadline*/) override {
        std::memcpy(outputs[0].data(), inputs[0].data(), outputs[0].size());
        return {};
    }
};

class CopyingAccelerator final : public Accelerator {
  public:
    std::string name() const override { return "copying"; }
    bool supports(const Model& /*model*/, const Operation& /*operation*/) const override {
        return true;
    }
    Result<std::unique_ptr<AcceleratorModel>> compile(
        const Model& /*model*/,
        std::span<const std::span<const std::byte>> /*constants*/) override {
        return std::make_unique<AcceleratedCopy>();
    }
};

/// The header of the profile in the file at `path`.
class ProfileFile {
  public:
    explicit ProfileFile(const std::string& path) {
        const UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        void* const mapping = ::mmap(nullptr, sizeof(ProfileHeader), PROT_READ | PROT_WRITE,
                                     MAP_SHARED, file.get(), 0);
        EXPECT_NE(mapping, MAP_FAILED);
        header = static_cast<ProfileHeader*>(mapping);
    }
    ~ProfileFile() { ::munmap(header, sizeof(ProfileHeader)); }
    ProfileFile(const ProfileFile&) = delete;
    ProfileFile& operator=(const ProfileFile&) = delete;

    ProfileHeader* header = nullptr;
};

TEST(AcceleratedModel, recordsItsExecutionsInTheProfile) {
    const std::string path = testing::TempDir() + "accelerated." + std::to_string(::getpid());
    const auto profile = Profile::create(path);
    ASSERT_TRUE(profile) << profile.error().message;
    const ProfileFile file(path);
    ::unlink(path.c_str());
    const auto model = compileFor(std::make_shared<CopyingAccelerator>(),
                                  engineWith(1, {.profile = profile->get()}), doubling({4}));
    ASSERT_TRUE(model) << model.error().message;
    TestBurst burst(*model, 1);
    ASSERT_TRUE(burst.run());
    EXPECT_EQ(file.header->recordCount.load(), 0U);
    file.header->isRecording = 1;
    ASSERT_TRUE(burst.run());
    EXPECT_EQ(file.header->recordCount.load(), 1U);
}

}  // namespace
}  // namespace nnburst::exec
