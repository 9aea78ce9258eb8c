// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Driver processes and models for the tests of the device room.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/memory.h"
#include "support/eventually.h"
#include "support/temporary_directory.h"

namespace nnburst::test {

/// Whether drivers of tests run in their sandbox. Those that count lines (tools/coverage) have to
/// write the counts to files.
#ifdef NNBURST_COVERAGE
inline constexpr bool kHasSandbox = false;
#else
inline constexpr bool kHasSandbox = true;
#endif

/// An nnburst-driver that listens on a socket in a directory of its own. Killed at the end.
class DriverProcess {
  public:
    /// Capabilities: 1.0 each, or those of the machine, which are measured in the background.
    enum class Calibration : std::uint8_t { NONE, MACHINE };

    /// Where the driver logs to: standard error of the test, or a file, with level info.
    enum class Log : std::uint8_t { INHERITED, FILE };

    explicit DriverProcess(std::vector<std::string> moreArguments = {},
                           Calibration calibration = Calibration::NONE, Log log = Log::INHERITED);
    ~DriverProcess();
    DriverProcess(const DriverProcess&) = delete;
    DriverProcess& operator=(const DriverProcess&) = delete;

    [[nodiscard]] std::string socketPath() const { return directory_.path() / "driver.sock"; }
    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] SharedDevice connect() const;
    /// What the driver has logged to its file.
    [[nodiscard]] std::string log() const;

    void signal(int number) const;
    /// Waits for the end; gives the exit status, or minus the number of the signal.
    [[nodiscard]] int waitForEnd();

  private:
    [[nodiscard]] bool endsSoon() const;
    [[nodiscard]] std::string logPath() const { return directory_.path() / "driver.log"; }

    TemporaryDirectory directory_;
    pid_t pid_ = -1;
};

/// Runs a driver that should end by itself, with standard error in a pipe; gives its exit status
/// and what it wrote there. If it serves instead, it is killed after kWatchdog.
struct Ended {
    int status = -1;  ///< of exit; the negative signal that ended it
    std::string text;
};
[[nodiscard]] Ended runDriver(const std::vector<std::string>& arguments);

/// Open descriptors of a process, and its mappings of our shared memory.
[[nodiscard]] std::size_t descriptorCount(pid_t pid);
[[nodiscard]] std::size_t sharedMappingCount(pid_t pid);
/// Memory of a process that is in use: of its own, not shared with others.
[[nodiscard]] std::uint64_t residentBytes(pid_t pid);
/// All threads of a process are stopped, some time after SIGSTOP.
[[nodiscard]] bool isStopped(pid_t pid);
/// Children of this process that are drivers and alive.
[[nodiscard]] std::vector<pid_t> spawnedDrivers();

/// out = a + b for `count` floats; 0 leaves the number to the request.
[[nodiscard]] Model makeAddModel(std::uint32_t count = 4);

/// A request for makeAddModel with memory of its own.
struct AddRequest {
    explicit AddRequest(std::uint32_t count = 4, std::uint32_t outputBytes = 0);
    [[nodiscard]] float* a() const { return reinterpret_cast<float*>(blocks[0].data()); }
    [[nodiscard]] float* b() const { return reinterpret_cast<float*>(blocks[1].data()); }
    [[nodiscard]] float* out() const { return reinterpret_cast<float*>(blocks[2].data()); }

    MemoryPool pool;
    std::vector<MemoryPool::Block> blocks;
    Request request;
};

}  // namespace nnburst::test
