// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/scheduler.h"

#include <semaphore.h>

#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <cerrno>
#include <utility>

#include "device/thread.h"

namespace nnburst::device {

/// Invariant: the semaphore counts the jobs in the queue, and at the end one more for each worker.
/// A worker that is let through and finds no job therefore knows that it is to end.
struct Scheduler::Shared {
    Shared() : jobs(kMaximumWaitingJobs) { ::sem_init(&available, 0, 0); }
    ~Shared() { ::sem_destroy(&available); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    void work() {
        while (true) {
            while (::sem_wait(&available) != 0) {
                assert(errno == EINTR);
            }
            Job* taken = nullptr;
            if (!jobs.pop(taken)) {
                return;
            }
            const std::unique_ptr<Job> job(taken);
            waiting.fetch_sub(1, std::memory_order_relaxed);  // only a count
            (*job)();
        }
    }

    boost::lockfree::queue<Job*> jobs;
    std::atomic<std::size_t> waiting{0};
    sem_t available{};
};

Result<std::unique_ptr<Scheduler>> Scheduler::create(const std::string& name,
                                                     std::size_t workerCount) {
    auto shared = std::make_shared<Shared>();
    std::unique_ptr<Scheduler> scheduler(new Scheduler(shared));
    scheduler->workers_.reserve(workerCount);
    for (std::size_t i = 0; i < workerCount; ++i) {
        NNBURST_TRY_ASSIGN(std::thread worker,
                           startThread(name + std::to_string(i), [shared] { shared->work(); }));
        scheduler->workers_.push_back(std::move(worker));
    }
    return scheduler;
}

Scheduler::~Scheduler() {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
        ::sem_post(&shared_->available);
    }
    for (std::thread& worker : workers_) {
        joinOrDetach(worker);
    }
}

Result<> Scheduler::trySubmit(Job job) {
    if (shared_->waiting.load(std::memory_order_relaxed) >= kMaximumWaitingJobs) {
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            "cannot start a job: " + std::to_string(kMaximumWaitingJobs) + " are waiting already");
    }
    submit(std::move(job));
    return {};
}

void Scheduler::submit(Job job) {
    auto owned = std::make_unique<Job>(std::move(job));
    shared_->waiting.fetch_add(1, std::memory_order_relaxed);
    shared_->jobs.push(owned.release());
    ::sem_post(&shared_->available);
}

}  // namespace nnburst::device
