// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Asks a device that this program starts for its profile, and reads it: which kernel runs each
/// operation, and when. The device writes into a file that both processes map (docs/tracing.md).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "exec/plan/profile_layout.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::run {

/// A step as the device has described it.
struct DescribedStep {
    std::uint32_t operation = 0;  ///< index in its graph
    OperationType type{};
    std::string name{};  ///< of an operation of an extension that has one
    exec::KernelLibrary library{};
    std::string kernel;
    std::uint64_t inputBytes = 0;  ///< of inputs that are no constants
    std::uint64_t constantBytes = 0;
    std::uint64_t outputBytes = 0;
    std::uint64_t arithmeticCount = 0;  ///< 0: not known
};

/// The name of an operation; "extension operation 81" if it is of an extension and has none.
[[nodiscard]] std::string operationText(const DescribedStep& step);

/// One run of a step, in nanoseconds of CLOCK_MONOTONIC.
struct StepRun {
    std::uint32_t step = 0;  ///< index of a described step, or exec::kWholeExecution
    std::uint32_t thread = 0;
    std::uint64_t beginNs = 0;
    std::uint64_t endNs = 0;
};

/// What a device has recorded.
struct RecordedProfile {
    std::uint32_t process = 0;
    std::vector<DescribedStep> steps;
    std::vector<StepRun> runs;    ///< in the order in which they ended
    std::uint64_t lostCount = 0;  ///< runs for which the file had no room
};

/// Owns the directory of the file, until the file is mapped. Not thread-safe.
class ProfileReader {
  public:
    /// Makes a directory and names it in the environment of this process, for devices that are
    /// opened from now on. Before this process has threads.
    [[nodiscard]] static Result<ProfileReader> create();

    ProfileReader(ProfileReader&& other) noexcept;
    ProfileReader& operator=(ProfileReader&&) = delete;
    ProfileReader(const ProfileReader&) = delete;
    ProfileReader& operator=(const ProfileReader&) = delete;
    ~ProfileReader();

    /// Maps the file of the device that has been opened since, once. GENERAL_FAILURE if it made
    /// none: it was not started by this program.
    [[nodiscard]] Result<> attach();

    /// Lets the device record, or stop it. Requires attach.
    void setRecording(bool isRecording) noexcept;

    /// What was recorded so far. INVALID_ARGUMENT if the file breaks a rule. Requires attach.
    [[nodiscard]] Result<RecordedProfile> read() const;

  private:
    explicit ProfileReader(std::string directory) noexcept : directory_(std::move(directory)) {}

    void removeDirectory() noexcept;

    std::string directory_;  ///< empty: removed, or moved from
    std::byte* mapping_ = nullptr;
};

/// "XNNPACK", "own kernels", "reference kernels" or "copies".
[[nodiscard]] const char* toString(exec::KernelLibrary library) noexcept;

}  // namespace nnburst::run
