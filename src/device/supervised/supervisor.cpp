// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/supervised/supervisor.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "device/client/driver_starter.h"
#include "device/client/remote_device.h"
#include "log/logger.h"
#include "system/thread.h"
#include "system/time.h"

namespace nnburst::device {

namespace {

/// After a driver has lived for this long, its loss does not lengthen the pause before the next
/// start.
constexpr std::chrono::seconds kStableAfter{1};

/// A restoration is not repeated sooner, whatever the options are.
constexpr std::chrono::milliseconds kShortestRestorePause{1};

std::shared_ptr<Connection> connectionOf(const SharedDevice& device) {
    const auto* const remote = dynamic_cast<const RemoteDevice*>(device.get());
    return remote == nullptr ? nullptr : remote->connection();
}

/// How a restoration has ended that has failed with this error.
Supervisor::Restoration restorationAfter(const Error& error) noexcept {
    switch (error.status) {
        case ErrorStatus::DEVICE_UNAVAILABLE:
            return Supervisor::Restoration::LOST;
        case ErrorStatus::MISSED_DEADLINE_TRANSIENT:
        case ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT:
            return Supervisor::Restoration::REFUSED;
        default:
            return Supervisor::Restoration::DONE;
    }
}

std::chrono::nanoseconds since(TimePoint start) {
    return std::chrono::steady_clock::now() - start;
}

}  // namespace

class Supervisor::Shared : public std::enable_shared_from_this<Shared> {
  public:
    explicit Shared(const SupervisionOptions& options)
        : options_(options),
          start_(options.start ? options.start : driverStarter()),
          changed_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

    Result<> startFirst() {
        if (!changed_) {
            return failure(ErrorStatus::RESOURCE_EXHAUSTED_TRANSIENT,
                           fmt::format("cannot make an eventfd for a supervised device: {}",
                                       std::strerror(errno)));
        }
        NNBURST_TRY(startDriver());
        state_.store(DriverState::SERVING, std::memory_order_release);
        return {};
    }
    /// After startFirst it never changes.
    [[nodiscard]] HalVersion version() const noexcept { return *version_; }

    /// The supervisor's thread.
    void run() {
        while (awaitWork()) {
            recover();
        }
    }

    void stop() {
        const system::MutexLock lock(mutex_);
        isStopping_ = true;
        news_.notifyAll();
    }

    [[nodiscard]] DriverState state() const noexcept {
        return state_.load(std::memory_order_acquire);
    }
    [[nodiscard]] const std::atomic<DriverState>& stateWord() const noexcept { return state_; }
    [[nodiscard]] const SupervisionOptions& options() const noexcept { return options_; }
    [[nodiscard]] int descriptor() const noexcept { return changed_.get(); }

    void clearDescriptor() const noexcept {
        std::uint64_t count = 0;
        (void)!::read(changed_.get(), &count, sizeof(count));  // fails if there is no change
    }

    Result<Driver> awaitDriver(const OptionalTimePoint& deadline) {
        const TimePoint waitEnd = system::saturatingAdd(
            std::chrono::steady_clock::now(), system::saturatingNanoseconds(options_.waitAtMost));
        const TimePoint until = deadline ? std::min(*deadline, waitEnd) : waitEnd;
        const system::MutexLock lock(mutex_);
        while (state() != DriverState::SERVING) {
            if (options_.waitAtMost.count() <= 0) {
                return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                               "the driver is lost and is being started again");
            }
            if (std::chrono::steady_clock::now() >= until) {
                return until == waitEnd
                           ? failure(ErrorStatus::DEVICE_UNAVAILABLE,
                                     fmt::format("the driver is lost, and no other was there "
                                                 "within {} ms",
                                                 options_.waitAtMost.count()))
                           : failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                                     "the deadline passed while the driver was being started "
                                     "again");
            }
            (void)news_.waitUntil(mutex_, until);
        }
        return driver_;
    }

    void add(std::weak_ptr<Restorable> restorable, std::uint64_t generation) {
        const system::MutexLock lock(mutex_);
        std::erase_if(restorables_, [](const auto& weak) { return weak.expired(); });
        restorables_.push_back(std::move(restorable));
        if (generation != driver_.generation) {
            restoreAt_ = TimePoint::min();
            news_.notifyAll();
        }
    }

    [[nodiscard]] SupervisionStats stats() const {
        const system::MutexLock lock(mutex_);
        return stats_;
    }

  private:
    /// Waits until there is something to recover; false: the supervisor is being destroyed.
    bool awaitWork() {
        const system::MutexLock lock(mutex_);
        while (!isStopping_ && !isLost_ && std::chrono::steady_clock::now() < restoreAt_) {
            if (const TimePoint until = restoreAt_; until == TimePoint::max()) {
                news_.wait(mutex_);
            } else {
                (void)news_.waitUntil(mutex_, until);
            }
        }
        return !isStopping_;
    }

    void recover() {
        const TimePoint start = std::chrono::steady_clock::now();
        if (isLost()) {
            enter(DriverState::LOST);
        }
        while (state() == DriverState::SERVING || replaceDriver()) {
            if (restoreAll()) {
                finish(start);
                return;
            }
            noteFailedAttempt();
            if (state() == DriverState::SERVING) {
                enter(DriverState::LOST);
            }
        }
    }

    void noteFailedAttempt() {
        const system::MutexLock lock(mutex_);
        ++stats_.failedAttempts;
    }

    /// Twice the pause before, within the limits.
    [[nodiscard]] std::chrono::milliseconds longerThan(std::chrono::milliseconds pause) const {
        return std::min(std::max(pause * 2, options_.backoff), options_.maximumBackoff);
    }

    /// Kills what is left of the driver and starts another one, with as many attempts as necessary.
    /// False if the supervisor is being destroyed meanwhile.
    bool replaceDriver() {
        SharedDevice lost;
        {
            const system::MutexLock lock(mutex_);
            lost = std::move(driver_.device);
        }
        // A driver that was frozen must not write into memory that the next one uses.
        if (const auto connection = connectionOf(lost)) {
            connection->endDriver();
        }
        lost = nullptr;
        if (isFirstLoss_ || since(driverStart_) >= kStableAfter) {
            pause_ = std::chrono::milliseconds(0);
        } else {
            pause_ = longerThan(pause_);
        }
        isFirstLoss_ = false;
        restorePause_ = std::chrono::milliseconds(0);
        while (waitFor(pause_)) {
            const Result<> started = startDriver();
            if (started) {
                return true;
            }
            logger().warn("the driver cannot be started again: {}", started.error().message);
            pause_ = longerThan(pause_);
            noteFailedAttempt();
        }
        return false;
    }

    /// False if the supervisor is being destroyed.
    bool waitFor(std::chrono::milliseconds duration) {
        const TimePoint end = std::chrono::steady_clock::now() + duration;
        const system::MutexLock lock(mutex_);
        while (!isStopping_ && std::chrono::steady_clock::now() < end) {
            (void)news_.waitUntil(mutex_, end);
        }
        return !isStopping_;
    }

    Result<> startDriver() {
        const TimePoint start = std::chrono::steady_clock::now();
        NNBURST_TRY_ASSIGN(SharedDevice device, start_());
        if (device == nullptr) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           "SupervisionOptions::start gave a null device: must give one or an "
                           "error");
        }
        if (!version_) {
            version_ = device->getHalVersion();
        }
        if (device->getHalVersion() != *version_) {
            return failure(ErrorStatus::DEVICE_UNAVAILABLE,
                           fmt::format("it follows HAL {}: must be {}, as the one before",
                                       toString(device->getHalVersion()), toString(*version_)));
        }
        driverStart_ = std::chrono::steady_clock::now();
        std::uint64_t generation = 0;
        {
            const system::MutexLock lock(mutex_);
            driver_ = {device, driver_.generation + 1};
            generation = driver_.generation;
            isLost_ = false;
            stats_.lastStart = since(start);
        }
        if (const auto connection = connectionOf(device)) {
            connection->notifyOfLoss([weak = weak_from_this(), generation] {
                if (const auto self = weak.lock()) {
                    self->noteLoss(generation);
                }
            });
        }
        return {};
    }

    /// On the thread of the lost connection.
    void noteLoss(std::uint64_t generation) {
        const system::MutexLock lock(mutex_);
        if (generation == driver_.generation) {
            isLost_ = true;
            ++stats_.losses;
            news_.notifyAll();
        }
    }

    [[nodiscard]] bool isLost() {
        const system::MutexLock lock(mutex_);
        return isLost_;
    }

    /// False if the driver was lost meanwhile. What it refuses for now is restored later.
    bool restoreAll() {
        const TimePoint start = std::chrono::steady_clock::now();
        Driver driver;
        std::vector<std::weak_ptr<Restorable>> restorables;
        {
            const system::MutexLock lock(mutex_);
            driver = driver_;
            restorables = restorables_;
            restoreAt_ = TimePoint::max();
        }
        auto all = Restoration::DONE;
        for (const std::weak_ptr<Restorable>& weak : restorables) {
            if (const auto restorable = weak.lock(); restorable && all != Restoration::LOST) {
                all = std::max(all, restorable->restore(driver));
            }
        }
        if (all == Restoration::LOST) {
            logger().warn("the driver was lost while it was set up");
            return false;
        }
        const bool isComplete = all == Restoration::DONE;
        restorePause_ = isComplete ? std::chrono::milliseconds(0)
                                   : std::max(longerThan(restorePause_), kShortestRestorePause);
        const system::MutexLock lock(mutex_);
        if (!isComplete) {
            ++stats_.failedAttempts;
            const TimePoint next = system::saturatingAdd(
                std::chrono::steady_clock::now(), system::saturatingNanoseconds(restorePause_));
            restoreAt_ = std::min(restoreAt_, next);
        }
        stats_.lastRestoration = since(start);
        return !isLost_;
    }

    void finish(TimePoint start) {
        if (state() == DriverState::SERVING) {
            return;  // what was added too late, or refused before, is restored
        }
        {
            const system::MutexLock lock(mutex_);
            ++stats_.recoveries;
            stats_.lastRecovery = since(start);
        }
        enter(DriverState::SERVING);
    }

    void enter(DriverState state) {
        {
            const system::MutexLock lock(mutex_);
            state_.store(state, std::memory_order_release);  // sync [driver-serves]
            news_.notifyAll();
        }
        const std::uint64_t one = 1;
        (void)!::write(changed_.get(), &one, sizeof(one));  // 2^64 changes would overflow
        if (options_.onStateChange) {
            options_.onStateChange(state);
        }
    }

    const SupervisionOptions options_;
    const std::function<Result<SharedDevice>()> start_;
    const UniqueFd changed_;
    std::atomic<DriverState> state_{DriverState::LOST};

    // Of the supervisor's thread, and before it starts.
    std::optional<HalVersion> version_;
    TimePoint driverStart_;
    std::chrono::milliseconds pause_{0};         // before the next start
    std::chrono::milliseconds restorePause_{0};  // before the next restoration in a driver
    bool isFirstLoss_ = true;

    mutable system::Mutex mutex_;
    system::ConditionVariable news_;
    Driver driver_ NNBURST_GUARDED_BY(mutex_);
    std::vector<std::weak_ptr<Restorable>> restorables_ NNBURST_GUARDED_BY(mutex_);
    bool isLost_ NNBURST_GUARDED_BY(mutex_) = false;
    // When objects that the driver lacks are restored: added too late, or refused before.
    TimePoint restoreAt_ NNBURST_GUARDED_BY(mutex_) = TimePoint::max();
    bool isStopping_ NNBURST_GUARDED_BY(mutex_) = false;
    SupervisionStats stats_ NNBURST_GUARDED_BY(mutex_);
};

Supervisor::Restoration Supervisor::Refusals::note(const char* what, const Error& error,
                                                   std::uint64_t generation) {
    const Restoration ended = restorationAfter(error);
    isFinal_ = ended == Restoration::DONE;
    if (std::exchange(generation_, generation) != generation || isFinal_) {
        logger().warn("{}: {}", what, error.message);
    }
    return ended;
}

Result<std::shared_ptr<Supervisor>> Supervisor::create(const SupervisionOptions& options) {
    auto shared = std::make_shared<Shared>(options);
    NNBURST_TRY(shared->startFirst());
    NNBURST_TRY_ASSIGN(std::thread thread,
                       system::startThread("nnburst-superv", [shared] { shared->run(); }));
    return std::shared_ptr<Supervisor>(new Supervisor(std::move(shared), std::move(thread)));
}

Supervisor::Supervisor(std::shared_ptr<Shared> shared, std::thread thread) noexcept
    : shared_(std::move(shared)), state_(shared_->stateWord()), thread_(std::move(thread)) {}

Supervisor::~Supervisor() {
    shared_->stop();
    system::joinOrOrphan(thread_);
}

HalVersion Supervisor::halVersion() const noexcept {
    return shared_->version();
}

bool Supervisor::letsCallsWait() const noexcept {
    return shared_->options().waitAtMost.count() > 0;
}

Result<Supervisor::Driver> Supervisor::awaitDriver(const OptionalTimePoint& deadline) {
    return shared_->awaitDriver(deadline);
}

void Supervisor::add(std::weak_ptr<Restorable> restorable, std::uint64_t generation) {
    shared_->add(std::move(restorable), generation);
}

int Supervisor::stateDescriptor() const noexcept {
    return shared_->descriptor();
}

DriverState Supervisor::acknowledgeState() noexcept {
    shared_->clearDescriptor();
    return shared_->state();
}

SupervisionStats Supervisor::stats() const {
    return shared_->stats();
}

}  // namespace nnburst::device
