// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "nnburst/unique_fd.h"

namespace nnburst::stress {

namespace {

/// The helpers that the cases share with the tests report by GoogleTest.
void addFailuresOfHelpers(CaseResult& result) {
    const testing::TestResult& helpers = testing::UnitTest::GetInstance()->ad_hoc_test_result();
    for (int i = 0; i < helpers.total_part_count(); ++i) {
        if (helpers.GetTestPartResult(i).failed()) {
            result.fail(Outcome::FAILURE, helpers.GetTestPartResult(i).message());
        }
    }
}

[[noreturn]] void runCase(const StressCase& stressCase, std::chrono::milliseconds duration,
                          int output) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    CaseResult result = stressCase.run(duration);
    addFailuresOfHelpers(result);
    const std::string text = toJson(result);
    const bool isWritten =
        ::write(output, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    std::fflush(nullptr);
    ::_exit(isWritten ? 0 : 1);
}

/// What arrives until the end of the file; `isHanging` is set when that takes too long.
std::string readUntil(int input, std::chrono::steady_clock::time_point deadline, bool& isHanging) {
    std::string text;
    std::array<char, 4096> buffer{};
    while (true) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            deadline - std::chrono::steady_clock::now());
        pollfd readable{.fd = input, .events = POLLIN, .revents = 0};
        if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) == 0) {
            isHanging = true;
            return text;
        }
        const ssize_t count = ::read(input, buffer.data(), buffer.size());
        if (count <= 0) {
            return text;
        }
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

}  // namespace

CaseResult runInProcess(const StressCase& stressCase, std::chrono::milliseconds duration,
                        std::chrono::milliseconds hangBound) {
    CaseResult result;
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        result.fail(Outcome::FAILURE, "pipe2 failed");
        return result;
    }
    const UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        runCase(stressCase, duration, writing.get());
    }
    writing.reset();
    bool isHanging = false;
    const auto deadline = std::chrono::steady_clock::now() + duration + hangBound;
    const std::string text = readUntil(reading.get(), deadline, isHanging);
    int status = 0;
    if (!isHanging) {
        ::waitpid(child, &status, 0);
    }
    ::kill(-child, SIGKILL);  // whatever the case has left
    if (isHanging) {
        ::waitpid(child, &status, 0);
        result.fail(Outcome::HANG, "the case did not end");
    } else if (const auto received = fromJson(text)) {
        result = *received;
    } else {
        result.fail(Outcome::CRASH, fmt::format("the case ended without a result, status {:#x}",
                                                static_cast<unsigned>(status)));
    }
    return result;
}

}  // namespace nnburst::stress
