// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/scheduler.h"

#include <semaphore.h>

#include <algorithm>
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <utility>

#include "system/thread.h"

namespace nnburst::device {

/// Invariant: the semaphore counts the jobs that wait, and at the end one more for each worker. A
/// worker that is let through and finds no job therefore knows that it is to end.
struct Scheduler::Shared {
    struct Waiting {
        exec::WaitingWork work;
        std::shared_ptr<Client::Account> account;
        Job job;
    };

    Shared() { ::sem_init(&available, 0, 0); }
    ~Shared() { ::sem_destroy(&available); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    void work() {
        while (true) {
            while (::sem_wait(&available) != 0) {
                assert(errno == EINTR);
            }
            const std::unique_ptr<Waiting> next = take();
            if (!next) {
                return;
            }
            next->job();
        }
    }

    /// The most urgent job; null if none is left.
    std::unique_ptr<Waiting> take() {
        const std::lock_guard lock(mutex);
        collect();
        if (waiting.empty()) {
            return nullptr;
        }
        const TimePoint now = std::chrono::steady_clock::now();
        const auto first = std::min_element(
            waiting.begin(), waiting.end(),
            [now](const auto& a, const auto& b) { return a->work.precedes(b->work, now); });
        std::unique_ptr<Waiting> taken = std::move(*first);
        waiting.erase(first);
        servedTurn = std::max(servedTurn, taken->work.turn - 1);
        waitingCount.fetch_sub(1, std::memory_order_relaxed);  // only counts
        taken->account->waiting.fetch_sub(1, std::memory_order_relaxed);
        return taken;
    }

    void bring(std::unique_ptr<Waiting> job) {
        if (brought.push(job.get())) {
            (void)job.release();
            return;
        }
        const std::lock_guard lock(mutex);
        collect();
        add(std::move(job));
    }

    /// Takes all that was brought to those that wait. Under the mutex.
    void collect() {
        Waiting* raw = nullptr;
        while (brought.pop(raw)) {
            add(std::unique_ptr<Waiting>(raw));
        }
    }

    /// Start-time fair queueing: the jobs of a client are numbered from the one that is served now,
    /// so that one that brings a few goes before one that has brought many. Under the mutex.
    void add(std::unique_ptr<Waiting> job) {
        Client::Account& account = *job->account;
        account.lastTurn = std::max(account.lastTurn, servedTurn) + 1;
        job->work.turn = account.lastTurn;
        waiting.push_back(std::move(job));
    }

    /// Whoever brings a job waits for the mutex only when this is full. All of it is part of this
    /// object: tools that look for leaks do not see through the tagged pointers of the other kind.
    boost::lockfree::queue<Waiting*, boost::lockfree::capacity<kMaximumWaitingJobs>> brought;
    std::atomic<std::size_t> waitingCount{0};
    sem_t available{};

    std::mutex mutex;
    std::vector<std::unique_ptr<Waiting>> waiting;  // guarded by mutex
    std::uint64_t servedTurn = 0;                   // guarded by mutex
};

Result<std::unique_ptr<Scheduler>> Scheduler::create(const std::string& name,
                                                     std::size_t workerCount) {
    auto shared = std::make_shared<Shared>();
    std::unique_ptr<Scheduler> scheduler(new Scheduler(shared));
    scheduler->workers_.reserve(workerCount);
    for (std::size_t i = 0; i < workerCount; ++i) {
        NNBURST_TRY_ASSIGN(std::thread worker, system::startThread(name + std::to_string(i),
                                                                   [shared] { shared->work(); }));
        scheduler->workers_.push_back(std::move(worker));
    }
    return scheduler;
}

Scheduler::~Scheduler() {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        ::sem_post(&shared_->available);
    }
    for (std::thread& worker : workers_) {
        system::joinOrOrphan(worker);
    }
}

bool Scheduler::isBusy() const noexcept {
    return shared_->waitingCount.load(std::memory_order_relaxed) != 0;
}

void Scheduler::submit(const exec::Urgency& urgency, std::shared_ptr<Client::Account> account,
                       Job job) {
    account->waiting.fetch_add(1, std::memory_order_relaxed);
    shared_->waitingCount.fetch_add(1, std::memory_order_relaxed);
    auto waiting = std::make_unique<Shared::Waiting>(
        Shared::Waiting{.work = {.urgency = urgency, .since = std::chrono::steady_clock::now()},
                        .account = std::move(account),
                        .job = std::move(job)});
    shared_->bring(std::move(waiting));
    ::sem_post(&shared_->available);
}

Result<> Scheduler::Client::trySubmit(const exec::Urgency& urgency, Job job) {
    const std::size_t ours = account_->waiting.load(std::memory_order_relaxed);
    if (ours >= kMaximumWaitingJobs) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       "cannot start a job: " + std::to_string(kMaximumWaitingJobs) +
                           " of this client are waiting already");
    }
    const std::size_t all = scheduler_->shared_->waitingCount.load(std::memory_order_relaxed);
    if (all >= Scheduler::kMaximumWaitingJobs) {
        return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                       "cannot start a job: " + std::to_string(Scheduler::kMaximumWaitingJobs) +
                           " are waiting already");
    }
    scheduler_->submit(urgency, account_, std::move(job));
    return {};
}

void Scheduler::Client::submit(Job job) {
    scheduler_->submit({}, account_, std::move(job));
}

}  // namespace nnburst::device
