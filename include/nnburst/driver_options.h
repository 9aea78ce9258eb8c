// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a driver, or a device in this process, is set up.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nnburst/export.h"
#include "nnburst/hal_version.h"
#include "nnburst/logging.h"

namespace nnburst {

/// Which operations a device supports: all, or fewer for tests of applications and frameworks.
enum class DriverVariant : std::uint8_t {
    FULL,     ///< supports all operations
    FLOAT,    ///< operations whose first input is TENSOR_FLOAT32
    QUANT,    ///< operations whose first input is TENSOR_QUANT8_ASYMM or ..._SIGNED
    MINIMAL,  ///< ADD, CONCATENATION, CONV_2D and DEPTHWISE_CONV_2D
};

/// "full", "float", "quant" or "minimal".
[[nodiscard]] NNBURST_EXPORT const char* toString(DriverVariant variant) noexcept;

/// Options of a driver process (spawnDriver) or of a device in this process (makeLocalDevice).
/// Where the system does not grant realtimePriority, lockMemory, useHugePages or cpuLatencyLimit,
/// the driver logs a warning and goes on without it. Any other option that cannot be followed is an
/// error.
struct DriverOptions {  // NOLINT(clang-analyzer-optin.performance.Padding): by subject
    static constexpr std::uint32_t kMaximumThreads = 64;

    /// Threads that share the work of one operation, the executing one included, at most
    /// kMaximumThreads. 1 is the fastest for small models and makes no system calls. 0: each model
    /// is measured when it is prepared, which takes about a second, and gets more than one thread
    /// if that makes answers come sooner.
    std::uint32_t threads = 1;
    /// Processors on which the driver may run; empty for those of the application's main thread.
    std::vector<std::uint32_t> processors;
    /// Name of the driver process in ps and top, at most 15 characters; empty: nnburst-driver.
    std::string processName;
    /// Lowest level that a driver process logs, to the standard error that it inherits from the
    /// application. A device in this process follows setLogLevel.
    LogLevel logLevel = LogLevel::INFO;
    /// Limit on the private memory of the driver process, stacks of threads included (RLIMIT_DATA);
    /// 0: no limit. A call that needs more fails with RESOURCE_EXHAUSTED_TRANSIENT. Memory that
    /// clients share with the driver does not count.
    std::uint64_t memoryLimitBytes = 0;
    /// Limit on the additional memory of one model for executions that run at the same time, each
    /// on a processor: plans, temporaries and operators for each execution beyond the first;
    /// weights are shared. It is allocated when several bursts or executions use the model at a
    /// time; temporaries are released after `idleTime`. 0: executions of one model run one after
    /// the other.
    std::uint64_t concurrencyMemoryBytes = std::uint64_t{256} << 20;
    /// Whether XNNPACK runs the operations for which it has an operator; false: reference kernels
    /// only.
    bool useXnnpack = true;
    /// Whether kernels of this library run operations on 8-bit tensors, if the processor has
    /// dot-product instructions; false: XNNPACK runs them, with the same results. Ignored if
    /// useXnnpack is false.
    bool useDotProducts = true;
    /// File of the secret key that authenticates compilation caches. A driver process creates it
    /// when it starts, a device in this process when it is first needed. Empty:
    /// $XDG_STATE_HOME/nnburst/cache.key, or ~/.local/state/nnburst/cache.key; without either
    /// nothing is cached.
    std::string cacheKeyFile;
    /// The device acts as one of this version: it refuses what the version does not support and
    /// follows its rules (docs/hal.md).
    HalVersion version = kLatestHalVersion;
    DriverVariant variant = DriverVariant::FULL;
    /// File of the capabilities that the device reports, as `nnburst-driver --calibrate` writes it.
    /// Empty: a driver process reports those that were measured on this machine, if there are any
    /// (docs/driver.md), and a device in this process reports 1.0 everywhere.
    std::string capabilitiesFile;
    /// A model that was not executed for this long returns the memory of its temporaries to the
    /// system, until its next execution; 0: never.
    std::chrono::milliseconds idleTime{10'000};
    /// Shared libraries of vendor extensions (extension.h) to load. They are trusted.
    std::vector<std::string> extensionLibraries;
    /// Whether to register the extension org.nnburst.tflite, whose operations imported TFLite files
    /// may use (docs/tflite.md).
    bool useTfliteOperations = true;
    /// SCHED_FIFO priority (1 to 99) of the threads that serve bursts and of kernel threads; 0: as
    /// other threads. Those of a driver process have the policy and the nice value of the
    /// application's main thread, but no real-time policy. Those of a device in this process
    /// inherit policy, nice value and processors from the thread that makes the device.
    std::uint32_t realtimePriority = 0;
    /// Locks the driver's memory (mlockall): its code and the pages that it has touched stay in
    /// memory.
    bool lockMemory = false;
    /// Packed weights and temporaries of 2 MiB and more lie on huge pages. Holds for the whole
    /// process from then on.
    bool useHugePages = false;
    /// While the device lives, processors stay out of idle states that take longer than this to
    /// wake up from: see cpu_latency_request.h.
    std::optional<std::chrono::microseconds> cpuLatencyLimit;
};

}  // namespace nnburst
