// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Records when each step of each plan runs, for a profiler in this or another process. A process
/// has a profile only if its environment names a file for it; otherwise plans do not record
/// anything.

#include <cstdint>
#include <memory>
#include <string>

#include "exec/operation/operation.h"
#include "exec/operation/step.h"
#include "exec/plan/profile_layout.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// The environment variable. Its value, a dot and the number of the process are the file's path.
inline constexpr const char* kProfileVariable = "NNBURST_PROFILE";

/// Thread-safe. Neither allocates nor makes system calls after `create`, but one for the first
/// record of each thread.
class Profile {
  public:
    /// Makes the file at `path`, which must not exist. GENERAL_FAILURE says why it cannot be.
    [[nodiscard]] static Result<std::unique_ptr<Profile>> create(const std::string& path);

    /// The profile that the environment asks for, made by the first call and kept as long as the
    /// process lives; null if it asks for none. A file that cannot be made is a warning in the log.
    [[nodiscard]] static Profile* ofProcess();

    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;
    ~Profile();

    /// Whether a profiler has asked for records.
    [[nodiscard]] bool isRecording() const noexcept {
        // Relaxed: a switch that nothing else depends on.
        return header_->isRecording.load(std::memory_order_relaxed) != 0;
    }

    /// Describes a step whose shapes are known. Gives its number for `record`.
    std::uint32_t describe(std::uint32_t index, const OperationView& operation,
                           KernelLibrary library, const char* kernel) noexcept;

    /// Records a run of the step `step`, or of a whole execution.
    void record(std::uint32_t step, TimePoint begin, TimePoint end) noexcept;

  private:
    explicit Profile(void* mapping) noexcept;

    ProfileHeader* header_;
    ProfiledStep* steps_;
    StepRecord* records_;
};

/// Additions and multiplications of one run, for operations that are mostly products of matrices;
/// 0 for others.
[[nodiscard]] std::uint64_t arithmeticCount(const OperationView& operation) noexcept;

/// `step`, which records its runs in `profile` under the number `number`. `profile` outlives it.
[[nodiscard]] std::unique_ptr<Step> makeProfiledStep(std::unique_ptr<Step> step, Profile& profile,
                                                     std::uint32_t number);

}  // namespace nnburst::exec
