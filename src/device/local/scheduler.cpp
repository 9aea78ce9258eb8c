// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "device/local/client_jobs.h"
#include "device/local/deadline_watch.h"
#include "device/local/job_queue.h"
#include "log/assert.h"
#include "log/client_log.h"
#include "system/mutex.h"
#include "system/scheduling.h"
#include "system/semaphore.h"
#include "system/thread.h"
#include "system/thread_set.h"

namespace nnburst::device {

namespace {

/// Interval between two updates of which clients are active: an update reads counters of all
/// clients.
constexpr std::chrono::milliseconds kBetweenUpdates{50};

/// Idle threads that do not end.
constexpr std::size_t kKeptIdleThreads = 2;

/// The kinds of jobs that end at their deadline if they have not begun. Control jobs are short:
/// they begin soon.
constexpr std::array kKindsWithDeadlines{JobKind::PREPARATION, JobKind::EXECUTION};

constexpr char letterOf(JobKind kind) noexcept {
    return "cpx"[indexOf(kind)];
}

/// Writes a line that clients can cause as often as they submit jobs. Without memory for it, it is
/// left out.
void logLimited(LogLevel level, const char* what, const char* why) noexcept {
    try {
        clientLog().write(level, fmt::format("{}: {}", what, why));
    } catch (const std::bad_alloc&) {
    }
}

void logMissingThread(const Error& error) noexcept {
    logLimited(LogLevel::WARNING, "jobs wait for the threads that there are",
               error.message.c_str());
}

void runLogged(const Job& job) noexcept {
    constexpr const char* kHasFailed = "a job has failed";
    try {
        job();
    } catch (const std::exception& exception) {
        logLimited(LogLevel::ERROR, kHasFailed, exception.what());
    } catch (...) {
        logLimited(LogLevel::ERROR, kHasFailed, "unknown exception");
    }
}

/// Runs the job, and destroys what it holds, which may take long. Gives the processor time.
std::chrono::nanoseconds run(QueuedJob& job, JobKind kind, bool hasLowPriority) noexcept {
    const std::chrono::nanoseconds before = system::processorTimeOfThread();
    std::optional<system::ScopedLowPriority> low;
    std::optional<system::ScopedBackgroundPriority> background;
    if (hasLowPriority && kind == JobKind::EXECUTION) {
        low.emplace();  // others may wait for the lane that it holds
    } else if (hasLowPriority) {
        background.emplace();
    }
    if (job.isLate) {
        job.job = nullptr;
        runLogged(job.late);
    } else {
        runLogged(job.job);
        job.job = nullptr;
    }
    job.late = nullptr;
    return system::processorTimeOfThread() - before;
}

}  // namespace

struct Scheduler::Shared : std::enable_shared_from_this<Scheduler::Shared> {
    using Jobs = Client::Jobs;

    /// The threads and clients of one kind of job.
    struct Pool {
        std::vector<std::shared_ptr<Jobs>> clients;  // with waiting jobs, in order of arrival
        std::uint64_t virtualTime = 0;
        std::size_t running = 0;      // jobs
        std::size_t idleThreads = 0;  // those that were not woken yet
        system::DurationHistogram waits;
        system::ThreadSet threads;

        // Jobs wake idle threads in turn, so that none may be idle for long although most are not
        // needed. Those are counted: the fewest that were idle in each period of endAfterIdle.
        TimePoint periodStart;
        std::size_t fewestIdle = 0;
        std::size_t unneededThreads = 0;

        void takeIdleThread() noexcept { fewestIdle = std::min(fewestIdle, --idleThreads); }

        /// A thread that has no job may end.
        [[nodiscard]] bool hasUnneededThread(std::chrono::milliseconds period,
                                             TimePoint now) noexcept {
            if (now - periodStart >= period) {
                unneededThreads = fewestIdle - std::min(fewestIdle, kKeptIdleThreads);
                fewestIdle = idleThreads;
                periodStart = now;
            }
            if (unneededThreads == 0 || idleThreads < kKeptIdleThreads) {
                return false;
            }
            --unneededThreads;
            return true;
        }
    };

    /// The clients, and which of them are active.
    class Clients {
      public:
        void add(Jobs& client) { clients_.push_back(&client); }
        void remove(Jobs& client) noexcept {
            std::erase(clients_, &client);
            activeCount_ -= client.isActive ? 1U : 0U;
            client.isActive = false;
        }

        /// Whether a client other than `client` was active at the last update.
        [[nodiscard]] bool isAnotherActive(const Jobs& client, TimePoint now) {
            if (now - lastUpdate_ >= kBetweenUpdates) {
                lastUpdate_ = now;
                activeCount_ = 0;
                for (Jobs* const each : clients_) {
                    each->updateIsActive(now);
                    activeCount_ += each->isActive ? 1U : 0U;
                }
            }
            return activeCount_ > (client.isActive ? 1U : 0U);
        }

      private:
        std::vector<Jobs*> clients_;
        TimePoint lastUpdate_;         // of which of them are active
        std::size_t activeCount_ = 0;  // at the last update
    };

    Shared(std::string threadName, const Limits& given)
        : name(std::move(threadName)), limits(given) {}

    /// Chooses an idle thread, or starts one if there may be more. Returns whether an idle one is
    /// to be woken, by the caller and after it has unlocked: the thread locks first.
    Result<bool> provideThread(JobKind kind, std::size_t limit) NNBURST_REQUIRES(mutex) {
        Pool& pool = pools[indexOf(kind)];
        pool.threads.joinEnded();
        if (pool.idleThreads != 0) {
            pool.takeIdleThread();
            return true;
        }
        if (pool.threads.size() >= limit) {
            return false;
        }
        const std::string threadName = name + letterOf(kind) + std::to_string(pool.threads.size());
        NNBURST_TRY(pool.threads.start(threadName,
                                       [self = shared_from_this(), kind] { self->serve(kind); }));
        return false;
    }

    /// The calling thread has run a job of `client` and has taken another one, which the end of the
    /// first may have allowed. Provides a thread for a second one of `client` that this end allows:
    /// if no other of its jobs runs, or if one that waits is now more urgent than all that run.
    /// Returns as provideThread. Not once the scheduler is destroyed: it joins the threads.
    bool provideSecondThread(const Jobs& client, JobKind kind) noexcept NNBURST_REQUIRES(mutex) {
        const JobQueue& queue = client.queues[indexOf(kind)];
        const std::size_t running = queue.runningCount();
        if (isStopping || (running != 0 && running != limits.threadsPerClient) || queue.isEmpty() ||
            !client.mayRunMore(kind, limits) ||
            pools[indexOf(kind)].running >= client.threadLimit(kind, limits)) {
            return false;
        }
        return provideThreadOrLog(client, kind);
    }

    /// provideThread for a job that waits: without one it waits on.
    bool provideThreadOrLog(const Jobs& client, JobKind kind) noexcept NNBURST_REQUIRES(mutex) {
        try {
            const Result<bool> provided = provideThread(kind, client.threadLimit(kind, limits));
            if (provided) {
                return *provided;
            }
            logMissingThread(provided.error());
        } catch (const std::bad_alloc&) {
            // As where the system gives no thread: the next thread that is free runs the job.
        }
        return false;
    }

    void serve(JobKind kind) {
        mutex.lock();
        Pool& pool = pools[indexOf(kind)];
        std::shared_ptr<Jobs> ended;  // the client whose job this thread has just run
        while (true) {
            Taken taken = take(kind);
            const bool wakesThread =
                taken.client != nullptr && ended != nullptr && provideSecondThread(*ended, kind);
            ended = nullptr;
            if (taken.client != nullptr) {
                mutex.unlock();
                if (wakesThread) {
                    wakeUps[indexOf(kind)].release();
                }
                const std::chrono::nanoseconds used = run(*taken.job, kind, taken.hasLowPriority);
                mutex.lock();
                if (kind != JobKind::EXECUTION) {
                    taken.client->controlUse.add(used, std::chrono::steady_clock::now());
                }
                --pool.running;
                taken.client->end(kind, taken.job);
                ended = std::move(taken.client);
                continue;
            }
            if (isStopping) {
                break;
            }
            if (pool.hasUnneededThread(limits.endAfterIdle, std::chrono::steady_clock::now())) {
                pool.threads.endSelf();
                break;
            }
            ++pool.idleThreads;
            if (!awaitWakeUp(kind)) {
                --pool.idleThreads;
                pool.threads.endSelf();
                break;
            }
        }
        mutex.unlock();
    }

    /// Waits until the calling thread, which is idle, is chosen for a job. False if it was not, and
    /// is not needed.
    bool awaitWakeUp(JobKind kind) NNBURST_REQUIRES(mutex) {
        system::Semaphore& wakeUp = wakeUps[indexOf(kind)];
        mutex.unlock();
        const bool isChosen =
            wakeUp.acquireUntil(std::chrono::steady_clock::now() + limits.endAfterIdle);
        mutex.lock();
        if (isChosen) {
            return true;
        }
        if (pools[indexOf(kind)].idleThreads > kKeptIdleThreads && !isStopping) {
            return false;
        }
        mutex.unlock();
        wakeUp.acquire();  // one of the last: others that become idle end before it
        mutex.lock();
        return true;
    }

    struct Taken {
        std::shared_ptr<Jobs> client;  // null if no client may run one
        std::list<QueuedJob>::iterator job;
        bool hasLowPriority = false;
    };

    /// From this number of running jobs on, a client counts as one that takes much. Not 2: a client
    /// that waits for each answer has two for a moment, until the thread of the finished job looks
    /// for another one.
    static constexpr std::size_t kManyRunning = 3;

    /// Takes the job with the smallest start tag. Start-time fair queueing: the start tags of a
    /// client's jobs count up from the virtual time, so that a client with few jobs goes before one
    /// with many.
    Taken take(JobKind kind) NNBURST_REQUIRES(mutex) {
        Pool& pool = pools[indexOf(kind)];
        auto next = pool.clients.end();
        std::uint64_t nextTag = 0;
        for (auto client = pool.clients.begin(); client != pool.clients.end(); ++client) {
            const JobQueue& queue = (*client)->queues[indexOf(kind)];
            const std::uint64_t startTag = std::max(queue.lastStartTag, pool.virtualTime) + 1;
            // A thread that was started for a client without running jobs is not for others.
            if ((next == pool.clients.end() || startTag < nextTag) &&
                pool.running < (*client)->threadLimit(kind, limits) &&
                (*client)->mayRunMore(kind, limits)) {
                next = client;
                nextTag = startTag;
            }
        }
        if (next == pool.clients.end()) {
            return {};
        }
        Taken taken{.client = *next, .job = {}};
        JobQueue& queue = taken.client->queues[indexOf(kind)];
        queue.lastStartTag = nextTag;
        pool.virtualTime = std::max(pool.virtualTime, nextTag - 1);
        const TimePoint now = std::chrono::steady_clock::now();
        taken.job = taken.client->start(kind, limits, now);
        pool.waits.add(now - taken.job->work.since);
        taken.client->discountWaiting(*taken.job, limitedWaiting);
        ++pool.running;
        const bool takesMuch = queue.runningCount() >= kManyRunning || !queue.isEmpty() ||
                               (kind != JobKind::EXECUTION && taken.client->controlUse.isMuch(now));
        taken.hasLowPriority =
            limits.lowersPriorities && takesMuch && clients.isAnotherActive(*taken.client, now);
        if (queue.isEmpty()) {
            pool.clients.erase(next);
        }
        return taken;
    }

    void add(Jobs& client) {
        const system::MutexLock lock(mutex);
        clients.add(client);
    }

    void remove(Jobs& client) {
        const system::MutexLock lock(mutex);
        clients.remove(client);
    }

    /// Fails only if there is no thread at all for jobs of this kind.
    Result<> add(JobKind kind, const std::shared_ptr<Jobs>& client, QueuedJob job) {
        std::list<QueuedJob> added;
        added.push_back(std::move(job));
        NNBURST_TRY_ASSIGN(const bool wakesThread, addWithoutWaking(kind, client, added));
        if (wakesThread) {
            wakeUps[indexOf(kind)].release();
        }
        return {};
    }

    /// Moves the one job of `added` to those of `client`. Returns whether an idle thread is to be
    /// woken.
    Result<bool> addWithoutWaking(JobKind kind, const std::shared_ptr<Jobs>& client,
                                  std::list<QueuedJob>& added) {
        const system::MutexLock lock(mutex);
        bool wakesThread = false;
        QueuedJob& job = added.front();
        Pool& pool = pools[indexOf(kind)];
        JobQueue& queue = client->queues[indexOf(kind)];
        pool.clients.reserve(pool.clients.size() + 1);  // before an idle thread is chosen
        if (kind != JobKind::CONTROL && job.late && job.work.urgency.deadline) {
            watch(*job.work.urgency.deadline);
        }
        // A client or user at its limit needs no thread: one that runs its jobs comes back for this
        // one (serve).
        if (client->mayRunMore(kind, limits, &job)) {
            if (Result<bool> provided = provideThread(kind, client->threadLimit(kind, limits))) {
                wakesThread = *provided;
            } else if (pool.threads.size() == 0) {
                return provided;
            } else {
                logMissingThread(provided.error());
            }
        }
        if (queue.isEmpty()) {
            pool.clients.push_back(client);
        }
        job.work.since = std::chrono::steady_clock::now();
        job.work.arrival = arrivals++;
        client->countWaiting(job, limitedWaiting);
        queue.add(added);
        return wakesThread;
    }

    /// Has the watcher look at this deadline. Without that thread a job waits for its own, however
    /// late it is.
    void watch(TimePoint deadline) NNBURST_REQUIRES(mutex) {
        if (!watcher.joinable()) {
            auto started = system::startThread(
                name + 'd', [self = shared_from_this()] { self->watchDeadlines(); });
            if (!started) {
                logMissingThread(started.error());
                return;
            }
            watcher = std::move(*started);
        }
        deadlines.add(deadline);
    }

    void watchDeadlines() {
        const system::MutexLock lock(mutex);
        while (deadlines.await(mutex)) {
            const TimePoint now = std::chrono::steady_clock::now();
            try {
                for (const JobKind kind : kKindsWithDeadlines) {
                    endLateWaits(kind, now);
                }
            } catch (const std::bad_alloc&) {
                deadlines.add(now);  // what has not ended is found again
            }
        }
    }

    /// Makes control jobs of the jobs whose deadline has passed.
    void endLateWaits(JobKind kind, TimePoint now) NNBURST_REQUIRES(mutex) {
        Pool& pool = pools[indexOf(kind)];
        std::vector<std::shared_ptr<Jobs>>& withControlJobs =
            pools[indexOf(JobKind::CONTROL)].clients;
        withControlJobs.reserve(withControlJobs.size() + pool.clients.size());
        TimePoint nextDeadline = TimePoint::max();
        for (const std::shared_ptr<Jobs>& client : pool.clients) {
            std::list<QueuedJob> late = client->queues[indexOf(kind)].takeLate(now, nextDeadline);
            for (QueuedJob& job : late) {
                pool.waits.add(now - job.work.since);
                job.work.since = now;
                job.isLate = true;
            }
            addToControlJobs(client, late);
        }
        std::erase_if(pool.clients, [kind](const std::shared_ptr<Jobs>& client) {
            return client->queues[indexOf(kind)].isEmpty();
        });
        deadlines.add(nextDeadline);
    }

    void addToControlJobs(const std::shared_ptr<Jobs>& client, std::list<QueuedJob>& jobs) noexcept
        NNBURST_REQUIRES(mutex) {
        constexpr JobKind kKind = JobKind::CONTROL;
        JobQueue& queue = client->queues[indexOf(kKind)];
        if (queue.isEmpty() && !jobs.empty()) {
            pools[indexOf(kKind)].clients.push_back(client);
        }
        const std::size_t threads = std::min(jobs.size(), limits.threadsPerClient);
        queue.add(jobs);
        for (std::size_t i = 0; i < threads && client->mayRunMore(kKind, limits); ++i) {
            if (provideThreadOrLog(*client, kKind)) {
                wakeUps[indexOf(kKind)].release();
            }
        }
    }

    const std::string name;
    const Limits limits;
    std::atomic<std::size_t> limitedWaiting{0};

    system::Mutex mutex;
    std::array<Pool, kJobKinds> pools NNBURST_GUARDED_BY(mutex);
    std::uint64_t arrivals NNBURST_GUARDED_BY(mutex) = 0;
    Clients clients NNBURST_GUARDED_BY(mutex);
    bool isStopping NNBURST_GUARDED_BY(mutex) = false;
    DeadlineWatch deadlines NNBURST_GUARDED_BY(mutex);  // of jobs that wait
    std::thread watcher NNBURST_GUARDED_BY(mutex);      // starts with the first deadline
    std::array<system::Semaphore, kJobKinds>
        wakeUps;  ///< idle threads wait; one for each that is woken
};

Result<std::unique_ptr<Scheduler>> Scheduler::create(const std::string& name,
                                                     const Limits& limits) {
    std::unique_ptr<Scheduler> scheduler(new Scheduler(std::make_shared<Shared>(name, limits)));
    Shared& shared = *scheduler->shared_;
    const system::MutexLock lock(shared.mutex);
    NNBURST_TRY_ASSIGN(const bool wakesThread,
                       shared.provideThread(JobKind::CONTROL, limits.threads));
    NNBURST_ASSERT(!wakesThread, "a thread is idle before the first was started");
    return scheduler;
}

Scheduler::~Scheduler() {
    std::array<std::vector<std::thread>, kJobKinds> threads;
    std::thread watcher;
    {
        const system::MutexLock lock(shared_->mutex);
        shared_->isStopping = true;
        shared_->deadlines.stop();
        watcher = std::move(shared_->watcher);
        for (std::size_t kind = 0; kind < kJobKinds; ++kind) {
            Shared::Pool& pool = shared_->pools[kind];
            threads[kind] = pool.threads.takeAll();
            for (; pool.idleThreads > 0; --pool.idleThreads) {
                shared_->wakeUps[kind].release();
            }
        }
    }
    system::joinOrOrphan(watcher);
    for (std::vector<std::thread>& ofKind : threads) {
        for (std::thread& thread : ofKind) {
            system::joinOrOrphan(thread);
        }
    }
}

bool Scheduler::isBusy() const noexcept {
    if (shared_->limitedWaiting.load(std::memory_order_relaxed) != 0) {
        return true;
    }
    const system::MutexLock lock(shared_->mutex);
    return !shared_->pools[indexOf(JobKind::EXECUTION)].clients.empty();
}

system::DurationHistogram Scheduler::waits(JobKind kind) const {
    const system::MutexLock lock(shared_->mutex);
    return shared_->pools[indexOf(kind)].waits;
}

Scheduler::Client::Client(std::shared_ptr<Scheduler> scheduler, std::shared_ptr<User> user,
                          std::shared_ptr<const exec::ExecutionCounts> executions)
    : scheduler_(std::move(scheduler)),
      jobs_(std::make_shared<Jobs>(user ? std::move(user) : std::make_shared<User>(),
                                   std::move(executions))) {
    scheduler_->shared_->add(*jobs_);
}

Scheduler::Client::~Client() {
    scheduler_->shared_->remove(*jobs_);
}

Result<> Scheduler::Client::trySubmit(JobKind kind, const exec::Urgency& urgency, Job job,
                                      Job late) {
    const auto refuseFrom = [](std::size_t limit, const std::atomic<std::size_t>& waiting,
                               const char* whose) -> Result<> {
        if (waiting.load(std::memory_order_relaxed) < limit) {
            return {};
        }
        return failure(
            ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
            "cannot start a job: " + std::to_string(limit) + whose + " are waiting already");
    };
    const Limits& limits = scheduler_->shared_->limits;
    NNBURST_TRY(refuseFrom(limits.waitingJobsPerClient, jobs_->limitedWaiting, " of this client"));
    NNBURST_TRY(refuseFrom(limits.waitingJobsPerUser, jobs_->user->limitedWaiting_,
                           " of this user's clients"));
    NNBURST_TRY(refuseFrom(limits.waitingJobs, scheduler_->shared_->limitedWaiting, ""));
    return scheduler_->shared_->add(kind, jobs_,
                                    {.work = {.urgency = urgency, .since = {}},
                                     .job = std::move(job),
                                     .late = std::move(late),
                                     .isLimited = true});
}

Result<> Scheduler::Client::submitAccepted(JobKind kind, const exec::Urgency& urgency, Job job,
                                           Job late) {
    return scheduler_->shared_->add(kind, jobs_,
                                    {.work = {.urgency = urgency, .since = {}},
                                     .job = std::move(job),
                                     .late = std::move(late),
                                     .isLimited = false});
}

void Scheduler::Client::submit(Job job) {
    const Result<> added = submitAccepted(JobKind::CONTROL, {}, std::move(job));
    NNBURST_ASSERT(added.has_value(), "a control job was refused although there is a thread");
}

bool isPast(const OptionalTimePoint& deadline) noexcept {
    return deadline && *deadline <= std::chrono::steady_clock::now();
}

tl::unexpected<Error> missedBeforeStart(const char* what, bool wasLateAtLaunch) {
    const ErrorStatus status = wasLateAtLaunch ? ErrorStatus::MISSED_DEADLINE_PERSISTENT
                                               : ErrorStatus::MISSED_DEADLINE_TRANSIENT;
    try {
        return failure(status, fmt::format("the deadline of {} passed {}", what,
                                           wasLateAtLaunch ? "before the launch"
                                                           : "while it waited for a thread"));
    } catch (const std::bad_alloc&) {
        return failure(status, "out of memory");  // short: a string without a block of its own
    }
}

}  // namespace nnburst::device
