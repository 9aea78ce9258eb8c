// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "system/event_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "support/full_event_fd.h"
#include "support/temporary_directory.h"

namespace nnburst::system {
namespace {

TEST(EventFd, isToldFromOtherKinds) {
    EXPECT_TRUE(isEventFd(UniqueFd(::eventfd(3, EFD_CLOEXEC)).get()));
    EXPECT_TRUE(isEventFd(UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE)).get()));
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd others[] = {
        UniqueFd(ends[0]),
        UniqueFd(ends[1]),
        UniqueFd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)),
        UniqueFd(::epoll_create1(EPOLL_CLOEXEC)),
        UniqueFd(::inotify_init1(IN_CLOEXEC)),
        UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC)),
        UniqueFd(::memfd_create("anon_inode:[eventfd]", MFD_CLOEXEC)),
    };
    for (const UniqueFd& other : others) {
        ASSERT_TRUE(other);
        EXPECT_FALSE(isEventFd(other.get()));
    }
    EXPECT_FALSE(isEventFd(-1));
}

TEST(EventFd, isNoFileOfThatName) {
    const test::TemporaryDirectory directory;
    const auto path = directory.path() / "anon_inode:[eventfd]";
    EXPECT_FALSE(isEventFd(UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT, 0600)).get()));
}

TEST(EventFd, isOneAlsoWhereWritingToItBlocks) {
    const UniqueFd full = test::makeFullEventFd();
    if (!full) {
        GTEST_SKIP() << "there is no asynchronous I/O";
    }
    EXPECT_TRUE(isEventFd(full.get()));
}

}  // namespace
}  // namespace nnburst::system
