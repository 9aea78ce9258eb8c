// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/supervised/supervised_model.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "device/local/model_snapshot.h"
#include "model/outcome.h"
#include "nnburst/validation.h"

namespace nnburst::device {

Result<ModelSource> ModelSource::create(const Model* model, const PrepareOptions& options) {
    ModelSource source;
    if (model != nullptr) {
        NNBURST_TRY(validateModel(*model));
        // Copied, because the application may overwrite the memory of its constants.
        NNBURST_TRY_ASSIGN(ModelSnapshot snapshot, ModelSnapshot::take(*model));
        source.model_ = std::move(snapshot.model);
    }
    source.options_ = options;
    source.options_.deadline.reset();  // of the first preparation
    NNBURST_TRY(source.keepFiles());
    return source;
}

Result<> ModelSource::keepFiles() {
    for (std::vector<int>* files : {&options_.modelCache, &options_.dataCache}) {
        for (int& file : *files) {
            auto duplicate = UniqueFd::duplicate(file);
            if (!duplicate) {
                const bool isOpen = ::fcntl(file, F_GETFD) >= 0;
                if (!model_ && isOpen) {
                    return tl::unexpected<Error>(std::move(duplicate.error()));
                }
                options_.modelCache.clear();
                options_.dataCache.clear();
                files_.clear();
                return {};
            }
            file = duplicate->get();
            files_.push_back(std::move(*duplicate));
        }
    }
    return {};
}

Result<SharedPreparedModel> ModelSource::prepare(Device& device) const {
    if (!files_.empty() || !model_) {
        auto cached = nnburst::prepareModelFromCache(device, options_);
        if (cached || !model_ || cached.error().status == ErrorStatus::DEVICE_UNAVAILABLE) {
            return cached;
        }
    }
    return nnburst::prepareModel(device, *model_, options_);
}

SupervisedModel::SupervisedModel(std::shared_ptr<Supervisor> supervisor, ModelSource source,
                                 SharedPreparedModel prepared, std::uint64_t generation) noexcept
    : supervisor_(std::move(supervisor)),
      source_(std::move(source)),
      prepared_(std::move(prepared)),
      generation_(generation) {}

std::shared_ptr<SupervisedModel> SupervisedModel::create(std::shared_ptr<Supervisor> supervisor,
                                                         ModelSource source,
                                                         SharedPreparedModel prepared,
                                                         std::uint64_t generation) {
    Supervisor& its = *supervisor;
    std::shared_ptr<SupervisedModel> model(new SupervisedModel(
        std::move(supervisor), std::move(source), std::move(prepared), generation));
    its.add(model, generation);
    return model;
}

Result<SharedPreparedModel> SupervisedModel::awaitCurrent(const OptionalTimePoint& deadline) {
    if (supervisor_->driverState() == DriverState::LOST) {
        NNBURST_TRY(supervisor_->awaitDriver(deadline));
    }
    return lastRestored();
}

SharedPreparedModel SupervisedModel::lastRestored() {
    const system::MutexLock lock(mutex_);
    return prepared_;
}

Result<> SupervisedModel::executeSynchronously(const Request& request,
                                               const ExecutionOptions& options,
                                               ExecutionOutcome& outcome) {
    const auto prepared = awaitCurrent(options.deadline);
    if (!prepared) {
        clearOutcome(outcome);
        return tl::unexpected<Error>(prepared.error());
    }
    return (*prepared)->executeSynchronously(request, options, outcome);
}

Result<> SupervisedModel::execute(const Request& request, const ExecutionOptions& options,
                                  ExecutionCallback callback) {
    const auto prepared = awaitCurrent(options.deadline);
    if (!prepared) {
        if (callback) {
            callback(tl::unexpected<Error>(prepared.error()), {});
        }
        return tl::unexpected<Error>(prepared.error());
    }
    return (*prepared)->execute(request, options, std::move(callback));
}

Result<FencedExecution> SupervisedModel::executeFenced(const Request& request,
                                                       std::span<const int> waitFor,
                                                       const ExecutionOptions& options,
                                                       OptionalTimeoutDuration timeoutAfterFence) {
    NNBURST_TRY_ASSIGN(const SharedPreparedModel prepared, awaitCurrent(options.deadline));
    return prepared->executeFenced(request, waitFor, options, timeoutAfterFence);
}

Result<std::unique_ptr<Burst>> SupervisedModel::configureExecutionBurst(
    const BurstOptions& options) {
    NNBURST_TRY(awaitCurrent({}));
    auto restored = std::make_shared<RestoredBurst>(supervisor_, shared_from_this(), options);
    const system::MutexLock lock(mutex_);
    NNBURST_TRY_ASSIGN(std::unique_ptr<Burst> burst, prepared_->configureExecutionBurst(options));
    restored->setRestored(std::move(burst), generation_);
    restored->update();
    std::erase_if(bursts_, [](const auto& weak) { return weak.expired(); });
    bursts_.push_back(restored);
    return std::make_unique<SupervisedBurst>(std::move(restored));
}

bool SupervisedModel::isMemoryInUse() {
    return lastRestored()->isMemoryInUse();
}

Result<> SupervisedModel::waitForMemory(const OptionalTimePoint& deadline) {
    return lastRestored()->waitForMemory(deadline);
}

Result<> SupervisedModel::prepareIn(const Supervisor::Driver& driver) {
    {
        const system::MutexLock lock(mutex_);
        if (generation_ == driver.generation) {
            return {};
        }
    }
    NNBURST_TRY_ASSIGN(SharedPreparedModel prepared, source_.prepare(*driver.device));
    const system::MutexLock lock(mutex_);
    prepared_.swap(prepared);
    generation_ = driver.generation;
    return {};
}

/// Calls to a model or burst that the driver refuses go to that of the lost driver, and fail.
Supervisor::Restoration SupervisedModel::restore(const Supervisor::Driver& driver) {
    if (refusals_.areFinal(driver.generation)) {
        return Supervisor::Restoration::DONE;
    }
    if (const Result<> there = prepareIn(driver); !there) {
        return refusals_.note("a model cannot be prepared again", there.error(), driver.generation);
    }
    return restoreBursts();
}

Supervisor::Restoration SupervisedModel::restoreBursts() {
    SharedPreparedModel prepared;
    std::uint64_t generation = 0;
    std::vector<std::weak_ptr<RestoredBurst>> bursts;
    {
        const system::MutexLock lock(mutex_);
        prepared = prepared_;
        generation = generation_;
        bursts = bursts_;
    }
    auto all = Supervisor::Restoration::DONE;
    for (const std::weak_ptr<RestoredBurst>& weak : bursts) {
        const auto restored = weak.lock();
        if (!restored || restored->restoredGeneration() == generation ||
            restored->refusals().areFinal(generation)) {
            continue;
        }
        if (auto made = prepared->configureExecutionBurst(restored->options())) {
            restored->setRestored(std::move(*made), generation);
        } else {
            all = std::max(all, restored->refusals().note("a burst cannot be made again",
                                                          made.error(), generation));
        }
    }
    return all;
}

}  // namespace nnburst::device
