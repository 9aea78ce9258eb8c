// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/rpc/event_loop.h"

#include <kj/debug.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "log/logger.h"
#include "system/memory_reserve.h"

namespace nnburst::device {

namespace {

/// A busy loop polls for new input after this number of turns. Otherwise a peer that sends messages
/// faster than they are served would be the only one served.
constexpr kj::uint kTurnsBetweenPolls = 32;

/// Pause after a failed wait for jobs.
constexpr kj::Duration kServeAgainAfter = 1 * kj::MILLISECONDS;

/// kj ignores SIGPIPE in the whole process. Our threads block it and the application's threads
/// never write to our sockets, so the application keeps what it had.
kj::AsyncIoContext setUpAsyncIo() {
    static system::Mutex mutex;  // held while the handler of SIGPIPE is kj's
    const system::MutexLock lock(mutex);
    struct sigaction before {};
    ::sigaction(SIGPIPE, nullptr, &before);
    kj::AsyncIoContext io = kj::setupAsyncIo();
    ::sigaction(SIGPIPE, &before, nullptr);
    return io;
}

/// kj 1.0 keeps the promises below in static objects, which are made at their first use. Made here,
/// before any static object of the application, they are destroyed after those: the event loop of a
/// device that a static object holds still uses them.
[[gnu::constructor(101)]] void makeStaticPromises() {
    const kj::Promise<void> ready = kj::READY_NOW;
    const kj::Promise<void> never = kj::NEVER_DONE;
    const kj::Promise<void> later = kj::evalLater([] {});
    const kj::Promise<void> last = kj::evalLast([] {});
}

UniqueFd makeEventFd() {
    const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    KJ_REQUIRE(fd >= 0, "cannot create an eventfd");
    return UniqueFd(fd);
}

}  // namespace

kj::Promise<void> whenProcessEnds(EventLoop& loop, UniqueFd process) {
    auto observer = kj::heap<kj::UnixEventPort::FdObserver>(
        loop.io().unixEventPort, process.get(), kj::UnixEventPort::FdObserver::OBSERVE_READ);
    auto ended = observer->whenBecomesReadable();
    return ended.attach(kj::mv(observer)).attach(kj::mv(process));  // observed until it is closed
}

EventLoop::EventLoop()
    : io_(setUpAsyncIo()),
      wakeUp_(makeEventFd()),
      wakeUpObserver_(io_.unixEventPort, wakeUp_.get(),
                      kj::UnixEventPort::FdObserver::OBSERVE_READ),
      calls_(kj::heap<kj::TaskSet>(errorLog_)),
      jobServer_(serveJobs()) {
    io_.waitScope.setBusyPollInterval(kTurnsBetweenPolls);
}

EventLoop::~EventLoop() {
    close();
}

void EventLoop::run(kj::Promise<void> end) {
    NNBURST_ASSERT(std::this_thread::get_id() == thread_, "another thread runs the event loop");
    end.wait(io_.waitScope);
}

void EventLoop::close() {
    NNBURST_ASSERT(std::this_thread::get_id() == thread_, "another thread closes the event loop");
    std::vector<kj::Function<void()>> dropped;
    {
        const system::MutexLock lock(mutex_);
        isClosed_ = true;
        dropped.swap(jobs_);
    }
    dropped.clear();
    calls_ = nullptr;      // nothing that could start another one is left
    io_.waitScope.poll();  // kj insists that no event is left over
}

bool EventLoop::post(kj::Function<void()> job) {
    bool isFirst = false;
    {
        const system::MutexLock lock(mutex_);
        if (isClosed_) {
            return false;
        }
        isFirst = jobs_.empty();
        jobs_.push_back(kj::mv(job));
    }
    if (isFirst) {
        const std::uint64_t one = 1;
        (void)!::write(wakeUp_.get(), &one, sizeof(one));  // fails only if the loop wakes anyway
    }
    return true;
}

kj::Promise<void> EventLoop::serveJobs() {
    return kj::evalNow([this] {
               // Observed before looking for jobs: a job that is posted meanwhile is then noticed.
               kj::Promise<void> next = wakeUpObserver_.whenBecomesReadable();
               runJobs();
               return next;
           })
        .catch_([this](kj::Exception&& exception) {  // there was no memory to wait
            errorLog_.taskFailed(kj::mv(exception));
            return timer().afterDelay(kServeAgainAfter);
        })
        .then([this] { return serveJobs(); });
}

void EventLoop::runJobs() {
    noteWork();
    system::refillMemoryReserve();
    std::uint64_t count = 0;
    (void)!::read(wakeUp_.get(), &count, sizeof(count));  // resets it; nothing to read at first
    std::vector<kj::Function<void()>> jobs;
    {
        const system::MutexLock lock(mutex_);
        jobs.swap(jobs_);
    }
    for (kj::Function<void()>& job : jobs) {
        KJ_IF_MAYBE (exception, kj::runCatchingExceptions([&job] { job(); })) {
            errorLog_.taskFailed(kj::mv(*exception));
        }
    }
}

void EventLoop::Diagnostics::logMessage(kj::LogSeverity /*severity*/, const char* /*file*/,
                                        int /*line*/, int /*contextDepth*/, kj::String&& text) {
    logger().debug("rpc: {}", text.cStr());
}

void EventLoop::ErrorLog::taskFailed(kj::Exception&& exception) {
    logger().debug("rpc: {}", exception.getDescription().cStr());
}

}  // namespace nnburst::device
