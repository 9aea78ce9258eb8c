// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Supervises a driver: notices its loss, kills what is left of it, starts another one (with
/// growing pauses between attempts), and restores models and bursts in it. A thread of its own does
/// this. Drivers are numbered from 1 on; the number is called the generation.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "nnburst/supervised_device.h"
#include "nnburst/unique_fd.h"
#include "system/mutex.h"

namespace nnburst::device {

/// Thread-safe. Kept alive by everything that it restores.
class Supervisor {
  public:
    /// A driver of some generation.
    struct Driver {
        SharedDevice device;
        std::uint64_t generation = 0;
    };

    /// How a restoration has ended. Of several, the greatest counts.
    enum class Restoration : std::uint8_t {
        DONE,     ///< also if the driver refuses the object for good
        REFUSED,  ///< for now: it is to be repeated
        LOST,     ///< this driver is lost, too
    };

    /// The refusals of one object by the drivers in which it was to be restored. On the
    /// supervisor's thread.
    class Refusals {
      public:
        /// Whether the driver of `generation` has refused the object for good.
        [[nodiscard]] bool areFinal(std::uint64_t generation) const noexcept {
            return isFinal_ && generation == generation_;
        }
        /// Notes that the driver of `generation` has refused the object with `error`, and logs it
        /// after `what` if it is the first time or final. Returns how the restoration has ended.
        [[nodiscard]] Restoration note(const char* what, const Error& error,
                                       std::uint64_t generation);

      private:
        std::uint64_t generation_ = 0;  // of the last refusal
        bool isFinal_ = false;
    };

    /// An object that is made again in each driver.
    class Restorable {
      public:
        virtual ~Restorable() = default;
        /// Makes what is not in `driver` yet and was not refused by it for good, and logs errors.
        /// On the supervisor's thread.
        [[nodiscard]] virtual Restoration restore(const Driver& driver) = 0;
    };

    /// Starts the first driver.
    [[nodiscard]] static Result<std::shared_ptr<Supervisor>> create(
        const SupervisionOptions& options);
    ~Supervisor();
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;

    [[nodiscard]] DriverState driverState() const noexcept {
        // sync [driver-serves]: what was restored is visible
        return state_.load(std::memory_order_acquire);
    }
    /// That of all drivers: one that follows another is refused.
    [[nodiscard]] HalVersion halVersion() const noexcept;
    /// SupervisionOptions::waitAtMost is not 0.
    [[nodiscard]] bool letsCallsWait() const noexcept;
    /// Waits until the state is SERVING, as long as the options and `deadline` allow.
    [[nodiscard]] Result<Driver> awaitDriver(const OptionalTimePoint& deadline);

    /// Restores `restorable` in each later driver, and in this one if it is not that of
    /// `generation`, in which it is already.
    void add(std::weak_ptr<Restorable> restorable, std::uint64_t generation);

    [[nodiscard]] int stateDescriptor() const noexcept;
    DriverState acknowledgeState() noexcept;
    [[nodiscard]] SupervisionStats stats() const;

  private:
    class Shared;  // the whole state; shared with the thread, so it may outlive the Supervisor
    Supervisor(std::shared_ptr<Shared> shared, std::thread thread) noexcept;

    const std::shared_ptr<Shared> shared_;
    const std::atomic<DriverState>& state_;  // of shared_; each call of a burst looks at it
    std::thread thread_;
};

}  // namespace nnburst::device
