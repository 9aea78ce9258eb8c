// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/dot8/packed_weights.h"

#include <utility>

namespace nnburst::exec::dot8 {

std::shared_ptr<const PackedFilter> PackedWeights::find(std::uint32_t operation) const {
    const system::MutexLock lock(mutex_);
    const auto found = filters_.find(operation);
    return found == filters_.end() ? nullptr : found->second;
}

std::shared_ptr<const PackedFilter> PackedWeights::insert(
    std::uint32_t operation, std::shared_ptr<const PackedFilter> filter) {
    const system::MutexLock lock(mutex_);
    return filters_.try_emplace(operation, std::move(filter)).first->second;
}

}  // namespace nnburst::exec::dot8
