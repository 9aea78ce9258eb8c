// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst_run/profile_reader.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "model/invalid.h"
#include "nnburst/type_queries.h"
#include "nnburst/unique_fd.h"
#include "support/processor_time.h"

namespace nnburst::run {

namespace fs = std::filesystem;
using exec::kProfileBytes;
using exec::kProfiledSteps;
using exec::kStepRecords;
using exec::ProfiledStep;
using exec::ProfileHeader;
using exec::StepRecord;

std::string operationText(const DescribedStep& step) {
    constexpr std::uint32_t kNumber = (1U << kExtensionTypeBits) - 1;
    if (!isExtension(step.type)) {
        return toString(step.type);
    }
    return step.name.empty() ? fmt::format("extension operation {}",
                                           static_cast<std::uint32_t>(step.type) & kNumber)
                             : step.name;
}

namespace {

constexpr const char* kVariable = "NNBURST_PROFILE";

tl::unexpected<Error> systemFailure(const std::string& what) {
    return failure(ErrorStatus::GENERAL_FAILURE, fmt::format("{}: {}", what, std::strerror(errno)));
}

DescribedStep copyOf(const ProfiledStep& step) {
    const auto textOf = [](const auto& text) {
        return std::string(std::begin(text), std::find(std::begin(text), std::end(text), '\0'));
    };
    return {.operation = step.operation,
            .type = static_cast<OperationType>(step.type),
            .name = textOf(step.name),
            .library = step.library,
            .kernel = textOf(step.kernel),
            .inputBytes = step.inputBytes,
            .constantBytes = step.constantBytes,
            .outputBytes = step.outputBytes,
            .arithmeticCount = step.arithmeticCount};
}

}  // namespace

Result<ProfileReader> ProfileReader::create() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error) {
        const char* const named = std::getenv("TMPDIR");
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot make a directory for the profile in '{}' (TMPDIR): {}",
                                   named != nullptr ? named : "/tmp", error.message()));
    }
    std::string name = (folder / "nnburst-run-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        return systemFailure(
            fmt::format("cannot make the directory {} for the profile (TMPDIR says where)", name));
    }
    if (::setenv(kVariable, (name + "/profile").c_str(), 1) != 0) {
        return systemFailure(fmt::format("cannot set {}", kVariable));
    }
    return ProfileReader(std::move(name));
}

ProfileReader::ProfileReader(ProfileReader&& other) noexcept
    : directory_(std::exchange(other.directory_, {})),
      mapping_(std::exchange(other.mapping_, nullptr)) {}

ProfileReader::~ProfileReader() {
    if (mapping_ != nullptr) {
        ::munmap(mapping_, kProfileBytes);
    }
    removeDirectory();
}

void ProfileReader::removeDirectory() noexcept {
    if (!directory_.empty()) {
        std::error_code ignored;
        fs::remove_all(directory_, ignored);
        directory_.clear();
    }
}

Result<> ProfileReader::attach() {
    // A driver that measures its capabilities first does that in a process of its own.
    std::string path = fmt::format("{}/profile.{}", directory_, ::getpid());
    for (const pid_t child : tools::childProcesses()) {
        const std::string ofChild = fmt::format("{}/profile.{}", directory_, child);
        path = fs::exists(ofChild) ? ofChild : path;
    }
    if (!fs::exists(path)) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       "the device has no profile: only a device that nnburst-run opens with "
                       "--device local or spawn has one");
    }
    const UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0) {
        return systemFailure(fmt::format("cannot open the profile {}", path));
    }
    if (static_cast<std::size_t>(status.st_size) != kProfileBytes) {
        return invalid("the profile {} has {} bytes: must be {}", path, status.st_size,
                       kProfileBytes);
    }
    void* mapping =
        ::mmap(nullptr, kProfileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (mapping == MAP_FAILED) {
        return systemFailure(fmt::format("cannot map the profile {}", path));
    }
    mapping_ = static_cast<std::byte*>(mapping);
    const auto& header = *reinterpret_cast<const ProfileHeader*>(mapping_);
    // sync [profile-made]: version and process are complete.
    if (header.magic.load(std::memory_order_acquire) != exec::kProfileMagic ||
        header.version != exec::kProfileVersion) {
        return invalid("the profile {} has version {}: must be {}", path, header.version,
                       exec::kProfileVersion);
    }
    // Both sides have mapped the file. Nothing is left behind if this process is killed.
    removeDirectory();
    return {};
}

void ProfileReader::setRecording(bool isRecording) noexcept {
    // Relaxed: a switch that nothing else depends on.
    reinterpret_cast<ProfileHeader*>(mapping_)->isRecording.store(isRecording ? 1 : 0,
                                                                  std::memory_order_relaxed);
}

Result<RecordedProfile> ProfileReader::read() const {
    const auto& header = *reinterpret_cast<const ProfileHeader*>(mapping_);
    const auto* steps = reinterpret_cast<const ProfiledStep*>(mapping_ + sizeof(ProfileHeader));
    const auto* records = reinterpret_cast<const StepRecord*>(steps + kProfiledSteps);
    RecordedProfile profile{.process = header.process};
    // Relaxed: each step and record says itself whether it is complete.
    const std::uint32_t stepCount =
        std::min(header.stepCount.load(std::memory_order_relaxed), kProfiledSteps);
    const std::uint64_t recordCount = header.recordCount.load(std::memory_order_relaxed);
    for (std::uint32_t index = 0; index < stepCount; ++index) {
        // sync [step-described]: the step is complete.
        const bool isDescribed = steps[index].isDescribed.load(std::memory_order_acquire) != 0;
        profile.steps.push_back(isDescribed ? copyOf(steps[index]) : DescribedStep());
    }
    for (std::uint64_t index = 0; index < std::min<std::uint64_t>(recordCount, kStepRecords);
         ++index) {
        // sync [step-recorded]: the record is complete.
        const std::uint64_t end = records[index].endNs.load(std::memory_order_acquire);
        const StepRun run{.step = records[index].step,
                          .thread = records[index].thread,
                          .beginNs = records[index].beginNs,
                          .endNs = end};
        if (end == 0) {
            continue;
        }
        if ((run.step >= stepCount && run.step != exec::kWholeExecution) || run.beginNs > end) {
            return invalid("record {} of the profile: step {} of {}, from {} to {} ns", index,
                           run.step, stepCount, run.beginNs, end);
        }
        profile.runs.push_back(run);
    }
    profile.lostCount = recordCount > kStepRecords ? recordCount - kStepRecords : 0;
    return profile;
}

const char* toString(exec::KernelLibrary library) noexcept {
    switch (library) {
        case exec::KernelLibrary::REFERENCE:
            return "reference kernels";
        case exec::KernelLibrary::XNNPACK:
            return "XNNPACK";
        case exec::KernelLibrary::OWN:
            return "own kernels";
        case exec::KernelLibrary::COPY:
            return "copies";
    }
    return "unknown kernels";
}

}  // namespace nnburst::run
