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

#include "log/assert.h"
#include "log/limited_log.h"
#include "system/mutex.h"
#include "system/scheduling.h"
#include "system/semaphore.h"
#include "system/thread.h"
#include "system/thread_set.h"

namespace nnburst::device {

namespace {

struct WaitingJob {
    exec::WaitingWork work;
    Job job;
    bool isLimited;  // submitted with trySubmit
};

constexpr std::size_t kKinds = 2;

/// A client is active until this long after its last job has begun or its last execution has ended.
constexpr std::chrono::seconds kActiveFor{1};
/// Interval between two updates of which clients are active: an update reads counters of all
/// clients.
constexpr std::chrono::milliseconds kBetweenUpdates{50};

/// Idle threads that do not end.
constexpr std::size_t kKeptIdleThreads = 2;

constexpr std::size_t indexOf(JobKind kind) noexcept {
    return static_cast<std::size_t>(kind);
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

/// The processor time that a client's control jobs have used beyond their share.
class ControlUse {
  public:
    void add(std::chrono::nanoseconds used, TimePoint now) noexcept {
        beyondShare_ = beyondShareAt(now) + used;
        lastAdded_ = now;
    }
    /// Such as one that has kept a thread busy for 14 ms.
    [[nodiscard]] bool isMuch(TimePoint now) const noexcept { return beyondShareAt(now) > kMuch; }

  private:
    static constexpr std::chrono::milliseconds kMuch{10};
    /// A quarter of a processor is a client's share.
    static constexpr int kShare = 4;

    [[nodiscard]] std::chrono::nanoseconds beyondShareAt(TimePoint now) const noexcept {
        return std::max(beyondShare_ - (now - lastAdded_) / kShare, std::chrono::nanoseconds(0));
    }

    std::chrono::nanoseconds beyondShare_{};
    TimePoint lastAdded_{};
};

}  // namespace

struct Scheduler::Client::Jobs {
    Jobs(std::shared_ptr<User> givenUser,
         std::shared_ptr<const exec::ExecutionCounts> givenExecutions) noexcept
        : user(std::move(givenUser)), executions(std::move(givenExecutions)) {}

    void updateIsActive(TimePoint now) {
        const std::uint64_t ended = executions ? executions->endedCount() : 0;
        if (ended != endedBefore) {
            endedBefore = ended;
            lastActive = now;
        }
        isActive = lastActive && now - *lastActive < kActiveFor;
    }

    std::atomic<std::size_t> limitedWaiting{0};  // of both kinds, submitted with trySubmit

    /// The jobs of one kind. Guarded by the scheduler's mutex.
    struct Queue {
        /// Submitted with trySubmit: there are few.
        std::list<WaitingJob> limited;
        /// Submitted with submit, in the order of their arrival: there may be tens of thousands.
        std::list<WaitingJob> unlimited;
        std::size_t running = 0;
        std::uint64_t lastStartTag = 0;

        [[nodiscard]] bool isEmpty() const noexcept { return limited.empty() && unlimited.empty(); }
        /// Those of the kind of `job`.
        [[nodiscard]] std::list<WaitingJob>& listFor(const WaitingJob& job) noexcept {
            return job.isLimited ? limited : unlimited;
        }
        [[nodiscard]] WaitingJob takeMostUrgent(TimePoint now);
    };
    std::array<Queue, kKinds> queues;
    const std::shared_ptr<User> user;                               ///< not null
    const std::shared_ptr<const exec::ExecutionCounts> executions;  ///< null: jobs alone

    // Guarded by the scheduler's mutex.
    std::uint64_t endedBefore = 0;  // executions, at the last update
    std::optional<TimePoint> lastActive;
    ControlUse controlUse;
    bool isActive = false;  // at the last update
};

WaitingJob Scheduler::Client::Jobs::Queue::takeMostUrgent(TimePoint now) {
    const auto precedes = [now](const WaitingJob& a, const WaitingJob& b) {
        return a.work.precedes(b.work, now);
    };
    auto next = std::min_element(limited.begin(), limited.end(), precedes);
    // Those without a limit are equally urgent, so that the first of them precedes the others.
    if (!unlimited.empty() && (limited.empty() || precedes(unlimited.front(), *next))) {
        next = unlimited.begin();
    }
    WaitingJob job = std::move(*next);
    listFor(job).erase(next);
    return job;
}

struct Scheduler::Shared : std::enable_shared_from_this<Scheduler::Shared> {
    using Jobs = Client::Jobs;

    /// The threads and clients of one kind of job.
    struct Pool {
        std::vector<std::shared_ptr<Jobs>> clients;  // with waiting jobs, in order of arrival
        std::uint64_t virtualTime = 0;
        std::size_t running = 0;      // jobs
        std::size_t idleThreads = 0;  // those that were not woken yet
        std::uint64_t arrivals = 0;
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
        const std::string threadName =
            name + (kind == JobKind::CONTROL ? 'c' : 'x') + std::to_string(pool.threads.size());
        NNBURST_TRY(pool.threads.start(threadName,
                                       [self = shared_from_this(), kind] { self->serve(kind); }));
        return false;
    }

    /// The calling thread has run a job of `client` and has taken one of another client, which the
    /// end of the first may have allowed. If nothing of `client` runs any more, that end has
    /// allowed a job of it, too: provides a thread for that. Returns as provideThread. Not once the
    /// scheduler is destroyed: it has taken the threads to join.
    bool provideThreadToIdle(const Jobs& client, JobKind kind) noexcept NNBURST_REQUIRES(mutex) {
        const Jobs::Queue& queue = client.queues[indexOf(kind)];
        const std::size_t limit = threadLimitFor(client, kind);
        if (isStopping || queue.running != 0 || queue.isEmpty() || !mayRunMore(client, kind) ||
            pools[indexOf(kind)].running >= limit) {
            return false;
        }
        try {
            const Result<bool> provided = provideThread(kind, limit);
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
            const bool wakesThread = taken.job && ended != nullptr && ended != taken.client &&
                                     provideThreadToIdle(*ended, kind);
            ended = nullptr;
            if (taken.job) {
                mutex.unlock();
                if (wakesThread) {
                    wakeUps[indexOf(kind)].release();
                }
                const std::chrono::nanoseconds used = run(taken, kind);
                mutex.lock();
                if (kind == JobKind::CONTROL) {
                    taken.client->controlUse.add(used, std::chrono::steady_clock::now());
                }
                --pool.running;
                --taken.client->queues[indexOf(kind)].running;
                --taken.client->user->running_[indexOf(kind)];
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

    [[nodiscard]] bool mayRunMore(const Jobs& client, JobKind kind) const NNBURST_REQUIRES(mutex) {
        const std::size_t running = client.queues[indexOf(kind)].running;
        return running < limits.threadsPerClient &&
               ((running == 0 && limits.threadsForOthers > 0) ||
                client.user->running_[indexOf(kind)] < limits.threadsPerUser);
    }

    /// Threads of this kind that there may be for a job of `client`.
    [[nodiscard]] std::size_t threadLimitFor(const Jobs& client, JobKind kind) const
        NNBURST_REQUIRES(mutex) {
        if (client.user->running_[indexOf(kind)] == 0) {
            return limits.threads + limits.threadsForOthers;
        }
        return limits.threads +
               (client.queues[indexOf(kind)].running == 0 ? limits.threadsForOthers / 2 : 0);
    }

    struct Taken {
        Job job;  // none if no client may run one
        std::shared_ptr<Jobs> client;
        bool hasLowPriority = false;
    };

    /// From this number of running jobs on, a client counts as one that takes much. Not 2: a client
    /// that waits for each answer has two for a moment, until the thread of the finished job looks
    /// for another one.
    static constexpr std::size_t kManyRunning = 3;

    /// Gives the processor time of the job.
    static std::chrono::nanoseconds run(Taken& taken, JobKind kind) noexcept {
        const std::chrono::nanoseconds before = system::processorTimeOfThread();
        std::optional<system::ScopedLowPriority> low;
        std::optional<system::ScopedBackgroundPriority> background;
        if (taken.hasLowPriority && kind == JobKind::EXECUTION) {
            low.emplace();  // others may wait for the lane that it holds
        } else if (taken.hasLowPriority) {
            background.emplace();
        }
        runLogged(taken.job);
        taken.job = nullptr;  // what it holds may take long to destroy
        return system::processorTimeOfThread() - before;
    }

    /// Takes the job with the smallest start tag. Start-time fair queueing: the start tags of a
    /// client's jobs count up from the virtual time, so that a client with few jobs goes before one
    /// with many.
    Taken take(JobKind kind) NNBURST_REQUIRES(mutex) {
        Pool& pool = pools[indexOf(kind)];
        auto next = pool.clients.end();
        std::uint64_t nextTag = 0;
        for (auto client = pool.clients.begin(); client != pool.clients.end(); ++client) {
            const Jobs::Queue& queue = (*client)->queues[indexOf(kind)];
            const std::uint64_t startTag = std::max(queue.lastStartTag, pool.virtualTime) + 1;
            // A thread that was started for a client without running jobs is not for others.
            if (pool.running < threadLimitFor(**client, kind) && mayRunMore(**client, kind) &&
                (next == pool.clients.end() || startTag < nextTag)) {
                next = client;
                nextTag = startTag;
            }
        }
        if (next == pool.clients.end()) {
            return {};
        }
        Taken taken{.job = {}, .client = *next};
        Jobs::Queue& queue = taken.client->queues[indexOf(kind)];
        queue.lastStartTag = nextTag;
        pool.virtualTime = std::max(pool.virtualTime, nextTag - 1);
        const TimePoint now = std::chrono::steady_clock::now();
        WaitingJob job = queue.takeMostUrgent(now);
        pool.waits.add(now - job.work.since);
        discountWaiting(*taken.client, job.isLimited);
        taken.job = std::move(job.job);
        ++pool.running;
        ++queue.running;
        ++taken.client->user->running_[indexOf(kind)];
        taken.client->lastActive = now;
        const bool takesMuch = queue.running >= kManyRunning || !queue.isEmpty() ||
                               (kind == JobKind::CONTROL && taken.client->controlUse.isMuch(now));
        taken.hasLowPriority = takesMuch && isAnotherActive(*taken.client, now);
        if (queue.isEmpty()) {
            pool.clients.erase(next);
        }
        return taken;
    }

    /// Whether a client other than `client` was active at the last update.
    bool isAnotherActive(const Jobs& client, TimePoint now) NNBURST_REQUIRES(mutex) {
        if (now - lastUpdate >= kBetweenUpdates) {
            lastUpdate = now;
            activeCount = 0;
            for (Jobs* const each : clients) {
                each->updateIsActive(now);
                activeCount += each->isActive ? 1U : 0U;
            }
        }
        return activeCount > (client.isActive ? 1U : 0U);
    }

    void add(Jobs& client) {
        const system::MutexLock lock(mutex);
        clients.push_back(&client);
    }

    void remove(Jobs& client) {
        const system::MutexLock lock(mutex);
        std::erase(clients, &client);
        activeCount -= client.isActive ? 1U : 0U;
        client.isActive = false;
    }

    /// Counts a job of `client` that begins to wait. Relaxed, as in discountWaiting: only counts.
    void countWaiting(Jobs& client, bool isLimited) {
        if (isLimited) {
            limitedWaiting.fetch_add(1, std::memory_order_relaxed);
            client.user->limitedWaiting_.fetch_add(1, std::memory_order_relaxed);
            client.limitedWaiting.fetch_add(1, std::memory_order_relaxed);
        }
    }
    /// Ends the count of a job that waits no longer.
    void discountWaiting(Jobs& client, bool isLimited) {
        if (isLimited) {
            limitedWaiting.fetch_sub(1, std::memory_order_relaxed);
            client.user->limitedWaiting_.fetch_sub(1, std::memory_order_relaxed);
            client.limitedWaiting.fetch_sub(1, std::memory_order_relaxed);
        }
    }

    /// Fails only if there is no thread at all for jobs of this kind.
    Result<> add(JobKind kind, const exec::Urgency& urgency, const std::shared_ptr<Jobs>& client,
                 Job job, bool isLimited) {
        std::list<WaitingJob> added;
        added.push_back({.work = {.urgency = urgency, .since = {}},
                         .job = std::move(job),
                         .isLimited = isLimited});
        NNBURST_TRY_ASSIGN(const bool wakesThread, addWithoutWaking(kind, client, added));
        if (wakesThread) {
            wakeUps[indexOf(kind)].release();
        }
        return {};
    }

    /// Moves the one job of `added` to those of `client`. Returns whether an idle thread is to be
    /// woken.
    Result<bool> addWithoutWaking(JobKind kind, const std::shared_ptr<Jobs>& client,
                                  std::list<WaitingJob>& added) {
        const system::MutexLock lock(mutex);
        bool wakesThread = false;
        Pool& pool = pools[indexOf(kind)];
        Jobs::Queue& queue = client->queues[indexOf(kind)];
        pool.clients.reserve(pool.clients.size() + 1);  // before an idle thread is chosen
        // A client or user at its limit needs no thread: one that runs its jobs comes back for this
        // one (serve).
        if (mayRunMore(*client, kind)) {
            if (Result<bool> provided = provideThread(kind, threadLimitFor(*client, kind))) {
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
        WaitingJob& job = added.front();
        job.work.since = std::chrono::steady_clock::now();
        job.work.arrival = pool.arrivals++;
        countWaiting(*client, job.isLimited);
        std::list<WaitingJob>& jobs = queue.listFor(job);
        jobs.splice(jobs.end(), added);
        return wakesThread;
    }

    const std::string name;
    const Limits limits;
    std::atomic<std::size_t> limitedWaiting{0};

    system::Mutex mutex;
    std::array<Pool, kKinds> pools NNBURST_GUARDED_BY(mutex);
    std::vector<Jobs*> clients NNBURST_GUARDED_BY(mutex);   // of all clients
    TimePoint lastUpdate NNBURST_GUARDED_BY(mutex);         // of which of them are active
    std::size_t activeCount NNBURST_GUARDED_BY(mutex) = 0;  // at the last update
    bool isStopping NNBURST_GUARDED_BY(mutex) = false;
    std::array<system::Semaphore, kKinds>
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
    std::array<std::vector<std::thread>, kKinds> threads;
    {
        const system::MutexLock lock(shared_->mutex);
        shared_->isStopping = true;
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            Shared::Pool& pool = shared_->pools[kind];
            threads[kind] = pool.threads.takeAll();
            for (; pool.idleThreads > 0; --pool.idleThreads) {
                shared_->wakeUps[kind].release();
            }
        }
    }
    for (std::vector<std::thread>& ofKind : threads) {
        for (std::thread& thread : ofKind) {
            system::joinOrOrphan(thread);
        }
    }
}

bool Scheduler::isBusy() const noexcept {
    return shared_->limitedWaiting.load(std::memory_order_relaxed) != 0;
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

Result<> Scheduler::Client::trySubmit(JobKind kind, const exec::Urgency& urgency, Job job) {
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
    return scheduler_->shared_->add(kind, urgency, jobs_, std::move(job), true);
}

void Scheduler::Client::submit(Job job) {
    const Result<> added =
        scheduler_->shared_->add(JobKind::CONTROL, {}, jobs_, std::move(job), false);
    NNBURST_ASSERT(added.has_value(), "a control job was refused although there is a thread");
}

}  // namespace nnburst::device
