// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "machine_capabilities.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "calibrate.h"
#include "device/local/capabilities_file.h"
#include "device/local/state_file.h"
#include "log/logger.h"
#include "support/machine.h"
#include "system/affinity.h"

namespace nnburst {

namespace {

constexpr std::uint32_t kRounds = 10;

Result<> measure(const DriverOptions& driver, const std::string& file) {
    DriverOptions kernels;  // without settings of the system, which only drivers need
    kernels.threads = driver.threads;
    kernels.useXnnpack = driver.useXnnpack;
    kernels.useDotProducts = driver.useDotProducts;
    NNBURST_TRY_ASSIGN(const Capabilities capabilities, calibrate(kernels, kRounds));
    return device::writeCapabilities(capabilities, file);
}

}  // namespace

std::string machineCapabilitiesFile(const DriverOptions& driver) {
    std::string processor = tools::processorName();
    std::replace_if(
        processor.begin(), processor.end(),
        [](unsigned char letter) { return std::isalnum(letter) == 0; }, '-');
    return device::stateFile(fmt::format(
        "capabilities-{}-{}-processors-{}-threads{}.json", processor,
        driver.processors.empty() ? system::usableProcessors().size() : driver.processors.size(),
        driver.threads == 0 ? "auto" : std::to_string(driver.threads),
        !driver.useXnnpack       ? "-reference"
        : !driver.useDotProducts ? "-xnnpack"
                                 : ""));
}

Result<pid_t> measureInBackground(const DriverOptions& driver, const std::string& file) {
    std::error_code ignored;  // checkWritable says what is wrong
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), ignored);
    NNBURST_TRY(device::checkWritable(file));
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        return failure(ErrorStatus::GENERAL_FAILURE,
                       fmt::format("cannot start a process to measure the capabilities: {}",
                                   std::strerror(errno)));
    }
    if (child > 0) {
        return child;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, "nnburst-measure");
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);  // closes the parent's sockets
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);  // calibrate prints what it measures
    if (::getppid() != parent) {
        std::_Exit(1);
    }
    if (const Result<> measured = measure(driver, file); !measured) {
        logger().warn("the capabilities of this machine were not measured: {}",
                      measured.error().message);
    }
    std::_Exit(0);
}

}  // namespace nnburst
