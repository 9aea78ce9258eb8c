// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/model_store.h"

#include "exec/run/accelerated_model.h"
#include "log/assert.h"

namespace nnburst::device {

Result<std::shared_ptr<exec::CompiledModel>> ModelStore::compile(
    const ModelSnapshot& snapshot, const exec::PackedModel& packed,
    const exec::PreparationLimits& limits) {
    Found found = findOrBegin(snapshot.digest);
    if (found.model) {
        return std::move(found.model);
    }
    const auto endIfBegun = [&](const std::shared_ptr<exec::CompiledModel>& model) {
        if (found.isBegun) {
            end(snapshot.digest, model);
        }
    };
    try {
        auto compiled = accelerator_
                            ? exec::compileFor(accelerator_, engine_, snapshot.model)
                            : exec::CompiledModel::compile(engine_, snapshot.model, packed, limits);
        endIfBegun(compiled ? *compiled : nullptr);
        return compiled;
    } catch (...) {  // std::bad_alloc
        endIfBegun(nullptr);
        throw;
    }
}

ModelStore::Found ModelStore::findOrBegin(const Digest& digest) {
    const auto end = std::chrono::steady_clock::now() + kLongestWait;
    const system::MutexLock lock(mutex_);
    std::erase_if(entries_, [](const auto& entry) {
        return !entry.second.isCompiling && entry.second.model.expired();
    });
    while (true) {
        Entry& entry = entries_[digest];
        if (auto model = entry.model.lock()) {
            return {.model = std::move(model)};
        }
        if (!entry.isCompiling) {
            entry.isCompiling = true;
            return {.isBegun = true};
        }
        if (!compiled_.waitUntil(mutex_, end)) {
            return {};
        }
    }
}

void ModelStore::end(const Digest& digest, const std::shared_ptr<exec::CompiledModel>& model) {
    const system::MutexLock lock(mutex_);
    const auto entry = entries_.find(digest);
    NNBURST_ASSERT(entry != entries_.end() && entry->second.isCompiling,
                   "one of {} entries was removed while its model was compiled", entries_.size());
    if (model) {
        entry->second = {.model = model};
    } else {
        entries_.erase(entry);  // a thread that waits compiles itself, for an error of its own
    }
    compiled_.notifyAll();
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
