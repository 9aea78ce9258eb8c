// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/recent_mappings.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

namespace nnburst {

Result<std::shared_ptr<const Mapping>> RecentMappings::map(const SharedRegion& region) {
    const auto map = [&region]() -> Result<std::shared_ptr<const Mapping>> {
        NNBURST_TRY_ASSIGN(Mapping mapping, Mapping::map(region));
        return std::make_shared<const Mapping>(std::move(mapping));
    };
    struct stat status {};
    if (!region || region->isForeign() || region->sizeBytes() > kMaximumBytes ||
        ::fstat(region->fd(), &status) != 0) {
        return map();
    }
    {
        const system::MutexLock lock(mutex_);
        const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
            return kept.inode == status.st_ino && kept.device == status.st_dev &&
                   kept.mapping->sizeBytes() == region->sizeBytes();
        });
        if (found != kept_.end()) {
            std::rotate(found, found + 1, kept_.end());
            return kept_.back().mapping;
        }
    }
    NNBURST_TRY_ASSIGN(std::shared_ptr<const Mapping> mapping, map());
    std::shared_ptr<const Mapping> oldest;  // unmapped without the lock
    const system::MutexLock lock(mutex_);
    if (kept_.size() == kMaximumMappings) {
        oldest = std::move(kept_.front().mapping);
        kept_.erase(kept_.begin());
    }
    kept_.push_back({.device = status.st_dev, .inode = status.st_ino, .mapping = mapping});
    return mapping;
}

}  // namespace nnburst
