// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A prepared model of a supervised device: the one in the current driver, and what is needed to
/// prepare it again in the next.

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/supervised/supervised_burst.h"
#include "device/supervised/supervisor.h"
#include "nnburst/device.h"
#include "system/mutex.h"

namespace nnburst::device {

/// The sources from which a model can be prepared again: its copy and its cache files.
class ModelSource {
  public:
    /// Keeps a copy of `model`, if there is one, with its constants, and duplicates of the cache
    /// files of `options`. If a file cannot be duplicated, keeps no files: with a model, nothing
    /// about the cache fails a preparation; without one, the driver refuses a file that is not
    /// open. RESOURCE_EXHAUSTED_TRANSIENT if there is no model and no descriptor is free. Errors of
    /// validateModel and ModelSnapshot::take.
    [[nodiscard]] static Result<ModelSource> create(const Model* model,
                                                    const PrepareOptions& options);

    /// From the cache, if there is one and it can be used, else from the model.
    [[nodiscard]] Result<SharedPreparedModel> prepare(Device& device) const;

  private:
    /// Replaces the files of options_ by duplicates, or drops all of them.
    [[nodiscard]] Result<> keepFiles();

    std::optional<Model> model_;
    PrepareOptions options_;
    std::vector<UniqueFd> files_;  // named by options_
};

class SupervisedModel final : public PreparedModel,
                              public Supervisor::Restorable,
                              public std::enable_shared_from_this<SupervisedModel> {
  public:
    /// `prepared` is the model in the driver of `generation`. Supervised from now on.
    [[nodiscard]] static std::shared_ptr<SupervisedModel> create(
        std::shared_ptr<Supervisor> supervisor, ModelSource source, SharedPreparedModel prepared,
        std::uint64_t generation);

    [[nodiscard]] Result<> executeSynchronously(const Request& request,
                                                const ExecutionOptions& options,
                                                ExecutionOutcome& outcome) override;
    [[nodiscard]] Result<> execute(const Request& request, const ExecutionOptions& options,
                                   ExecutionCallback callback) override;
    [[nodiscard]] Result<FencedExecution> executeFenced(
        const Request& request, std::span<const int> waitFor, const ExecutionOptions& options,
        OptionalTimeoutDuration timeoutAfterFence) override;
    [[nodiscard]] Result<std::unique_ptr<Burst>> configureExecutionBurst(
        const BurstOptions& options) override;

    [[nodiscard]] bool isMemoryInUse() override;
    [[nodiscard]] Result<> waitForMemory(const OptionalTimePoint& deadline) override;

    [[nodiscard]] Supervisor::Restoration restore(const Supervisor::Driver& driver) override;

  private:
    SupervisedModel(std::shared_ptr<Supervisor> supervisor, ModelSource source,
                    SharedPreparedModel prepared, std::uint64_t generation) noexcept;

    /// The model in the driver that was restored last.
    [[nodiscard]] SharedPreparedModel lastRestored();
    /// The model in the current driver. If there is no driver, waits for one as
    /// SupervisionOptions::waitAtMost allows.
    [[nodiscard]] Result<SharedPreparedModel> awaitCurrent(const OptionalTimePoint& deadline);
    /// Prepares the model in `driver`, unless it is there.
    [[nodiscard]] Result<> prepareIn(const Supervisor::Driver& driver);
    /// Makes the bursts again that are not in the driver in which the model was prepared last.
    [[nodiscard]] Supervisor::Restoration restoreBursts();

    const std::shared_ptr<Supervisor> supervisor_;
    const ModelSource source_;

    Supervisor::Refusals refusals_;  // of the supervisor's thread

    system::Mutex mutex_;  // held while a call makes a burst, but not while the model is restored
    SharedPreparedModel prepared_ NNBURST_GUARDED_BY(mutex_);
    // Changed by the supervisor's thread alone, with prepared_.
    std::uint64_t generation_ NNBURST_GUARDED_BY(mutex_);
    std::vector<std::weak_ptr<RestoredBurst>> bursts_ NNBURST_GUARDED_BY(mutex_);
};

}  // namespace nnburst::device
