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

/// What a device pretends to be unable to do, for tests of applications and frameworks.
enum class DriverVariant : std::uint8_t {
    FULL,     ///< supports all operations
    FLOAT,    ///< operations whose first input is TENSOR_FLOAT32
    QUANT,    ///< operations whose first input is TENSOR_QUANT8_ASYMM or its signed sibling
    MINIMAL,  ///< ADD, CONCATENATION, CONV_2D and DEPTHWISE_CONV_2D
};

/// "full", "float", "quant" or "minimal".
[[nodiscard]] NNBURST_EXPORT const char* toString(DriverVariant variant) noexcept;

/// How many threads kernels use, and where; what kind of driver it is; and what it asks the system
/// for. What the system does not grant is a warning in the log, and the driver goes on without it.
struct DriverOptions {  // NOLINT(clang-analyzer-optin.performance.Padding): by subject
    static constexpr std::uint32_t kMaximumThreads = 64;

    /// Threads that share the work of one operation, the executing one included, at most
    /// kMaximumThreads. 1 is the fastest for small models and makes no system calls. 0: each model
    /// is measured when it is prepared, which takes about a second, and has more than one thread if
    /// answers then come sooner.
    std::uint32_t threads = 1;
    /// Processors on which the driver may run; empty for all.
    std::vector<std::uint32_t> processors;
    /// Name of the driver process in ps and top, at most 15 characters; empty: nnburst-driver.
    std::string processName;
    /// What a driver process logs, to the standard error that it has from the application. A device
    /// in this process follows setLogLevel.
    LogLevel logLevel = LogLevel::INFO;
    /// Private memory that the driver process may have, stacks of threads included (RLIMIT_DATA);
    /// 0: no limit. What needs more fails with RESOURCE_EXHAUSTED_TRANSIENT. Memory that clients
    /// share with it does not count.
    std::uint64_t memoryLimitBytes = 0;
    /// Memory that one model may take so that several of its executions run at a time, each on a
    /// processor: temporaries and operators for each beyond the first. They share the weights. It
    /// is made when several bursts or executions use the model at a time, and temporaries are given
    /// back as `idleTime` says. 0: executions of one model follow each other.
    std::uint64_t concurrencyMemoryBytes = std::uint64_t{256} << 20;
    /// Operations run by XNNPACK where it has the operator; false: reference kernels alone.
    bool useXnnpack = true;
    /// Operations on 8-bit tensors run by kernels of this library where it has one and the
    /// processor has instructions for dot products; false: XNNPACK alone, which gives the same
    /// results. Without XNNPACK false is meant.
    bool useDotProducts = true;
    /// The file of the secret by which compilation caches are known to be a driver's own. It is
    /// made when it is needed first. Empty: $XDG_STATE_HOME/nnburst/cache.key, or
    /// ~/.local/state/nnburst/cache.key; without either nothing is cached.
    std::string cacheKeyFile;
    /// The device acts as one of this version: it refuses what the version does not know and
    /// follows its rules (docs/hal.md).
    HalVersion version = kLatestHalVersion;
    DriverVariant variant = DriverVariant::FULL;
    /// What `nnburst-driver --calibrate` has written: the capabilities that the device reports.
    /// Empty: a driver process reports those that were measured on this machine, if there are any
    /// (docs/driver.md), and a device in this process 1.0 everywhere.
    std::string capabilitiesFile;
    /// A model that is not executed for so long gives the memory of its temporaries back to the
    /// system, until the next execution; 0: never.
    std::chrono::milliseconds idleTime{10'000};
    /// Shared libraries of vendor extensions (extension.h) to load. They are trusted.
    std::vector<std::string> extensionLibraries;
    /// The extension org.nnburst.tflite, whose operations imported TFLite files may use
    /// (docs/tflite.md). False: a device does not make it known to its process.
    bool useTfliteOperations = true;
    /// SCHED_FIFO priority (1 to 99) of the threads that serve bursts; 0: as other threads.
    std::uint32_t realtimePriority = 0;
    /// The driver's memory is not given to others: its code, and pages that it has touched, stay.
    bool lockMemory = false;
    /// Packed weights and temporaries lie on huge pages where they fill some. Holds for the whole
    /// process from then on.
    bool useHugePages = false;
    /// While the device lives, processors stay out of idle states that take longer than this to
    /// wake up from: see cpu_latency_request.h.
    std::optional<std::chrono::microseconds> cpuLatencyLimit;
};

}  // namespace nnburst
