// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The file that a profiled process writes and a profiler reads while both have it mapped
/// (docs/tracing.md). The process writes everything but `isRecording`.
///
///     ProfileHeader | kProfiledSteps x ProfiledStep | kStepRecords x StepRecord

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nnburst::exec {

inline constexpr std::uint64_t kProfileMagic = 0x656C'6966'6F72'506EU;  // "nProfile"
inline constexpr std::uint32_t kProfileVersion = 2;
/// Steps that a process can describe: some hundred plans of a large network.
inline constexpr std::uint32_t kProfiledSteps = 16'384;
/// Runs of steps that it can record: some thousand runs of a large network. The file has room for
/// them from the beginning; pages that were never written take no memory.
inline constexpr std::uint32_t kStepRecords = 524'288;
/// What StepRecord::step names instead of a step: a whole execution, its wait for a processor
/// included.
inline constexpr std::uint32_t kWholeExecution = UINT32_MAX;

struct ProfileHeader {
    std::atomic<std::uint64_t> magic;  ///< stored last
    std::uint32_t version;
    std::uint32_t process;
    std::atomic<std::uint32_t> isRecording;  ///< the profiler stores 1 or 0
    std::atomic<std::uint32_t> stepCount;    ///< may exceed kProfiledSteps: the rest is lost
    std::atomic<std::uint64_t> recordCount;  ///< may exceed kStepRecords: the rest is lost
    std::byte reserved[32];                  ///< zero
};
static_assert(sizeof(ProfileHeader) == 64);

/// The library that computes a step.
enum class KernelLibrary : std::uint32_t { REFERENCE = 0, XNNPACK = 1, OWN = 2, COPY = 3 };

/// A step of a plan, or an operation that is interpreted.
struct ProfiledStep {
    std::atomic<std::uint32_t> isDescribed;  ///< 1: the rest is complete
    std::uint32_t operation;                 ///< index in its graph
    std::int32_t type;                       ///< OperationType
    KernelLibrary library;
    std::uint64_t inputBytes;       ///< of inputs that are no constants
    std::uint64_t constantBytes;    ///< of constant inputs, as the model has them
    std::uint64_t outputBytes;      ///<
    std::uint64_t arithmeticCount;  ///< additions and multiplications of a run; 0: not known
    char kernel[16];                ///< such as the instruction set; ends with a zero
    char name[40];                  ///< of an operation of an extension, ends with a zero; else ""
};
static_assert(sizeof(ProfiledStep) == 104);

/// One run of a step. The process that wrote it has published it with `recordCount` of the header,
/// but other threads may still be writing earlier ones: `endNs` is stored last.
struct StepRecord {
    std::uint32_t step;                ///< index of a ProfiledStep, or kWholeExecution
    std::uint32_t thread;              ///< the system's number
    std::uint64_t beginNs;             ///< CLOCK_MONOTONIC
    std::atomic<std::uint64_t> endNs;  ///< 0: not complete
};
static_assert(sizeof(StepRecord) == 24);

inline constexpr std::size_t kProfileBytes = sizeof(ProfileHeader) +
                                             std::size_t{kProfiledSteps} * sizeof(ProfiledStep) +
                                             std::size_t{kStepRecords} * sizeof(StepRecord);

}  // namespace nnburst::exec
