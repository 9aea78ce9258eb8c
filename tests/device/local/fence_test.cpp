// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnburst/fence.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <new>
#include <utility>
#include <vector>

#include "device/driver_process.h"
#include "device/local/fence_waiter.h"
#include "nnburst/prepared_model.h"
#include "support/failing_allocations.h"
#include "support/full_event_fd.h"

namespace {

/// Stands for another process: called after the next poll(2) of this thread.
thread_local std::function<void()> afterPoll;

}  // namespace

/// In front of the C library's.
extern "C" int poll(pollfd* descriptors, nfds_t count, int timeoutMs) {
    const timespec timeout{.tv_sec = timeoutMs / 1000, .tv_nsec = timeoutMs % 1000 * 1'000'000L};
    const int result = ::ppoll(descriptors, count, timeoutMs < 0 ? nullptr : &timeout, nullptr);
    if (const auto other = std::exchange(afterPoll, nullptr)) {
        other();
    }
    return result;
}

namespace nnburst::test {
namespace {

using namespace std::chrono_literals;

FenceState stateOf(int fd) {
    const auto state = fenceState(fd);
    EXPECT_TRUE(state) << state.error().message;
    return state ? *state : FenceState::FAILED;
}

struct Pipe {
    Pipe() {
        int ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        reader = UniqueFd(ends[0]);
        writer = UniqueFd(ends[1]);
    }
    UniqueFd reader;
    UniqueFd writer;
};

TEST(Fence, isPendingUntilItIsSignalledOnce) {
    const UniqueFd fence = std::move(*makeFence());
    EXPECT_EQ(stateOf(fence.get()), FenceState::PENDING);
    signalFence(fence.get());
    EXPECT_EQ(stateOf(fence.get()), FenceState::SIGNALED);
    failFence(fence.get());
    EXPECT_EQ(stateOf(fence.get()), FenceState::SIGNALED) << "the first signal counts";
    EXPECT_TRUE(waitForFence(fence.get()));
}

TEST(Fence, thatAnotherProcessFillsMeanwhileBlocksNoThread) {
    for (void (*const end)(int) noexcept : {signalFence, failFence}) {
        const UniqueFd fence = std::move(*makeFence());
        ASSERT_EQ(::fcntl(fence.get(), F_SETFL, 0), 0);  // as a process with a duplicate can
        bool isFilled = false;
        afterPoll = [&] {
            const std::uint64_t most = UINT64_MAX - 1;
            isFilled = ::write(fence.get(), &most, sizeof(most)) == sizeof(most);
        };
        end(fence.get());
        EXPECT_TRUE(isFilled);
        EXPECT_EQ(stateOf(fence.get()), FenceState::FAILED);
    }
}

TEST(Fence, hasAStateOfError) {
    const UniqueFd fence = std::move(*makeFence());
    failFence(fence.get());
    signalFence(fence.get());
    EXPECT_EQ(stateOf(fence.get()), FenceState::FAILED);
    EXPECT_EQ(stateOf(fence.get()), FenceState::FAILED) << "looking does not change it";
    const Result<> waited = waitForFence(fence.get());
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().status, ErrorStatus::GENERAL_FAILURE);
}

TEST(Fence, isAnEventOrATimerOrAPipe) {
    const UniqueFd event(::eventfd(7, EFD_CLOEXEC));
    EXPECT_EQ(stateOf(event.get()), FenceState::SIGNALED);

    const UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
    EXPECT_EQ(stateOf(timer.get()), FenceState::PENDING);
    const itimerspec soon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_nsec = 1}};
    ASSERT_EQ(::timerfd_settime(timer.get(), 0, &soon, nullptr), 0);
    EXPECT_TRUE(waitForFence(timer.get()));

    Pipe pipe;
    EXPECT_EQ(stateOf(pipe.reader.get()), FenceState::PENDING);
    ASSERT_EQ(::write(pipe.writer.get(), "!", 1), 1);
    EXPECT_EQ(stateOf(pipe.reader.get()), FenceState::SIGNALED);
}

TEST(Fence, whoseOtherEndIsClosedWithoutASignalHasFailed) {
    Pipe pipe;
    pipe.writer.reset();
    EXPECT_EQ(stateOf(pipe.reader.get()), FenceState::FAILED);
}

TEST(Fence, hasFailedWhereWritingToItBlocks) {
    const UniqueFd full = makeFullEventFd();
    if (!full) {
        GTEST_SKIP() << "there is no asynchronous I/O";
    }
    EXPECT_EQ(stateOf(full.get()), FenceState::FAILED);
}

TEST(Fence, isNoFileDeviceOrSocket) {
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const UniqueFd directory(::open("/tmp", O_RDONLY | O_CLOEXEC));
    const UniqueFd device(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    for (const int fd : {file.get(), directory.get(), device.get(), socket.get(), -1, 12345}) {
        const auto state = fenceState(fd);
        ASSERT_FALSE(state) << fd;
        EXPECT_EQ(state.error().status, ErrorStatus::INVALID_ARGUMENT);
    }
}

TEST(Fence, isNoEpollInstanceWhoseFilesMayNotAnswer) {
    const UniqueFd empty(::epoll_create1(EPOLL_CLOEXEC));
    EXPECT_EQ(fenceState(empty.get()).error().status, ErrorStatus::INVALID_ARGUMENT);
    const UniqueFd outer(::epoll_create1(EPOLL_CLOEXEC));
    epoll_event event{.events = EPOLLIN, .data = {}};
    ASSERT_EQ(::epoll_ctl(outer.get(), EPOLL_CTL_ADD, empty.get(), &event), 0);
    EXPECT_FALSE(fenceState(outer.get()));
}

TEST(Fence, isNoDescriptorThatMayTakeLongToClose) {
    const UniqueFd watches(::inotify_init1(IN_CLOEXEC));
    EXPECT_EQ(fenceState(watches.get()).error().status, ErrorStatus::INVALID_ARGUMENT);
}

TEST(Fence, isOfNoStateWhileNoDescriptorIsFreeToFindOut) {
    const UniqueFd failed = std::move(*makeFence());
    failFence(failed.get());
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{.rlim_cur = 1, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto ofFailed = fenceState(failed.get());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    ASSERT_FALSE(ofFailed);
    EXPECT_EQ(ofFailed.error().status, ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT)
        << ofFailed.error().message;
}

TEST(Fence, isNotWaitedForAtTheFirstDeadlineThereIs) {
    const UniqueFd fence = std::move(*makeFence());
    const Result<> result = waitForFence(fence.get(), TimePoint::min());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
}

TEST(Fence, isNotWaitedForBeyondTheDeadline) {
    const UniqueFd fence = std::move(*makeFence());
    const Result<> waited = waitForFence(fence.get(), std::chrono::steady_clock::now() + 5ms);
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
}

// ---- The thread that waits for all fences

std::vector<UniqueFd> copiesOf(std::initializer_list<int> fences) {
    std::vector<UniqueFd> copies;
    for (const int fence : fences) {
        copies.push_back(std::move(*UniqueFd::duplicate(fence)));
    }
    return copies;
}

TEST(FenceWaiter, waitsForAllFences) {
    device::FenceWaiter waiter;
    const UniqueFd a = std::move(*makeFence());
    const UniqueFd b = std::move(*makeFence());
    std::promise<Result<>> ended;
    ASSERT_TRUE(waiter.wait(copiesOf({a.get(), b.get(), a.get()}), std::nullopt,
                            [&](const Result<>& result) { ended.set_value(result); }));
    auto future = ended.get_future();
    signalFence(b.get());
    EXPECT_EQ(future.wait_for(20ms), std::future_status::timeout);
    signalFence(a.get());
    EXPECT_TRUE(future.get());
}

TEST(FenceWaiter, endsWithTheFirstErrorAndAtTheDeadline) {
    device::FenceWaiter waiter;
    const UniqueFd a = std::move(*makeFence());
    const UniqueFd b = std::move(*makeFence());
    std::promise<Result<>> failed;
    ASSERT_TRUE(waiter.wait(copiesOf({a.get(), b.get()}), std::nullopt,
                            [&](const Result<>& result) { failed.set_value(result); }));
    failFence(b.get());
    auto end = failed.get_future();
    ASSERT_EQ(end.wait_for(20s), std::future_status::ready);
    EXPECT_EQ(end.get().error().status, ErrorStatus::GENERAL_FAILURE);
    std::promise<Result<>> late;
    ASSERT_TRUE(waiter.wait(copiesOf({a.get()}), std::chrono::steady_clock::now() + 5ms,
                            [&](const Result<>& result) { late.set_value(result); }));
    EXPECT_EQ(late.get_future().get().error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
}

TEST(FenceWaiter, refusesWhatCannotBePolledAndTooMany) {
    device::FenceWaiter waiter;
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const UniqueFd fence = std::move(*makeFence());
    const auto never = [](const Result<>&) { FAIL(); };
    EXPECT_EQ(waiter.wait(copiesOf({fence.get(), file.get()}), std::nullopt, never).error().status,
              ErrorStatus::INVALID_ARGUMENT);
    std::vector<UniqueFd> many;
    for (std::size_t i = 0; i <= kMaximumFences; ++i) {
        many.push_back(std::move(*UniqueFd::duplicate(fence.get())));
    }
    EXPECT_EQ(waiter.wait(std::move(many), std::nullopt, never).error().status,
              ErrorStatus::INVALID_ARGUMENT);
    signalFence(fence.get());
}

SharedAccount accountForThreads(std::uint64_t threads) {
    Amounts limits;
    limits[Resource::BLOCKED_THREADS] = threads;
    limits[Resource::DESCRIPTORS] = 2;
    return Account::create("client", limits);
}

// Each client once had a thread and two descriptors, charged to nobody, from its first fence on.
TEST(FenceWaiter, hasAChargedThreadWhileItHasWaits) {
    const SharedAccount account = accountForThreads(1);
    const auto used = [&](Resource resource) { return account->usage(resource).used; };
    device::FenceWaiter waiter(account);
    for (int i = 0; i < 2; ++i) {
        const UniqueFd fence = std::move(*makeFence());
        std::promise<Result<>> ended;
        ASSERT_TRUE(waiter.wait(copiesOf({fence.get()}), std::nullopt,
                                [&](const Result<>& result) { ended.set_value(result); }));
        EXPECT_EQ(used(Resource::BLOCKED_THREADS), 1U);
        EXPECT_EQ(used(Resource::DESCRIPTORS), 2U);
        signalFence(fence.get());
        EXPECT_TRUE(ended.get_future().get());
        EXPECT_TRUE(eventually([&] {
            return used(Resource::BLOCKED_THREADS) == 0 && used(Resource::DESCRIPTORS) == 0;
        }));
    }
}

TEST(FenceWaiter, refusesAWaitForWhichItMayHaveNoThread) {
    device::FenceWaiter waiter(accountForThreads(0));
    const Result<> waiting = waiter.wait({}, std::nullopt, [](const Result<>&) { FAIL(); });
    ASSERT_FALSE(waiting);
    EXPECT_EQ(waiting.error().status, ErrorStatus::RESOURCE_EXHAUSTED_PERSISTENT)
        << waiting.error().message;
}

TEST(FenceWaiter, refusesMoreWaitsThanItHasRoomFor) {
    device::FenceWaiter waiter;
    for (std::size_t i = 0; i < device::FenceWaiter::kMaximumWaits; ++i) {
        ASSERT_TRUE(waiter.wait({}, std::nullopt, [](const Result<>&) {}));
    }
    EXPECT_EQ(waiter.wait({}, std::nullopt, [](const Result<>&) {}).error().status,
              ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT);
}

TEST(FenceWaiter, forgetsTheFencesOfAWaitThatItHasRefused) {
    device::FenceWaiter waiter;
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const UniqueFd refused = std::move(*makeFence());
    EXPECT_FALSE(waiter.wait(copiesOf({refused.get(), file.get()}), std::nullopt,
                             [](const Result<>&) { FAIL(); }));
    signalFence(refused.get());
    const UniqueFd next = std::move(*makeFence());
    signalFence(next.get());
    std::promise<Result<>> ended;
    ASSERT_TRUE(waiter.wait(copiesOf({next.get()}), std::nullopt,
                            [&](const Result<>& result) { ended.set_value(result); }));
    EXPECT_TRUE(ended.get_future().get());
}

// A wait for which there was no memory once ended the driver when its fences were signalled.
TEST(FenceWaiter, forgetsTheFencesOfAWaitForWhichThereIsNoMemory) {
    device::FenceWaiter waiter;
    ASSERT_TRUE(waiter.wait({}, std::nullopt, [](const Result<>&) {})) << "starts its thread";
    bool hasFailed = true;
    for (int allocations = 0; hasFailed; ++allocations) {
        SCOPED_TRACE(allocations);
        const UniqueFd a = std::move(*makeFence());
        const UniqueFd b = std::move(*makeFence());
        std::vector<UniqueFd> fences = copiesOf({a.get(), b.get()});
        const TimePoint deadline = std::chrono::steady_clock::now() + 1h;
        std::promise<Result<>> ended;
        auto end = ended.get_future();
        const auto callback = [&ended](const Result<>& result) { ended.set_value(result); };
        bool isWaiting = false;
        failAllocationAfter(allocations);
        try {
            isWaiting = waiter.wait(std::move(fences), deadline, callback).has_value();
        } catch (const std::bad_alloc&) {
        }
        hasFailed = stopFailingAllocations();
        EXPECT_NE(isWaiting, hasFailed);
        signalFence(a.get());
        signalFence(b.get());
        if (isWaiting) {
            ASSERT_EQ(end.wait_for(20s), std::future_status::ready);
            EXPECT_TRUE(end.get());
        }
    }
}

TEST(FenceWaiter, forgetsTheDeadlineOfAWaitThatHasEnded) {
    device::FenceWaiter waiter;
    const UniqueFd signalled = std::move(*makeFence());
    const UniqueFd pending = std::move(*makeFence());
    signalFence(signalled.get());
    const TimePoint deadline = std::chrono::steady_clock::now() + 20ms;
    std::promise<Result<>> ended;
    ASSERT_TRUE(waiter.wait(copiesOf({signalled.get()}), deadline,
                            [&](const Result<>& result) { ended.set_value(result); }));
    ended.get_future().wait();
    std::promise<Result<>> late;
    ASSERT_TRUE(waiter.wait(copiesOf({pending.get()}), deadline + 10ms,
                            [&](const Result<>& result) { late.set_value(result); }));
    EXPECT_EQ(late.get_future().get().error().status, ErrorStatus::MISSED_DEADLINE_TRANSIENT);
}

TEST(FenceWaiter, forgetsItsWaitsAndTheirDescriptorsWhenItIsDropped) {
    const std::size_t before = descriptorCount(::getpid());  // or more: others may be ending
    {
        device::FenceWaiter waiter;
        const UniqueFd fence = std::move(*makeFence());
        ASSERT_TRUE(waiter.wait(copiesOf({fence.get()}), std::nullopt, [](const Result<>&) {}));
    }
    EXPECT_TRUE(eventually([&] { return descriptorCount(::getpid()) <= before; }));
}

}  // namespace
}  // namespace nnburst::test
