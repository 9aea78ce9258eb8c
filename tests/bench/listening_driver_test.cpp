// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "listening_driver.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "nnburst/unique_fd.h"

namespace nnburst::bench {
namespace {

TEST(ListeningDriver, endsWithABenchmarkThatIsKilled) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const UniqueFd ours(ends[0]);
    UniqueFd theirs(ends[1]);
    const pid_t benchmark = ::fork();
    if (benchmark == 0) {
        const ListeningDriver driver;
        (void)driver.connect();  // it listens
        const pid_t process = driver.pid();
        (void)!::write(theirs.get(), &process, sizeof(process));
        for (;;) {
            ::pause();
        }
    }
    ASSERT_GT(benchmark, 0);
    theirs = UniqueFd();
    pid_t driver = 0;
    ASSERT_EQ(::read(ours.get(), &driver, sizeof(driver)), ssize_t{sizeof(driver)});
    const UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, driver, 0)));
    ASSERT_TRUE(handle);
    ::kill(benchmark, SIGKILL);
    ::waitpid(benchmark, nullptr, 0);
    pollfd end{.fd = handle.get(), .events = POLLIN, .revents = 0};
    constexpr int kWatchdogMs = 10'000;
    EXPECT_EQ(::poll(&end, 1, kWatchdogMs), 1) << "process " << driver << " lives on";
}

}  // namespace
}  // namespace nnburst::bench
