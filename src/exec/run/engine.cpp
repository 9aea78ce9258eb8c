// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/engine.h"

#include <algorithm>
#include <thread>

#include "exec/dot8/instruction_set.h"
#include "exec/plan/profile.h"
#include "exec/run/thread_choice.h"
#include "exec/xnnpack/backend.h"
#include "exec/xnnpack/packed_weights.h"
#include "model/invalid.h"
#include "system/affinity.h"

namespace nnburst::exec {

/// An operation goes to the kernels of this library if there are any, so which engine can read what
/// XNNPACK has packed depends on these, too.
PackedFor Engine::packedForOf(const Settings& settings) {
    PackedFor packedFor{.kernels = settings.dot8, .packing = {}};
    if (settings.dot8 != nullptr) {
        packedFor.packing = dot8::packingName(*settings.dot8);
    }
    if (settings.usesXnnpack && !xnnpack::packingName().empty()) {
        packedFor.packing += (packedFor.packing.empty() ? "" : ", ") + xnnpack::packingName();
    }
    return packedFor;
}

Result<Kernels> Engine::kernels(std::uint32_t threadCount) const {
    Kernels kernels{.usesXnnpack = settings_.usesXnnpack,
                    .dot8 = settings_.dot8,
                    .threads = nullptr,
                    .profile = settings_.profile};
    if (threadCount > 1 && settings_.usesXnnpack) {
        const system::MutexLock lock(mutex_);
        std::weak_ptr<const KernelThreads>& known = threads_[threadCount];
        kernels.threads = known.lock();
        if (!kernels.threads) {
            NNBURST_TRY_ASSIGN(kernels.threads,
                               KernelThreads::create(threadCount, settings_.placement,
                                                     settings_.realtimePriority));
            known = kernels.threads;
        }
    }
    return kernels;
}

Result<> Engine::startThreads() {
    NNBURST_TRY_ASSIGN(started_, kernels(settings_.threadCounts.front()));
    return {};
}

namespace {

/// The processors that executions use. In a driver these are those of its threads; in another
/// process all of the machine, as the calling thread may be bound to some.
std::uint32_t laneCountOf(KernelThreadPlacement placement) {
    const std::size_t usable =
        placement == KernelThreadPlacement::APART ? system::usableProcessors().size() : 0;
    return usable != 0 ? static_cast<std::uint32_t>(usable)
                       : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

Result<std::shared_ptr<Engine>> Engine::create(const DriverOptions& options,
                                               KernelThreadPlacement placement) {
    if (options.threads > DriverOptions::kMaximumThreads) {
        return invalid(
            "cannot start an engine with {} threads; must be 1 to {}, or 0 to choose them for each "
            "model",
            options.threads, DriverOptions::kMaximumThreads);
    }
    const auto engine = std::make_shared<Engine>(Engine::Settings{
        .usesXnnpack = options.useXnnpack,
        .dot8 =
            options.useXnnpack && options.useDotProducts ? dot8::fastestMicrokernels() : nullptr,
        .threadCounts = options.threads == 0 ? threadCountsToTry(system::usableProcessors().size())
                                             : std::vector{options.threads},
        .placement = placement,
        .realtimePriority = options.realtimePriority,
        .laneCount = laneCountOf(placement),
        .concurrencyMemoryBytes = options.concurrencyMemoryBytes,
        .profile = Profile::ofProcess()});
    if (options.useXnnpack) {
        NNBURST_TRY(xnnpack::initialize());
        NNBURST_TRY(engine->startThreads());
    }
    return engine;
}

}  // namespace nnburst::exec
