// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The device itself: prepares models with exec/run. `makeLocalDevice` gives it to the application,
/// the driver's service gives it to other processes.

#include <functional>
#include <memory>

#include "burst/serving_thread_pool.h"
#include "device/local/compilation_cache.h"
#include "device/local/idle_watchdog.h"
#include "device/local/local_buffer.h"
#include "device/local/local_prepared_model.h"
#include "device/local/model_store.h"
#include "device/local/scheduler.h"
#include "device/local/system_tuning.h"
#include "exec/run/compiled_model.h"
#include "nnburst/device.h"
#include "nnburst/driver.h"

namespace nnburst::device {

using CompiledOrError = Result<std::shared_ptr<exec::CompiledModel>>;

/// The two parts of a preparation.
struct Preparation {
    std::function<CompiledOrError(ModelStore&, const OptionalTimePoint& deadline)> compile;
    /// Fills the cache after `compile`.
    std::function<void(const exec::CompiledModel& compiled)> save;
};

/// What a device reads and asks the system for before it works: settings, extensions, files. Starts
/// no thread, so that a process can give up rights between `prepare` and LocalDevice::create.
struct DeviceSetup {
    DriverOptions options;  ///< without what the system does not grant
    std::shared_ptr<const SystemTuning> tuning;
    Capabilities capabilities;
    std::shared_ptr<CompilationCache> cache;

    [[nodiscard]] static Result<DeviceSetup> prepare(const DriverOptions& options);
};

/// The shares of a device that the clients of one user have together: of lanes and of job threads.
struct SharesOfUser {
    std::shared_ptr<exec::LaneShare> lanes = std::make_shared<exec::LaneShare>();
    std::shared_ptr<Scheduler::User> jobs = std::make_shared<Scheduler::User>();
};

class LocalDevice final : public Device {
  public:
    using PrepareCallback =
        std::function<void(Result<std::shared_ptr<LocalPreparedModel>> preparedModel)>;

    /// `scheduler` prepares models and runs asynchronous executions. The device belongs to the
    /// first client. `placement` says where kernel threads may run. Models are computed by
    /// `accelerator`, or by the kernels of this library if it is null.
    [[nodiscard]] static Result<std::shared_ptr<LocalDevice>> create(
        DeviceSetup setup, std::shared_ptr<Scheduler> scheduler,
        exec::KernelThreadPlacement placement, std::shared_ptr<Accelerator> accelerator = nullptr);

    /// The same device for another client, whose jobs are queued separately. What the client makes
    /// it hold is charged to `account`. Models of a higher priority than `highestPriority` get that
    /// one.
    [[nodiscard]] std::shared_ptr<LocalDevice> forClient(const SharesOfUser& user,
                                                         SharedAccount account,
                                                         Priority highestPriority) const;
    /// Accepts the client's jobs.
    [[nodiscard]] const std::shared_ptr<Scheduler::Client>& scheduler() const noexcept {
        return scheduler_;
    }
    /// The threads that serve bursts of other processes.
    [[nodiscard]] const std::shared_ptr<burst::ServingThreadPool>& servingThreads() const noexcept {
        return shared_.servingThreads;
    }

    [[nodiscard]] HalVersion getHalVersion() const noexcept override { return shared_.version; }
    [[nodiscard]] Result<Capabilities> getCapabilities() override;
    [[nodiscard]] Result<DeviceType> getType() override;
    [[nodiscard]] Result<std::string> getVersionString() override;
    [[nodiscard]] Result<std::vector<Extension>> getSupportedExtensions() override;
    [[nodiscard]] Result<NumberOfCacheFiles> getNumberOfCacheFilesNeeded() override;
    [[nodiscard]] DeviceStatus getStatus() override;
    [[nodiscard]] Result<std::vector<bool>> getSupportedOperations(const Model& model) override;
    [[nodiscard]] Result<> prepareModel(const Model& model, const PrepareOptions& options,
                                        PreparedModelCallback callback) override;
    [[nodiscard]] Result<> prepareModelFromCache(const PrepareOptions& options,
                                                 PreparedModelCallback callback) override;
    [[nodiscard]] Result<AllocatedBuffer> allocate(
        const BufferDesc& desc, std::span<const SharedPreparedModel> preparedModels,
        std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles) override;

    /// The client has gone: its executions end soon, whatever they are. Any thread.
    void cancelExecutions() noexcept { lanes_->cancel(); }
    /// Whether cancelExecutions was called. Any thread.
    [[nodiscard]] bool isCancelled() const noexcept {
        return lanes_->isCancelled().load(std::memory_order_relaxed);  // orders nothing
    }
    /// The executions of the client that have ended. Any thread.
    [[nodiscard]] exec::ExecutionCounts::Totals executions() const { return counts_->totals(); }

    /// prepareModel with a model that is moved, and a callback that takes the concrete type.
    /// `waiting` is for the operand values, until the preparation itself charges all constants.
    [[nodiscard]] Result<> prepare(Model model, Charge waiting, const PrepareOptions& options,
                                   PrepareCallback callback);
    /// prepareModelFromCache, with a callback that takes the concrete type.
    [[nodiscard]] Result<> prepareFromCache(const PrepareOptions& options,
                                            PrepareCallback callback);
    /// The urgency of a preparation with `options`.
    [[nodiscard]] exec::Urgency urgencyOf(const PrepareOptions& options) const;

    /// allocate with concrete types. The models belong to this device. GENERAL_FAILURE at a limit
    /// of the account.
    [[nodiscard]] Result<std::shared_ptr<LocalBuffer>> allocateFor(
        const BufferDesc& desc, std::span<const std::shared_ptr<LocalPreparedModel>> preparedModels,
        std::span<const BufferRole> inputRoles, std::span<const BufferRole> outputRoles);

  private:
    struct Shared {  // by all clients
        std::shared_ptr<const SystemTuning> tuning;
        std::shared_ptr<Accelerator> accelerator;  // null: the kernels of this library
        std::shared_ptr<exec::Engine> engine;
        std::shared_ptr<Scheduler> scheduler;
        std::shared_ptr<burst::ServingThreadPool> servingThreads;
        std::shared_ptr<exec::ManagedBuffers> buffers;
        std::shared_ptr<ModelStore> models;
        std::shared_ptr<const IdleWatchdog> watchdog;  // null if no memory is released
        std::shared_ptr<const CompilationCache> cache;
        Capabilities capabilities;
        HalVersion version = kLatestHalVersion;
        DriverVariant variant = DriverVariant::FULL;
    };

    /// Runs `work` on a job thread, unless `checked` is an error. Calls the callback in any case.
    Result<> launch(Result<> checked, const PrepareOptions& options, Preparation work,
                    PrepareCallback callback);

    LocalDevice(Shared shared, const SharesOfUser& user, SharedAccount account = nullptr,
                Priority highestPriority = Priority::HIGH,
                std::shared_ptr<RecentMappings> recentMappings = nullptr);

    const Shared shared_;
    const SharedAccount account_;  // null if nobody is charged
    const Priority highestPriority_;
    const std::shared_ptr<exec::LaneShare> lanes_;
    const std::shared_ptr<exec::ExecutionCounts> counts_ =
        std::make_shared<exec::ExecutionCounts>();
    const std::shared_ptr<Scheduler::Client> scheduler_;
    const std::shared_ptr<RecentMappings> recentMappings_;  // null for the first client
    /// Belongs to the client: its waits are dropped with it.
    const std::shared_ptr<FenceWaiter> fences_ = std::make_shared<FenceWaiter>(account_);
};

/// A client may occupy as many threads of each kind as there are processors, at least two and at
/// most eight.
[[nodiscard]] Scheduler::Limits defaultJobLimits() noexcept;
/// The same for a device whose only client is one program, in the same process or another: the
/// client may have all waiting jobs.
[[nodiscard]] Scheduler::Limits jobLimitsOfProgram() noexcept;

}  // namespace nnburst::device
