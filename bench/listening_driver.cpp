// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "listening_driver.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "fail.h"

namespace nnburst::bench {

namespace {

/// A path that no other driver of this process has had.
std::string newSocketPath() {
    static std::atomic<int> count{0};
    return fmt::format("/tmp/nnburst-bench-{}-{}.sock", ::getpid(), count++);
}

}  // namespace

ListeningDriver::ListeningDriver() : socket_(newSocketPath()) {
    std::string program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "nnburst-driver";
    std::string socketOption = "--socket";
    std::string calibrationOption = "--no-calibration";  // it would compute while others measure
    std::array<char*, 5> arguments{program.data(), socketOption.data(), socket_.data(),
                                   calibrationOption.data(), nullptr};
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) {
        fail("cannot start " + program);
    }
    if (pid_ == 0) {
        // A driver that survived a killed benchmark would compute beside the next measurement.
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() == parent) {
            ::execv(program.c_str(), arguments.data());
        }
        ::_exit(127);
    }
}

ListeningDriver::~ListeningDriver() {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
}

SharedDevice ListeningDriver::connect() const {
    for (int attempt = 0; attempt < 500; ++attempt) {
        if (auto device = nnburst::connect(socket_)) {
            return *device;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return valueOf(nnburst::connect(socket_));
}

}  // namespace nnburst::bench
