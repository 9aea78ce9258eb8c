// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "nnapi/burst.h"

#include "nnapi/execution.h"

namespace nnburst::nnapi {

Status BurstContext::create(std::shared_ptr<Compilation> compilation,
                            std::shared_ptr<BurstContext>& context) {
    if (!compilation->isValid()) {
        return badState("the compilation is not finished, or failed");
    }
    std::unique_ptr<Burst> burst;
    if (compilation->preparedModel() != nullptr) {
        auto configured = compilation->preparedModel()->configureExecutionBurst({});
        if (!configured) {
            return refused(
                toExecutionResultCode(configured.error().status, compilation->areDevicesChosen()),
                "{}", configured.error().message);
        }
        burst = *std::move(configured);
    }
    context.reset(new BurstContext(std::move(compilation), std::move(burst)));
    return {};
}

void BurstContext::retire(ReusableExecutions executions) noexcept {
    const std::lock_guard lock(mutex_);
    retired_.splice(retired_.end(), executions);
    hasRetired_.store(true, std::memory_order_relaxed);  // only a hint: mutex_ orders the list
}

void BurstContext::destroyRetired() noexcept {
    if (!hasRetired_.load(std::memory_order_relaxed)) {
        return;
    }
    ReusableExecutions retired;
    {
        const std::lock_guard lock(mutex_);
        retired.swap(retired_);
        hasRetired_.store(false, std::memory_order_relaxed);
    }
}

}  // namespace nnburst::nnapi

using nnburst::nnapi::answer;
using nnburst::nnapi::badData;
using nnburst::nnapi::badState;
using nnburst::nnapi::BurstContext;
using nnburst::nnapi::refuseNull;
using nnburst::nnapi::Status;

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation* compilation,
                                ANeuralNetworksBurst** burst) {
    if (compilation == nullptr || burst == nullptr) {
        return refuseNull(__func__);
    }
    *burst = nullptr;
    return answer(__func__, [&]() -> Status {
        auto created = std::make_unique<ANeuralNetworksBurst>();
        Status status = BurstContext::create(compilation->compilation, created->context);
        if (status.isOk()) {
            *burst = created.release();
        }
        return status;
    });
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst* burst) {
    if (burst != nullptr && !nnburst::nnapi::hasDevicesOfParent()) {
        burst->context->setFreed();
        delete burst;
    }
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution* execution,
                                          ANeuralNetworksBurst* burst) {
    if (execution == nullptr || burst == nullptr) {
        return refuseNull(__func__);
    }
    return answer(__func__, [&]() -> Status {
        BurstContext& context = *burst->context;
        if (&execution->execution->compilation() != &context.compilation()) {
            return badData("execution and burst must be of the same compilation");
        }
        if (!context.tryLock()) {
            return badState("another thread computes in the burst");
        }
        struct Unlock {
            BurstContext& context;
            ~Unlock() { context.unlock(); }
        } const unlock{context};
        context.destroyRetired();
        return execution->execution->computeInBurst(burst->context);
    });
}
