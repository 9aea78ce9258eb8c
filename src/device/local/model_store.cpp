// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/model_store.h"

#include "log/assert.h"

namespace nnburst::device {

Result<std::shared_ptr<exec::CompiledModel>> ModelStore::compile(const ModelSnapshot& snapshot) {
    {
        const system::MutexLock lock(mutex_);
        std::erase_if(entries_, [](const auto& entry) {
            return !entry.second.isCompiling && entry.second.model.expired();
        });
        while (true) {
            Entry& entry = entries_[snapshot.digest];
            if (auto model = entry.model.lock()) {
                return model;
            }
            if (!entry.isCompiling) {
                entry.isCompiling = true;
                break;
            }
            compiled_.wait(mutex_);
        }
    }
    auto compiled = exec::CompiledModel::compile(engine_, snapshot.model);
    const system::MutexLock lock(mutex_);
    const auto entry = entries_.find(snapshot.digest);
    NNBURST_ASSERT(entry != entries_.end() && entry->second.isCompiling,
                   "one of {} entries was removed while its model was compiled", entries_.size());
    if (compiled) {
        entry->second = {.model = *compiled};
    } else {
        entries_.erase(entry);  // whoever waits tries again, for an error of its own
    }
    compiled_.notifyAll();
    return compiled;
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
