// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/model_store.h"

#include <algorithm>

#include "exec/run/accelerated_model.h"
#include "log/assert.h"

namespace nnburst::device {

Result<std::shared_ptr<exec::CompiledModel>> ModelStore::compile(
    const ModelSnapshot& snapshot, const exec::PackedModel& packed,
    const exec::PreparationLimits& limits, const OptionalTimePoint& deadline) {
    NNBURST_TRY_ASSIGN(auto known, findOrBegin(snapshot.digest, deadline));
    if (known) {
        return known;
    }
    try {
        auto compiled = accelerator_
                            ? exec::compileFor(accelerator_, engine_, snapshot.model)
                            : exec::CompiledModel::compile(engine_, snapshot.model, packed, limits);
        if (auto shared = end(snapshot.digest, compiled ? *compiled : nullptr)) {
            return shared;
        }
        return compiled;
    } catch (...) {  // std::bad_alloc
        (void)end(snapshot.digest, nullptr);
        throw;
    }
}

Result<std::shared_ptr<exec::CompiledModel>> ModelStore::findOrBegin(
    const Digest& digest, const OptionalTimePoint& deadline) {
    const auto begin = std::chrono::steady_clock::now();
    const system::MutexLock lock(mutex_);
    std::erase_if(entries_, [](const auto& entry) {
        return entry.second.compilingCount == 0 && entry.second.model.expired();
    });
    while (true) {
        Entry& entry = entries_[digest];
        if (auto model = entry.model.lock()) {
            return model;
        }
        const auto end = begin + entry.compilingCount * kLongestWait;
        const auto now = std::chrono::steady_clock::now();
        if (now >= end) {
            ++entry.compilingCount;
            return nullptr;
        }
        if (deadline && now >= *deadline) {
            return failure(ErrorStatus::MISSED_DEADLINE_TRANSIENT,
                           "prepareModel: the deadline passed while another preparation compiled "
                           "the same model");
        }
        (void)compiled_.waitUntil(mutex_, deadline ? std::min(end, *deadline) : end);
    }
}

std::shared_ptr<exec::CompiledModel> ModelStore::end(
    const Digest& digest, const std::shared_ptr<exec::CompiledModel>& model) {
    const system::MutexLock lock(mutex_);
    const auto entry = entries_.find(digest);
    NNBURST_ASSERT(entry != entries_.end() && entry->second.compilingCount > 0,
                   "one of {} entries was removed while its model was compiled", entries_.size());
    --entry->second.compilingCount;
    auto shared = entry->second.model.lock();
    if (!shared) {
        entry->second.model = model;  // without one, a thread that waits compiles for its own error
        shared = model;
    }
    compiled_.notifyAll();
    return shared;
}

std::vector<std::shared_ptr<exec::CompiledModel>> ModelStore::models() const {
    const system::MutexLock lock(mutex_);
    std::vector<std::shared_ptr<exec::CompiledModel>> models;
    for (const auto& [digest, entry] : entries_) {
        if (auto model = entry.model.lock()) {
            models.push_back(std::move(model));
        }
    }
    return models;
}

}  // namespace nnburst::device
