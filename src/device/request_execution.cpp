// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/request_execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "device/unsupported.h"

namespace nnburst::device {

OptionalTimePoint arrivalTime(const ExecutionOptions& options) {
    if (options.measure != MeasureTiming::YES) {
        return std::nullopt;
    }
    return std::chrono::steady_clock::now();
}

RequestExecution::RequestExecution(std::shared_ptr<exec::CompiledModel> model) noexcept
    : model_(std::move(model)) {}

Result<> RequestExecution::execute(const Request& request, const ExecutionOptions& options,
                                   const OptionalTimePoint& arrival, ExecutionOutcome& outcome) {
    ++execution_;
    Result<> result = run(request, options, outcome);
    if (!result) {
        outcome.timing = {};
        if (result.error().status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
            outcome.outputShapes.clear();
        }
    } else if (arrival) {
        const auto inDriver = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - *arrival);
        outcome.timing.timeInDriver = static_cast<std::uint64_t>(inDriver.count());
    }
    return result;
}

Result<> RequestExecution::run(const Request& request, const ExecutionOptions& options,
                               ExecutionOutcome& outcome) {
    NNBURST_TRY(mapPools(request));
    NNBURST_TRY(model_->bind(request.inputs, request.outputs, pools_, bindings_));
    return model_->run(bindings_, options, outcome);
}

Result<> RequestExecution::mapPools(const Request& request) {
    pools_.clear();
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        if (std::holds_alternative<BufferToken>(request.pools[i])) {
            return unsupported(fmt::format("request pool {}: a driver-managed buffer", i));
        }
        const SharedRegion& region = std::get<SharedRegion>(request.pools[i]);
        if (!region) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("request pool {} is null", i));
        }
        NNBURST_TRY_ASSIGN(const exec::PoolView pool, map(region));
        pools_.push_back(pool);
    }
    return {};
}

Result<exec::PoolView> RequestExecution::map(const SharedRegion& region) {
    auto entry = std::find_if(mapped_.begin(), mapped_.end(), [&](const MappedRegion& mapped) {
        return mapped.mapping.region() == region;
    });
    if (entry == mapped_.end()) {
        makeRoom();
        NNBURST_TRY_ASSIGN(Mapping mapping, Mapping::map(region));
        entry = mapped_.insert(mapped_.end(), {.mapping = std::move(mapping)});
    }
    entry->lastExecution = execution_;
    return exec::PoolView{.data = entry->mapping.data(), .sizeBytes = entry->mapping.sizeBytes()};
}

/// Unmaps what nobody else holds any more, and one more if that is too little; never what the
/// present request uses.
void RequestExecution::makeRoom() {
    std::erase_if(mapped_, [](const MappedRegion& mapped) {
        return mapped.mapping.region().use_count() == 1;  // stays 1: nobody is left to copy it
    });
    if (mapped_.size() < kMaximumMappings) {
        return;
    }
    const auto oldest = std::min_element(mapped_.begin(), mapped_.end(),
                                         [](const MappedRegion& a, const MappedRegion& b) {
                                             return a.lastExecution < b.lastExecution;
                                         });
    if (oldest->lastExecution != execution_) {
        mapped_.erase(oldest);
    }
}

void RequestExecution::forget(const SharedRegion& region) noexcept {
    std::erase_if(mapped_,
                  [&](const MappedRegion& mapped) { return mapped.mapping.region() == region; });
}

}  // namespace nnburst::device
