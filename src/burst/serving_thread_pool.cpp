// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/serving_thread_pool.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "log/assert.h"
#include "system/interruption.h"
#include "system/realtime.h"
#include "system/scheduling.h"

namespace nnburst::burst {

namespace {

/// Idle time after which a thread ends, unless it is one of the last kKeptIdleThreads.
constexpr std::chrono::milliseconds kEndAfterIdle{2000};

/// Two idle threads stay in epoll_wait: one takes the next doorbell, the second is ready for the
/// one after it, so no request waits for a thread to start.
constexpr std::size_t kKeptIdleThreads = 2;

/// The ids of the eventfds of a pool; registrations have others.
constexpr std::uint64_t kEndId = 0;
constexpr std::uint64_t kRungId = std::numeric_limits<std::uint64_t>::max();

/// Takes away what the client has sent, so that it can send again. It cannot have sent more than
/// kLongestQueue datagrams: the queue of such a socket is shorter.
void drain(int socket) noexcept {
    // A client may send sockets along, which linger when they are dropped.
    const system::ScopedInterruption interruption;
    constexpr int kLongestQueue = 1024;
    char byte = 0;
    for (int i = 0; i < kLongestQueue && ::recv(socket, &byte, 1, MSG_DONTWAIT) >= 0; ++i) {
    }
}

void signal(const UniqueFd& eventFd) noexcept {
    const std::uint64_t one = 1;
    (void)!::write(eventFd.get(), &one, sizeof(one));
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
struct ServingThreadPool::Registration::Entry : ServingShares::Candidate, fmq::SpinAllowance {
    enum class State : std::uint8_t {
        PARKED,      ///< no thread serves it
        SERVED,      ///< one thread serves it
        RUNG_AGAIN,  ///< one thread serves it and has to look again before it leaves
        REMOVED,     ///< never to be served again
    };

    Entry(SpinShares& spinShares, BurstPlacement& placement)
        : spins(spinShares), assignment(placement) {}
    ~Entry() override = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    [[nodiscard]] bool tryBeginSpin() noexcept override {
        return spins.tryBegin(owner.user->spins, owner.client->spins);
    }
    void endSpin() noexcept override { spins.end(owner.user->spins, owner.client->spins); }

    SpinShares& spins;  ///< of the pool
    BurstPlacement::Assignment assignment;
    std::uint64_t id = kEndId;
    Servable* burst = nullptr;
    UniqueFd driverEnd;  ///< of the doorbell, until the burst is removed
    UniqueFd clientEnd;  ///< of the doorbell, until it is taken
    std::atomic<State> state{State::PARKED};
    ListElement<Entry> amongRung{*this};  ///< of the pool

    /// The next thread that enters sees what the calling thread has set up.
    void publish() noexcept {
        State parked = State::PARKED;
        // sync [burst-served]
        (void)state.compare_exchange_strong(parked, State::PARKED, std::memory_order_release);
    }

    /// The doorbell was rung. Tells the thread that serves the burst, if there is one, to serve it
    /// once more before it leaves. False if the burst is PARKED: the caller has to serve it.
    bool tryHandOver() noexcept {
        State seen = state.load(std::memory_order_acquire);
        while (seen == State::SERVED) {
            if (state.compare_exchange_weak(seen, State::RUNG_AGAIN, std::memory_order_acq_rel)) {
                return true;
            }
        }
        return seen != State::PARKED;
    }

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

fmq::SpinAllowance& ServingThreadPool::Registration::spinAllowance() const noexcept {
    NNBURST_ASSERT(entry_ != nullptr, "the registration is empty");
    return *entry_;
}

BurstPlacement::Assignment& ServingThreadPool::Registration::assignment() const noexcept {
    NNBURST_ASSERT(entry_ != nullptr, "the registration is empty");
    return entry_->assignment;
}

void ServingThreadPool::Registration::ring() const noexcept {
    NNBURST_ASSERT(entry_ != nullptr, "the registration is empty");
    entry_->publish();
    const system::MutexLock lock(pool_->mutex_);
    pool_->ring(*entry_);
}

ServingThreadPool::ScopedClientWait::ScopedClientWait(ServingThreadPool& pool) noexcept
    : pool_(pool) {
    ++pool_.clientWaits_;
    pool_.startReplacement();
    pool_.ringWaiting();  // another one may be served meanwhile
}

ServingThreadPool::ScopedClientWait::~ScopedClientWait() {
    --pool_.clientWaits_;
    pool_.ringWaiting();
}

Result<std::shared_ptr<ServingThreadPool>> ServingThreadPool::create(
    std::size_t maximumThreads, std::uint32_t realtimePriority) {
    std::shared_ptr<ServingThreadPool> pool(
        new ServingThreadPool(maximumThreads, realtimePriority));
    pool->epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
    pool->end_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    pool->rings_ = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    epoll_event end{.events = EPOLLIN, .data = {.u64 = kEndId}};
    epoll_event rung{.events = EPOLLIN | EPOLLET, .data = {.u64 = kRungId}};
    if (!pool->epoll_ || !pool->end_ || !pool->rings_ ||
        ::epoll_ctl(pool->epoll_.get(), EPOLL_CTL_ADD, pool->end_.get(), &end) != 0 ||
        ::epoll_ctl(pool->epoll_.get(), EPOLL_CTL_ADD, pool->rings_.get(), &rung) != 0) {
        return exhausted("descriptor");
    }
    return pool;
}

ServingThreadPool::~ServingThreadPool() {
    std::vector<std::thread> threads;
    {
        const system::MutexLock lock(mutex_);
        NNBURST_ASSERT(entries_.empty(), "{} bursts are still registered", entries_.size());
        // From now on ensureIdleThread starts no thread, even if a thread has just received the
        // doorbell of the last burst.
        isEnding_ = true;
        threads = threads_.takeAll();
    }
    signal(end_);  // stays readable: all threads see it
    for (std::thread& thread : threads) {
        thread.join();
    }
}

Result<ServingThreadPool::Registration> ServingThreadPool::add(
    const std::shared_ptr<ServingThreadPool>& pool, Servable& burst, const SharedAccount& account) {
    auto entry = std::make_shared<Registration::Entry>(pool->spins_, pool->placement_);
    entry->burst = &burst;
    // A socket, because the two ends share no state: what the client does to its end does not block
    // the driver's. The driver's own rings go another way (`ring`): unread datagrams would stop
    // them.
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return exhausted("descriptor");
    }
    entry->driverEnd = UniqueFd(ends[0]);
    entry->clientEnd = UniqueFd(ends[1]);
    NNBURST_TRY(pool->ensureIdleThread());
    const system::MutexLock lock(pool->mutex_);
    entry->id = ++pool->lastId_;
    entry->owner = pool->shares_.ownerOf(account);
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.u64 = entry->id}};
    if (::epoll_ctl(pool->epoll_.get(), EPOLL_CTL_ADD, entry->driverEnd.get(), &event) != 0) {
        return exhausted("entry in epoll");
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
        if (removed->isWaiting()) {
            shares_.removeWaiting(*removed);
        }
        if (removed->amongRung.isInList()) {
            removed->amongRung.leave(rung_);
        }
        --registrationCount_;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, entry.driverEnd.get(), nullptr);
    }
    removed->remove();
    // Not left to the last owner, which may be a thread that waits for doorbells: closing takes as
    // long as the client likes.
    const system::ScopedInterruption interruption;  // as in drain()
    removed->driverEnd.reset();
}

/// The burst with this id, whose client has rung, or for kRungId the first that the driver has
/// rung; null if it is removed.
std::shared_ptr<ServingThreadPool::Registration::Entry> ServingThreadPool::takeRing(
    std::uint64_t id) noexcept {
    const system::MutexLock lock(mutex_);
    if (id == kRungId) {
        if (rung_.empty()) {
            return nullptr;
        }
        Registration::Entry& first = *rung_.front();
        first.amongRung.leave(rung_);
        if (!rung_.empty()) {
            signal(rings_);  // several rings may have been reported as one
        }
        id = first.id;
    }
    const auto found = entries_.find(id);
    return found != entries_.end() ? found->second : nullptr;
}

/// Starts a thread if none waits for doorbells. That there is always one, also beyond those that
/// are allowed, lets bursts be served that may be served in any case.
Result<> ServingThreadPool::ensureIdleThread() {
    const system::MutexLock lock(mutex_);
    if (isEnding_) {
        return {};
    }
    threads_.joinEnded();
    if (idle_.load(std::memory_order_relaxed) != 0) {
        return {};
    }
    NNBURST_TRY(threads_.start("nnburst-burst", [this] { runThread(); }));
    ++threadCount_;
    ++idle_;  // for the new thread, which is not waiting yet
    return {};
}

/// The calling thread stops waiting for doorbells while it serves. If no thread can be started, the
/// next one whose turn ends waits for doorbells (endAndTakeWaiting).
void ServingThreadPool::startReplacement() noexcept {
    bool isThere = false;
    try {
        isThere = ensureIdleThread().has_value();
    } catch (const std::bad_alloc&) {
        // Counts as a failed start.
    }
    isStartRefused_.store(!isThere, std::memory_order_relaxed);
}

/// Threads that wait for their clients do not count.
std::size_t ServingThreadPool::allowedThreads() const noexcept {
    return maximumThreads_ + clientWaits_.load(std::memory_order_relaxed);
}

/// The calling thread, which serves no burst, may end: enough others are idle as well, or there are
/// more than are allowed now that some clients have answered. If it may, it counts as ended.
bool ServingThreadPool::mayEnd() noexcept {
    const system::MutexLock lock(mutex_);
    const std::size_t kept =
        threadCount() <= allowedThreads() + kKeptIdleThreads ? kKeptIdleThreads : 1;
    if (idle_.load(std::memory_order_relaxed) <= kept) {
        return false;
    }
    --idle_;
    --threadCount_;
    threads_.endSelf();
    return true;
}

void ServingThreadPool::runThread() noexcept {
    system::tryTakeRealtimePriority(realtimePriority_, "a thread that serves bursts");
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
        if (const auto entry = takeRing(event.data.u64)) {
            answerRing(entry);
        }
        if (threadCount() > allowedThreads() + kKeptIdleThreads && mayEnd()) {
            return;
        }
    }
}

/// Rings from the driver's side. Each write is reported, to one thread, although the counter is
/// never read.
void ServingThreadPool::ring(Registration::Entry& entry) noexcept {
    if (!entry.amongRung.isInList()) {
        entry.amongRung.join(rung_);
    }
    signal(rings_);
}

/// Serves a burst that was rung, and then those that wait for a thread.
void ServingThreadPool::answerRing(const std::shared_ptr<Registration::Entry>& entry) noexcept {
    NextBurst next = entry->tryHandOver() ? NextBurst() : beginOrWait(entry);
    if (next.entry == nullptr) {
        return;
    }
    --idle_;
    startReplacement();
    while (next.entry != nullptr) {
        const bool hasMore = next.entry->enter() && serve(next);
        next = endAndTakeWaiting(*next.entry, hasMore);
    }
    ++idle_;
}

/// True if there is more to do.
bool ServingThreadPool::serve(const NextBurst& next) noexcept {
    std::optional<system::ScopedLowPriority> lowPriority;
    if (next.isOneOfMany) {
        lowPriority.emplace();
    }
    Registration::Entry& entry = *next.entry;
    const ServingTurn turn(next.isOneOfMany, entry.owner.client->hasMany, areSeveralServed_);
    while (true) {
        drain(entry.driverEnd.get());
        const bool hasMore = entry.burst->serve(turn);
        entry.assignment.leave();
        if (entry.leave()) {
            return hasMore;
        }
        if (hasMore) {  // it looks again in its next turn
            while (!entry.leave()) {
            }
            return true;
        }
    }
}

/// The turn of `entry`, if the calling thread may serve it. If not, another one will.
ServingThreadPool::NextBurst ServingThreadPool::beginOrWait(
    const std::shared_ptr<Registration::Entry>& entry) noexcept {
    const system::MutexLock lock(mutex_);
    if (shares_.mayBegin(entry->owner, clientWaits_.load(std::memory_order_relaxed))) {
        NextBurst next = begin(entry);
        ringNextWaiting();
        return next;
    }
    addToWaiting(*entry);
    return {};
}

ServingThreadPool::NextBurst ServingThreadPool::begin(
    std::shared_ptr<Registration::Entry> entry) noexcept {
    const auto now = std::chrono::steady_clock::now();
    shares_.begin(entry->owner, now);
    const bool isOneOfMany = shares_.isOneOfMany(entry->owner, now);
    return {.entry = std::move(entry), .isOneOfMany = isOneOfMany};
}

/// The calling thread has served `entry`. Gives the turn of the burst that it is to serve next, if
/// one waits that may be served. If no thread waits for doorbells, gives none: the calling thread
/// must wait for them, and serves the bursts in the order in which they were rung.
ServingThreadPool::NextBurst ServingThreadPool::endAndTakeWaiting(Registration::Entry& entry,
                                                                  bool hasMore) noexcept {
    const system::MutexLock lock(mutex_);
    shares_.end(entry.owner, std::chrono::steady_clock::now());
    if (hasMore) {
        addToWaiting(entry);  // served again after others that were rung before
    }
    NextBurst next;
    if (idle_.load(std::memory_order_relaxed) != 0) {
        if (const Registration::Entry* const waiting = takeWaiting()) {
            next = begin(entries_.find(waiting->id)->second);
        }
    }
    ringNextWaiting();
    return next;
}

void ServingThreadPool::addToWaiting(Registration::Entry& entry) noexcept {
    // Not if it was removed meanwhile.
    if (!entry.isWaiting() && entries_.find(entry.id) != entries_.end()) {
        shares_.addWaiting(entry);
    }
}

/// More or fewer threads may serve.
void ServingThreadPool::ringWaiting() noexcept {
    const system::MutexLock lock(mutex_);
    ringNextWaiting();
}

/// Rings a burst that waits and may be served now. The thread that begins to serve it rings the
/// next one: the end of one burst may allow several, where it was the last of its user.
void ServingThreadPool::ringNextWaiting() noexcept {
    noteServed();
    if (Registration::Entry* const next = takeWaiting()) {
        ring(*next);
    }
}

/// Takes the burst that has waited longest of those that may be served; null if there is none.
ServingThreadPool::Registration::Entry* ServingThreadPool::takeWaiting() noexcept {
    return static_cast<Registration::Entry*>(
        shares_.takeWaiting(clientWaits_.load(std::memory_order_relaxed)));
}

void ServingThreadPool::noteServed() noexcept {
    isFull_.store(shares_.served() >= allowedThreads(), std::memory_order_relaxed);
    areSeveralServed_.store(shares_.clientsServed() > 1, std::memory_order_relaxed);
    spins_.setServed(shares_.usersServed(), shares_.clientsServed());
}

}  // namespace nnburst::burst
