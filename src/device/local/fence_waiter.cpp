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

}  // namespace

class FenceWaiter::Impl {
  public:
    static Result<std::thread> start(const std::shared_ptr<Impl>& self) {
        const system::MutexLock lock(self->mutex_);
        if (self->isRunning_) {
            return std::thread();
        }
        NNBURST_TRY_ASSIGN(self->wakeUp_, makeFence());
        self->epoll_ = UniqueFd(::epoll_create1(EPOLL_CLOEXEC));
        epoll_event event{.events = EPOLLIN, .data = {.u64 = 0}};
        if (!self->epoll_ ||
            ::epoll_ctl(self->epoll_.get(), EPOLL_CTL_ADD, self->wakeUp_.get(), &event) != 0) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           fmt::format("cannot wait for fences: {}", std::strerror(errno)));
        }
        NNBURST_TRY_ASSIGN(std::thread thread,
                           system::startThread("nnburst-fence", [self] { self->run(); }));
        self->isRunning_ = true;
        return thread;
    }

    void stop() {
        const system::MutexLock lock(mutex_);
        isStopping_ = true;
        if (isRunning_) {
            signalFence(wakeUp_.get());
        }
    }

    Result<> add(std::vector<UniqueFd> fences, const OptionalTimePoint& deadline,
                 Callback callback) {
        const system::MutexLock lock(mutex_);
        if (waits_.size() >= kMaximumWaits) {
            return failure(
                ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                fmt::format("cannot wait for fences: {} executions do so already", kMaximumWaits));
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
            if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
                return failure(
                    ErrorStatus::INVALID_ARGUMENT,
                    fmt::format("descriptor {} is no fence: {}", descriptor, std::strerror(errno)));
            }
        }
        if (wait.deadline) {
            deadlines_.emplace(*wait.deadline, id);
            signalFence(wakeUp_.get());
        }
        return {};
    }

    void run() {
        std::array<epoll_event, 64> events{};
        while (true) {
            const int count = ::epoll_wait(epoll_.get(), events.data(),
                                           static_cast<int>(events.size()), timeout());
            std::vector<std::pair<Callback, Result<>>> ended;
            try {
                const system::MutexLock lock(mutex_);
                if (isStopping_) {
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

    /// Milliseconds until the next deadline, rounded up; -1 if there is none.
    int timeout() {
        const system::MutexLock lock(mutex_);
        if (deadlines_.empty()) {
            return -1;
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
            (void)!::read(wakeUp_.get(), &count, sizeof(count));
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
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fence.second.get(), nullptr);
        owners_.erase(fence.first);
    }

    // Set before the thread starts and constant from then on: read without the mutex.
    UniqueFd wakeUp_;
    UniqueFd epoll_;

    system::Mutex mutex_;
    bool isRunning_ NNBURST_GUARDED_BY(mutex_) = false;
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

FenceWaiter::FenceWaiter() : impl_(std::make_shared<Impl>()) {}

FenceWaiter::~FenceWaiter() {
    impl_->stop();
    system::joinOrOrphan(thread_);
}

Result<> FenceWaiter::wait(std::vector<UniqueFd> fences, const OptionalTimePoint& deadline,
                           Callback callback) {
    NNBURST_TRY(checkFenceCount(fences.size()));
    NNBURST_TRY_ASSIGN(std::thread started, Impl::start(impl_));
    if (started.joinable()) {
        thread_ = std::move(started);
    }
    return impl_->add(std::move(fences), deadline, std::move(callback));
}

}  // namespace nnburst::device
