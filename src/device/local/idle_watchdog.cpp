// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/idle_watchdog.h"

#include <new>
#include <utility>

#include "system/mutex.h"
#include "system/thread.h"
#include "system/time.h"

namespace nnburst::device {

struct IdleWatchdog::Shared {
    void run() {
        while (waitForNextLook()) {
            try {
                for (const auto& model : models->models()) {
                    (void)model->releaseIfIdle();
                }
            } catch (const std::bad_alloc&) {
                continue;  // the next look may find memory
            }
        }
    }

    /// True when `idleTime` has passed; false when the watchdog is stopping.
    bool waitForNextLook() {
        const auto nextLook = system::saturatingAdd(std::chrono::steady_clock::now(),
                                                    system::saturatingNanoseconds(idleTime));
        const system::MutexLock lock(mutex);
        while (!isStopping && stopped.waitUntil(mutex, nextLook)) {
        }
        return !isStopping;
    }

    std::shared_ptr<const ModelStore> models;
    std::chrono::milliseconds idleTime{};
    system::Mutex mutex;
    system::ConditionVariable stopped;
    bool isStopping NNBURST_GUARDED_BY(mutex) = false;
};

Result<std::unique_ptr<IdleWatchdog>> IdleWatchdog::create(std::shared_ptr<const ModelStore> models,
                                                           std::chrono::milliseconds idleTime) {
    const auto shared = std::make_shared<Shared>();
    shared->models = std::move(models);
    shared->idleTime = idleTime;
    std::unique_ptr<IdleWatchdog> watchdog(new IdleWatchdog(shared));
    NNBURST_TRY_ASSIGN(watchdog->thread_,
                       system::startThread("nnburst-idle", [shared] { shared->run(); }));
    return watchdog;
}

IdleWatchdog::~IdleWatchdog() {
    {
        const system::MutexLock lock(shared_->mutex);
        shared_->isStopping = true;
        shared_->stopped.notifyAll();
    }
    if (thread_.joinable()) {
        system::joinOrOrphan(thread_);
    }
}

}  // namespace nnburst::device
