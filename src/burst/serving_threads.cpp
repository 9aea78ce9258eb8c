// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/serving_threads.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "log/assert.h"
#include "system/realtime.h"
#include "system/thread.h"

namespace nnburst::burst {

namespace {

/// A thread that has had no burst to serve for so long ends, unless it is one of the last
/// kKeptIdleThreads.
constexpr std::chrono::milliseconds kEndAfterIdle{2000};

/// The one that hears a doorbell next, and one that hears the next doorbell in its place: it need
/// not be started while a request waits.
constexpr std::size_t kKeptIdleThreads = 2;

/// The id of the eventfd that ends the threads; registrations have others.
constexpr std::uint64_t kEndId = 0;

/// Takes away what the client has sent, so that it can send again. It cannot have sent more than
/// kLongestQueue datagrams: the queue of such a socket is shorter.
void drain(int socket) noexcept {
    constexpr int kLongestQueue = 1024;
    char byte = 0;
    for (int i = 0; i < kLongestQueue && ::recv(socket, &byte, 1, MSG_DONTWAIT) >= 0; ++i) {
    }
}

tl::unexpected<Error> exhausted(const char* what) {
    return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                   std::string("cannot serve a burst: no ") + what + ": " + std::strerror(errno));
}

}  // namespace

/// A burst, and whether a thread serves it.
///
///                  enter               enter
///     PARKED ------------------> SERVED -----> RUNG_AGAIN
///       |  ^                     |  ^            |
///       |  +------- leave -------+  +--- leave --+
///       | remove
///       v
///     REMOVED
struct ServingThreadPool::Registration::Entry {
    enum class State : std::uint8_t {
        PARKED,      ///< no thread serves it
        SERVED,      ///< one thread serves it
        RUNG_AGAIN,  ///< one thread serves it and has to look again before it leaves
        REMOVED,     ///< never to be served again
    };

    std::uint64_t id = kEndId;
    Servable* burst = nullptr;
    UniqueFd driverEnd;  ///< of the doorbell
    UniqueFd clientEnd;  ///< of the doorbell, until it is taken
    std::atomic<State> state{State::PARKED};

    /// The doorbell was rung. True if the calling thread has to serve the burst.
    bool enter() noexcept {
        State seen = state.load(std::memory_order_acquire);
        while (seen != State::REMOVED) {
            const State next = seen == State::PARKED ? State::SERVED : State::RUNG_AGAIN;
            // sync [burst-served]: what the thread that served before has written is visible
            if (state.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) {
                return seen == State::PARKED;
            }
        }
        return false;
    }

    /// The calling thread has nothing left to serve. False if the doorbell was rung meanwhile: it
    /// has to serve again.
    bool leave() noexcept {
        State seen = State::SERVED;
        // sync [burst-served]
        if (state.compare_exchange_strong(seen, State::PARKED, std::memory_order_acq_rel)) {
            state.notify_all();
            return true;
        }
        NNBURST_ASSERT(seen == State::RUNG_AGAIN, "state {}", static_cast<int>(seen));
        state.store(State::SERVED, std::memory_order_relaxed);
        return false;
    }

    /// Waits until no thread serves the burst, and lets none serve it afterwards.
    void remove() noexcept {
        State seen = state.load(std::memory_order_acquire);
        while (true) {
            if (seen == State::PARKED) {
                if (state.compare_exchange_weak(seen, State::REMOVED, std::memory_order_acq_rel)) {
                    return;
                }
                continue;
            }
            NNBURST_ASSERT(seen != State::REMOVED, "burst {} was removed before", id);
            state.wait(seen, std::memory_order_acquire);
            seen = state.load(std::memory_order_acquire);
        }
    }
};

ServingThreadPool::Registration::Registration(Registration&& other) noexcept
    : pool_(std::move(other.pool_)), entry_(std::move(other.entry_)) {}

ServingThreadPool::Registration& ServingThreadPool::Registration::operator=(
    Registration&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(entry_, other.entry_);
    return *this;
}

ServingThreadPool::Registration::~Registration() {
    if (entry_) {
        pool_->remove(*entry_);
    }
}

UniqueFd ServingThreadPool::Registration::takeDoorbell() noexcept {
    NNBURST_ASSERT(entry_ != nullptr, "the registration is empty");
    return std::move(entry_->clientEnd);
}

int ServingThreadPool::Registration::ringBackDescriptor() const noexcept {
    NNBURST_ASSERT(entry_ != nullptr, "the registration is empty");
    return entry_->driverEnd.get();
}

void ServingThreadPool::Registration::ring() const noexcept {
    NNBURST_ASSERT(entry_ != nullptr, "the registration is empty");
    pool_->ring(*entry_);
}

ServingThreadPool::ScopedClientWait::ScopedClientWait(ServingThreadPool& pool) noexcept
    : pool_(pool) {
    ++pool_.clientWaits_;
    (void)pool_.ensureIdleThread();  // without one the next burst waits until a thread is free
}

ServingThreadPool::ScopedClientWait::~ScopedClientWait() {
    --pool_.clientWaits_;
}

Result<std::shared_ptr<ServingThreadPool>> ServingThreadPool::create(
    std::size_t maximumThreads, std::uint32_t realtimePriority) {
    std::shared_ptr<ServingThreadPool> pool(
        new ServingThreadPool(maximumThreads, realtimePriority));
    pool->epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
    pool->end_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    epoll_event event{.events = EPOLLIN, .data = {.u64 = kEndId}};
    if (!pool->epoll_ || !pool->end_ ||
        ::epoll_ctl(pool->epoll_.get(), EPOLL_CTL_ADD, pool->end_.get(), &event) != 0) {
        return exhausted("descriptor");
    }
    return pool;
}

ServingThreadPool::~ServingThreadPool() {
    NNBURST_ASSERT(entries_.empty(), "{} bursts are still registered", entries_.size());
    const std::uint64_t one = 1;
    (void)!::write(end_.get(), &one, sizeof(one));  // stays readable: all threads see it
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

Result<ServingThreadPool::Registration> ServingThreadPool::add(
    const std::shared_ptr<ServingThreadPool>& pool, Servable& burst) {
    auto entry = std::make_shared<Registration::Entry>();
    entry->burst = &burst;
    // A socket, because the two ends share no state: what the client does to its end neither blocks
    // nor silences the driver's.
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return exhausted("descriptor");
    }
    entry->driverEnd = UniqueFd(ends[0]);
    entry->clientEnd = UniqueFd(ends[1]);
    NNBURST_TRY(pool->ensureIdleThread());
    const system::MutexLock lock(pool->mutex_);
    entry->id = ++pool->lastId_;
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = entry->id}};
    if (::epoll_ctl(pool->epoll_.get(), EPOLL_CTL_ADD, entry->driverEnd.get(), &event) != 0) {
        return exhausted("place in epoll");
    }
    pool->entries_.emplace(entry->id, entry);
    ++pool->registrationCount_;
    Registration registration;
    registration.pool_ = pool;
    registration.entry_ = std::move(entry);
    return registration;
}

void ServingThreadPool::remove(const Registration::Entry& entry) noexcept {
    std::shared_ptr<Registration::Entry> removed;
    {
        const system::MutexLock lock(mutex_);
        const auto found = entries_.find(entry.id);
        NNBURST_ASSERT(found != entries_.end(), "burst {} is not registered", entry.id);
        removed = std::move(found->second);
        entries_.erase(found);
        --registrationCount_;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, entry.driverEnd.get(), nullptr);
    }
    removed->remove();
}

std::shared_ptr<ServingThreadPool::Registration::Entry> ServingThreadPool::find(std::uint64_t id) {
    const system::MutexLock lock(mutex_);
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : found->second;
}

/// Starts a thread if none waits for doorbells and there may be one more.
Result<> ServingThreadPool::ensureIdleThread() {
    const system::MutexLock lock(mutex_);
    joinEndedThreads();
    if (idle_.load(std::memory_order_relaxed) != 0 || threads_.size() >= allowedThreads()) {
        return {};
    }
    NNBURST_TRY_ASSIGN(std::thread thread,
                       system::startThread("nnburst-burst", [this] { runThread(); }));
    threads_.push_back(std::move(thread));
    ++threadCount_;
    ++idle_;  // for the new thread, which is not waiting yet
    return {};
}

void ServingThreadPool::joinEndedThreads() {
    for (const std::thread::id id : ended_) {
        const auto thread =
            std::find_if(threads_.begin(), threads_.end(),
                         [id](const std::thread& candidate) { return candidate.get_id() == id; });
        NNBURST_ASSERT(thread != threads_.end(), "a thread has ended that was not started");
        thread->join();
        threads_.erase(thread);
    }
    ended_.clear();
}

/// Threads that wait for their clients do not count.
std::size_t ServingThreadPool::allowedThreads() const noexcept {
    return maximumThreads_ + clientWaits_.load(std::memory_order_relaxed);
}

/// The calling thread, which serves no burst, may end: enough others are idle as well, or there are
/// more than are allowed now that some clients have answered. If it may, it counts as ended.
bool ServingThreadPool::mayEnd() noexcept {
    const system::MutexLock lock(mutex_);
    if (idle_.load(std::memory_order_relaxed) <= kKeptIdleThreads &&
        threadCount() <= allowedThreads()) {
        return false;
    }
    --idle_;
    --threadCount_;
    ended_.push_back(std::this_thread::get_id());
    return true;
}

void ServingThreadPool::runThread() noexcept {
    system::wishRealtimePriority(realtimePriority_, "a thread that serves bursts");
    constexpr int kNoTimeout = -1;
    int timeoutMs = static_cast<int>(kEndAfterIdle.count());
    while (true) {
        epoll_event event{};
        const int count = ::epoll_wait(epoll_.get(), &event, 1, timeoutMs);
        if (count == 0) {
            if (mayEnd()) {
                return;
            }
            timeoutMs = kNoTimeout;  // one of the last: others that become idle end before it
        }
        if (count <= 0) {
            continue;
        }
        timeoutMs = static_cast<int>(kEndAfterIdle.count());
        if (event.data.u64 == kEndId) {
            return;
        }
        const std::shared_ptr<Registration::Entry> entry = find(event.data.u64);
        if (!entry || !entry->enter()) {
            continue;
        }
        --idle_;
        (void)ensureIdleThread();  // without one the next burst waits until a thread is free
        serve(*entry);
        ++idle_;
        if (threadCount() > allowedThreads() && mayEnd()) {
            return;
        }
    }
}

/// Rings from the driver's side: a socket can always be written to, so that asking for EPOLLOUT
/// reports the entry at once.
void ServingThreadPool::ring(const Registration::Entry& entry) const noexcept {
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.u64 = entry.id}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, entry.driverEnd.get(), &event);
}

void ServingThreadPool::serve(Registration::Entry& entry) noexcept {
    bool hasMore = false;
    do {
        drain(entry.driverEnd.get());
        hasMore = entry.burst->serve();
    } while (!entry.leave());
    if (hasMore) {
        ring(entry);  // served again after others that were rung before
    }
}

}  // namespace nnburst::burst
