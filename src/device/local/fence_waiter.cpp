// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/fence_waiter.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "log/assert.h"
#include "nnburst/fence.h"
#include "nnburst/prepared_model.h"
#include "system/mutex.h"
#include "system/thread.h"
#include "system/time.h"

namespace nnburst::device {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPauseWithoutMemory{1};
/// The thread ends when it has had no wait for so long.
constexpr int kIdleMs = 1000;
/// The epoll instance and the eventfd.
constexpr std::uint64_t kDescriptorsOfThread = 2;

}  // namespace

class FenceWaiter::Impl : public std::enable_shared_from_this<Impl> {
  public:
    explicit Impl(SharedAccount account) noexcept : account_(std::move(account)) {}

    void stop() {
        std::thread thread;
        {
            const system::MutexLock lock(mutex_);
            isStopping_ = true;
            if (running_) {
                signalFence(running_->wakeUp.get());
            }
            thread = std::move(thread_);
        }
        system::joinOrOrphan(thread);
    }

    Result<> add(std::vector<UniqueFd> fences, const OptionalTimePoint& deadline,
                 Callback callback) {
        const system::MutexLock lock(mutex_);
        if (waits_.size() >= kMaximumWaits) {
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                fmt::format("cannot wait for fences: {} executions do so already", kMaximumWaits));
        }
        if (!running_) {
            NNBURST_TRY(start());
        }
        const std::uint64_t id = ++lastId_;
        Wait wait{.pending = {}, .deadline = deadline, .callback = std::move(callback)};
        const Entry entry = waits_.emplace(id, std::move(wait)).first;
        try {
            Result<> watched = watch(entry, fences);
            if (!watched) {
                remove(entry);
            }
            return watched;
        } catch (const std::bad_alloc&) {
            remove(entry);
            throw;
        }
    }

  private:
    struct Wait {
        std::map<std::uint64_t, UniqueFd> pending;  // by their keys
        OptionalTimePoint deadline;
        Callback callback;
    };
    using Entry = std::map<std::uint64_t, Wait>::iterator;
    /// What the thread has while it runs.
    struct Running {
        Charge thread;
        Charge descriptors;  // given back after they are closed
        UniqueFd wakeUp;
        UniqueFd epoll;
    };

    Result<> start() NNBURST_REQUIRES(mutex_) {
        if (thread_.joinable()) {
            thread_.join();  // it has ended, or does so without the mutex
        }
        Running running;
        NNBURST_TRY_ASSIGN(running.thread, chargeTo(account_, Resource::BLOCKED_THREADS, 1));
        NNBURST_TRY_ASSIGN(running.descriptors,
                           chargeTo(account_, Resource::DESCRIPTORS, kDescriptorsOfThread));
        NNBURST_TRY_ASSIGN(running.wakeUp, makeFence());
        running.epoll = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
        epoll_event event{.events = EPOLLIN, .data = {.u64 = 0}};
        if (!running.epoll ||
            ::epoll_ctl(running.epoll.get(), EPOLL_CTL_ADD, running.wakeUp.get(), &event) != 0) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           fmt::format("cannot wait for fences: {}", std::strerror(errno)));
        }
        NNBURST_TRY_ASSIGN(
            thread_, system::startThread("nnburst-fence",
                                         [self = shared_from_this(), epoll = running.epoll.get()] {
                                             self->run(epoll);
                                         }));
        running_ = std::move(running);
        return {};
    }

    /// Gives `fences` to the wait, and has the thread look at them and at its deadline. `remove`
    /// undoes it, also after an error or exception.
    Result<> watch(Entry entry, std::vector<UniqueFd>& fences) NNBURST_REQUIRES(mutex_) {
        auto& [id, wait] = *entry;
        for (UniqueFd& fence : fences) {
            // A number of its own for each descriptor: the same fence may be given twice.
            const std::uint64_t key = ++lastId_;
            const int descriptor = fence.get();
            wait.pending.emplace(key, std::move(fence));
            owners_.emplace(key, id);
            epoll_event event{.events = EPOLLIN, .data = {.u64 = key}};
            if (::epoll_ctl(running_->epoll.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
                return failure(
                    ErrorStatus::INVALID_ARGUMENT,
                    fmt::format("descriptor {} is no fence: {}", descriptor, std::strerror(errno)));
            }
        }
        if (wait.deadline) {
            deadlines_.emplace(*wait.deadline, id);
            signalFence(running_->wakeUp.get());
        }
        return {};
    }

    void run(int epoll) {
        std::array<epoll_event, 64> events{};
        while (true) {
            const int count =
                ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), timeout());
            std::vector<std::pair<Callback, Result<>>> ended;
            try {
                const system::MutexLock lock(mutex_);
                if (isStopping_ || (count == 0 && waits_.empty())) {
                    running_.reset();
                    return;
                }
                for (int i = 0; i < count; ++i) {
                    look(events[static_cast<std::size_t>(i)].data.u64, ended);
                }
                endLate(ended);
            } catch (const std::bad_alloc&) {
                // What has not ended is found again.
                std::this_thread::sleep_for(kPauseWithoutMemory);
            }
            for (const auto& [callback, result] : ended) {
                callback(result);
            }
        }
    }

    /// Milliseconds until the next deadline, rounded up, or until the thread ends; -1 for neither.
    int timeout() {
        const system::MutexLock lock(mutex_);
        if (deadlines_.empty()) {
            return waits_.empty() ? kIdleMs : -1;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            system::saturatingDifference(deadlines_.begin()->first, Clock::now()));
        return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000));
    }

    /// Handles a descriptor that has become readable or has failed.
    void look(std::uint64_t key, std::vector<std::pair<Callback, Result<>>>& ended)
        NNBURST_REQUIRES(mutex_) {
        if (key == 0) {
            std::uint64_t count = 0;
            (void)!::read(running_->wakeUp.get(), &count, sizeof(count));
            return;
        }
        const auto owner = owners_.find(key);
        if (owner == owners_.end()) {
            return;  // its wait has ended meanwhile
        }
        const auto entry = waits_.find(owner->second);
        NNBURST_ASSERT(entry != waits_.end(), "fence {} belongs to wait {}, which is not there",
                       key, owner->second);
        const auto fence = entry->second.pending.find(key);
        NNBURST_ASSERT(fence != entry->second.pending.end(), "wait {} has no fence {}",
                       owner->second, key);
        const auto state = fenceState(fence->second.get());
        if (state && *state == FenceState::PENDING) {
            return;
        }
        if (!state) {
            end(entry, tl::unexpected<Error>(state.error()), ended);
            return;
        }
        if (*state == FenceState::FAILED) {
            end(entry,
                failure(ErrorStatus::GENERAL_FAILURE,
                        "a fence that the execution waited for was signalled with an error"),
                ended);
            return;
        }
        if (entry->second.pending.size() == 1) {
            end(entry, {}, ended);
        } else {
            drop(*fence);
            entry->second.pending.erase(fence);
        }
    }

    void endLate(std::vector<std::pair<Callback, Result<>>>& ended) NNBURST_REQUIRES(mutex_) {
        const TimePoint now = Clock::now();
        while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
            end(waits_.find(deadlines_.begin()->second),
                failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                        "the deadline passed before all fences were signalled"),
                ended);
        }
    }

    void end(Entry entry, Result<> result, std::vector<std::pair<Callback, Result<>>>& ended)
        NNBURST_REQUIRES(mutex_) {
        NNBURST_ASSERT(entry != waits_.end(), "one of {} deadlines belongs to no wait",
                       deadlines_.size());
        // First what may find no memory: the wait is whole until then.
        ended.emplace_back(Callback(), std::move(result));
        ended.back().first = std::move(entry->second.callback);
        remove(entry);
    }

    /// Removes a wait, of which not everything need be stored.
    void remove(Entry entry) NNBURST_REQUIRES(mutex_) {
        for (const auto& fence : entry->second.pending) {
            drop(fence);
        }
        if (entry->second.deadline) {
            deadlines_.erase({*entry->second.deadline, entry->first});
        }
        waits_.erase(entry);
    }

    void drop(const std::pair<const std::uint64_t, UniqueFd>& fence) NNBURST_REQUIRES(mutex_) {
        ::epoll_ctl(running_->epoll.get(), EPOLL_CTL_DEL, fence.second.get(), nullptr);
        owners_.erase(fence.first);
    }

    const SharedAccount account_;
    system::Mutex mutex_;
    std::thread thread_ NNBURST_GUARDED_BY(mutex_);
    std::optional<Running> running_ NNBURST_GUARDED_BY(mutex_);
    bool isStopping_ NNBURST_GUARDED_BY(mutex_) = false;
    std::uint64_t lastId_ NNBURST_GUARDED_BY(mutex_) = 0;
    std::map<std::uint64_t, Wait> waits_ NNBURST_GUARDED_BY(mutex_);
    /// From descriptors' keys to waits.
    std::map<std::uint64_t, std::uint64_t> owners_ NNBURST_GUARDED_BY(mutex_);
    std::set<std::pair<TimePoint, std::uint64_t>> deadlines_ NNBURST_GUARDED_BY(mutex_);
};

Result<> checkFenceCount(std::size_t count) {
    if (count > kMaximumFences) {
        return failure(ErrorStatus::INVALID_ARGUMENT,
                       fmt::format("execution with {} fences to wait for: must be at most {}",
                                   count, kMaximumFences));
    }
    return {};
}

FenceWaiter::FenceWaiter(SharedAccount account)
    : impl_(std::make_shared<Impl>(std::move(account))) {}

FenceWaiter::~FenceWaiter() {
    impl_->stop();
}

Result<> FenceWaiter::wait(std::vector<UniqueFd> fences, const OptionalTimePoint& deadline,
                           Callback callback) {
    NNBURST_TRY(checkFenceCount(fences.size()));
    return impl_->add(std::move(fences), deadline, std::move(callback));
}

}  // namespace nnburst::device
