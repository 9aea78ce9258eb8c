// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/idle_watchdog.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "system/thread.h"
#include "system/time.h"

namespace nnburst::device {

struct IdleWatchdog::Shared {
    void run() {
        std::unique_lock lock(mutex);
        const auto nextLook = [this] {
            return system::saturatingAdd(std::chrono::steady_clock::now(),
                                         system::saturatingNanoseconds(idleTime));
        };
        while (!stopped.wait_until(lock, nextLook(), [this] { return isStopping; })) {
            lock.unlock();
            for (const auto& model : models->models()) {
                (void)model->releaseIfIdle();
            }
            lock.lock();
        }
    }

    std::shared_ptr<const ModelStore> models;
    std::chrono::milliseconds idleTime{};
    std::mutex mutex;
    std::condition_variable stopped;
    bool isStopping = false;  // guarded by mutex
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
        const std::lock_guard lock(shared_->mutex);
        shared_->isStopping = true;
        shared_->stopped.notify_all();
    }
    if (thread_.joinable()) {
        system::joinOrOrphan(thread_);
    }
}

}  // namespace nnburst::device
