// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "support/processor_time.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace nnburst::tools {
namespace {

using namespace std::chrono_literals;

/// A child that computes for ever.
class BusyChild {
  public:
    BusyChild() : process_(::fork()) {
        if (process_ == 0) {
            for (;;) {
                (void)::getppid();
            }
        }
    }
    ~BusyChild() { end(); }
    BusyChild(const BusyChild&) = delete;
    BusyChild& operator=(const BusyChild&) = delete;

    [[nodiscard]] pid_t process() const { return process_; }
    void end() {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
            process_ = 0;
        }
    }

  private:
    pid_t process_;
};

bool isChild(pid_t process) {
    const std::vector<pid_t> children = childProcesses();
    return std::ranges::find(children, process) != children.end();
}

TEST(ProcessorTime, growsWithWhatAnotherProcessComputes) {
    BusyChild child;
    const auto clock = ProcessorClock::of(child.process());
    ASSERT_TRUE(clock) << clock.error().message;
    const auto before = clock->now();
    while (clock->now() < before + 2ms) {
        ::usleep(1000);
    }
    child.end();
    EXPECT_EQ(clock->now(), 0ns);
}

TEST(ProcessorTime, growsWithWhatThisProcessComputes) {
    const ProcessorClock clock = ProcessorClock::ofThisProcess();
    const auto before = clock.now();
    EXPECT_GT(before, 0ns);
    while (clock.now() < before + 1ms) {
    }
}

TEST(ProcessorTime, refusesAProcessThatHasEnded) {
    BusyChild child;
    const pid_t process = child.process();
    child.end();
    const auto clock = ProcessorClock::of(process);
    ASSERT_FALSE(clock);
    EXPECT_NE(clock.error().message.find(std::to_string(process)), std::string::npos);
}

TEST(ChildProcesses, areThoseThatLive) {
    BusyChild child;
    const pid_t process = child.process();
    EXPECT_TRUE(isChild(process));
    EXPECT_FALSE(isChild(::getpid()));
    child.end();
    EXPECT_FALSE(isChild(process));
}

TEST(ChildProcesses, tellWhichOneIsNew) {
    const BusyChild old;
    const std::vector<pid_t> before = childProcesses();
    EXPECT_FALSE(newChildProcess(before));
    const BusyChild child;
    const auto found = newChildProcess(before);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, child.process());
}

}  // namespace
}  // namespace nnburst::tools
