// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/workers.h"

#include <pthread.h>
#include <signal.h>
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
#include <system_error>
#include <utility>

#include "system/realtime.h"

namespace nnburst::burst {

namespace {

/// A thread that nobody has needed for so long ends, unless it is the only idle one.
constexpr std::chrono::milliseconds kIdleTime{2000};

constexpr std::uint64_t kEnd = 0;  // the id of no entry

/// Takes what the client has sent away, so that it can send again. It cannot have sent more than
/// this: the queue of such a socket is short.
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

/// A burst, and who serves it.
struct Workers::Place::Entry {
    enum class State : std::uint8_t {
        PARKED,
        SERVED,
        RUNG,     ///< served, and rung for meanwhile
        REMOVED,  ///< never to be served again
    };

    std::uint64_t id = kEnd;
    Served* served = nullptr;
    UniqueFd bell;      ///< our end of the doorbell
    UniqueFd doorbell;  ///< the client's, until it is taken
    std::atomic<State> state{State::PARKED};

    /// The doorbell was rung. True if the caller is to serve.
    bool enter() noexcept {
        State seen = state.load(std::memory_order_acquire);
        while (seen != State::REMOVED) {
            const State next = seen == State::PARKED ? State::SERVED : State::RUNG;
            // sync [burst-served]: what the thread before did is done
            if (state.compare_exchange_weak(seen, next, std::memory_order_acq_rel)) {
                return seen == State::PARKED;
            }
        }
        return false;
    }

    /// The caller has nothing left to serve. False if it was rung for, so that there is.
    bool leave() noexcept {
        State seen = State::SERVED;
        // sync [burst-served]
        if (state.compare_exchange_strong(seen, State::PARKED, std::memory_order_acq_rel)) {
            state.notify_all();
            return true;
        }
        state.store(State::SERVED, std::memory_order_relaxed);
        return false;
    }

    /// Waits until nobody serves it, and keeps it so.
    void remove() noexcept {
        State seen = state.load(std::memory_order_acquire);
        while (true) {
            if (seen == State::PARKED) {
                if (state.compare_exchange_weak(seen, State::REMOVED, std::memory_order_acq_rel)) {
                    return;
                }
                continue;
            }
            state.wait(seen, std::memory_order_acquire);
            seen = state.load(std::memory_order_acquire);
        }
    }
};

Workers::Place::Place(Place&& other) noexcept
    : workers_(std::move(other.workers_)), entry_(std::move(other.entry_)) {}

Workers::Place& Workers::Place::operator=(Place&& other) noexcept {
    std::swap(workers_, other.workers_);
    std::swap(entry_, other.entry_);
    return *this;
}

Workers::Place::~Place() {
    if (entry_) {
        workers_->remove(*entry_);
    }
}

UniqueFd Workers::Place::takeDoorbell() noexcept {
    return std::move(entry_->doorbell);
}

void Workers::Place::ring() const noexcept {
    workers_->ring(*entry_);
}

Workers::WaitingForClient::WaitingForClient(Workers& workers) noexcept : workers_(workers) {
    ++workers_.waitingForClients_;
    (void)workers_.ensureIdleThread();  // without one the next burst waits until a thread is free
}

Workers::WaitingForClient::~WaitingForClient() {
    --workers_.waitingForClients_;
}

Result<std::shared_ptr<Workers>> Workers::create(std::size_t maximumThreads,
                                                 std::uint32_t realtimePriority) {
    std::shared_ptr<Workers> workers(new Workers(maximumThreads, realtimePriority));
    workers->epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
    workers->end_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    epoll_event event{.events = EPOLLIN, .data = {.u64 = kEnd}};
    if (!workers->epoll_ || !workers->end_ ||
        ::epoll_ctl(workers->epoll_.get(), EPOLL_CTL_ADD, workers->end_.get(), &event) != 0) {
        return exhausted("descriptor");
    }
    return workers;
}

Workers::~Workers() {
    const std::uint64_t one = 1;
    (void)!::write(end_.get(), &one, sizeof(one));  // stays readable: all threads see it
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

Result<Workers::Place> Workers::add(const std::shared_ptr<Workers>& workers, Served& served) {
    auto entry = std::make_shared<Place::Entry>();
    entry->served = &served;
    // A socket, because the two ends share no state: what the client does to its end neither blocks
    // nor blinds this one.
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return exhausted("descriptor");
    }
    entry->bell = UniqueFd(ends[0]);
    entry->doorbell = UniqueFd(ends[1]);
    NNBURST_TRY(workers->ensureIdleThread());
    const std::lock_guard lock(workers->mutex_);
    entry->id = ++workers->lastId_;
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = entry->id}};
    if (::epoll_ctl(workers->epoll_.get(), EPOLL_CTL_ADD, entry->bell.get(), &event) != 0) {
        return exhausted("place in epoll");
    }
    workers->entries_.emplace(entry->id, entry);
    ++workers->placeCount_;
    Place place;
    place.workers_ = workers;
    place.entry_ = std::move(entry);
    return place;
}

void Workers::remove(const Place::Entry& entry) noexcept {
    std::shared_ptr<Place::Entry> removed;
    {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(entry.id);
        removed = std::move(found->second);
        entries_.erase(found);
        --placeCount_;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, entry.bell.get(), nullptr);
    }
    removed->remove();
}

std::shared_ptr<Workers::Place::Entry> Workers::find(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    return found == entries_.end() ? nullptr : found->second;
}

/// Starts a thread if none waits for doorbells and there may be one more.
Result<> Workers::ensureIdleThread() {
    const std::lock_guard lock(mutex_);
    std::erase_if(threads_, [this](std::thread& thread) {
        const bool hasEnded = std::erase(ended_, thread.get_id()) != 0;
        if (hasEnded) {
            thread.join();
        }
        return hasEnded;
    });
    if (idle_.load(std::memory_order_relaxed) != 0 ||
        threads_.size() >= maximumThreads_ + waitingForClients_.load(std::memory_order_relaxed)) {
        return {};
    }
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    for (const int ownFault : {SIGSYS, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) {
        ::sigdelset(&all, ownFault);
    }
    ::pthread_sigmask(SIG_BLOCK, &all, &before);  // others belong to the program's own threads
    Result<> started;
    try {
        threads_.emplace_back([this] { work(); });
        ++threadCount_;
        ++idle_;  // for the thread, which is not waiting yet
    } catch (const std::system_error& error) {
        started = failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                          std::string("cannot serve a burst: no thread: ") + error.what());
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

/// There are more threads than are wanted: one was started while others waited for clients.
bool Workers::hasSurplus() const noexcept {
    return threadCount_.load(std::memory_order_relaxed) >
           maximumThreads_ + waitingForClients_.load(std::memory_order_relaxed);
}

/// The calling thread, which serves nobody, may end: another one waits as well, or there are
/// enough.
bool Workers::mayLeave() noexcept {
    const std::lock_guard lock(mutex_);
    if (idle_.load(std::memory_order_relaxed) < 2 && !hasSurplus()) {
        return false;
    }
    --idle_;
    --threadCount_;
    ended_.push_back(std::this_thread::get_id());
    return true;
}

void Workers::work() noexcept {
    ::pthread_setname_np(::pthread_self(), "nnburst-burst");
    system::wishRealtimePriority(realtimePriority_, "a thread that serves bursts");
    constexpr int kForEver = -1;
    int patience = static_cast<int>(kIdleTime.count());
    while (true) {
        epoll_event event{};
        const int count = ::epoll_wait(epoll_.get(), &event, 1, patience);
        if (count == 0) {
            if (mayLeave()) {
                return;
            }
            patience = kForEver;  // the last one: others that come later leave before it
        }
        if (count <= 0) {
            continue;
        }
        patience = static_cast<int>(kIdleTime.count());
        if (event.data.u64 == kEnd) {
            return;
        }
        const std::shared_ptr<Place::Entry> entry = find(event.data.u64);
        if (!entry || !entry->enter()) {
            continue;
        }
        --idle_;
        (void)ensureIdleThread();  // without one the next burst waits until a thread is free
        serve(*entry);
        ++idle_;
        if (hasSurplus() && mayLeave()) {
            return;
        }
    }
}

/// A socket can always be written to: asking anew tells of it at once.
void Workers::ring(const Place::Entry& entry) const noexcept {
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.u64 = entry.id}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, entry.bell.get(), &event);
}

void Workers::serve(Place::Entry& entry) noexcept {
    bool hasMore = false;
    do {
        drain(entry.bell.get());
        hasMore = entry.served->serve();
    } while (!entry.leave());
    if (hasMore) {
        ring(entry);  // after others that were rung for
    }
}

}  // namespace nnburst::burst
