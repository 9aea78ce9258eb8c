// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/request_execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "log/marks.h"
#include "log/verbose.h"
#include "model/version_rules.h"

namespace nnburst::device {

namespace {

/// Uses of driver-managed buffers that are none of their roles. What they hold is not looked at:
/// that may change until the execution starts.
Result<> checkUses(const exec::Executable& executable, const Request& request, ArgumentRole role) {
    const auto& arguments = role == ArgumentRole::INPUT ? request.inputs : request.outputs;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].hasNoValue) {
            continue;
        }
        const RequestPool& pool = request.pools[arguments[i].location.poolIndex];
        if (const auto* token = std::get_if<BufferToken>(&pool)) {
            NNBURST_TRY_ASSIGN(const auto buffer, executable.buffers->find(*token));
            NNBURST_TRY(buffer->checkUse({.preparedModel = executable.preparedModel,
                                          .role = role,
                                          .index = static_cast<std::uint32_t>(i)},
                                         arguments[i].dimensions));
        }
    }
    return {};
}

}  // namespace

OptionalTimePoint arrivalTime(const ExecutionOptions& options) {
    if (options.measure != MeasureTiming::YES) {
        return std::nullopt;
    }
    return std::chrono::steady_clock::now();
}

Result<> checkRequest(const exec::Executable& executable, const Request& request) {
    std::vector<exec::PoolView> pools;
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        if (const auto* token = std::get_if<BufferToken>(&request.pools[i])) {
            NNBURST_TRY(executable.buffers->find(*token));
            pools.push_back({.data = nullptr, .sizeBytes = kDriverManagedPoolBytes});
            continue;
        }
        const SharedRegion& region = std::get<SharedRegion>(request.pools[i]);
        if (!region) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("request pool {} is null", i));
        }
        pools.push_back({.data = nullptr, .sizeBytes = region->sizeBytes()});
    }
    exec::RequestBindings bindings;
    NNBURST_TRY(executable.model->bind(request.inputs, request.outputs, pools, bindings));
    NNBURST_TRY(checkUses(executable, request, ArgumentRole::INPUT));
    NNBURST_TRY(checkUses(executable, request, ArgumentRole::OUTPUT));
    for (std::size_t i = 0; i < request.outputs.size(); ++i) {
        NNBURST_TRY(
            checkOutput(executable.version, i, executable.model->outputs()[i], request.outputs[i]));
    }
    return {};
}

RequestExecution::RequestExecution(exec::Executable executable) noexcept
    : runner_(std::move(executable)) {}

Result<> RequestExecution::execute(const Request& request, const ExecutionOptions& options,
                                   const OptionalTimePoint& arrival, ExecutionOutcome& outcome) {
    ++execution_;
    NNBURST_MARK(execution__begin, this);
    Result<> result = knownTo(runner_.executable().version, run(request, options, outcome));
    NNBURST_MARK(execution__end, this);
    NNBURST_VLOG(
        EXECUTION, "{} inputs, {} outputs, {} pools: {}", request.inputs.size(),
        request.outputs.size(), request.pools.size(),
        result ? std::string("NONE")
               : fmt::format("{}, {}", toString(result.error().status), result.error().message));
    finish(result, arrival, outcome);
    return result;
}

bool RequestExecution::bind(const Request& request, exec::RequestBindings& bindings) {
    ++execution_;
    const exec::Executable& executable = runner_.executable();
    if (!keepsReusableExecutions(executable.version) || !findPools(request)) {
        return false;
    }
    std::vector<exec::PoolView> views;
    for (const exec::RequestMemory& pool : pools_) {
        if (pool.view.data == nullptr) {
            return false;
        }
        views.push_back(pool.view);
    }
    return mapped_.size() <= kMaximumMappings &&
           executable.model->bind(request.inputs, request.outputs, views, bindings).has_value();
}

Result<> RequestExecution::executeBound(exec::RequestBindings& bindings,
                                        const ExecutionOptions& options,
                                        const OptionalTimePoint& arrival,
                                        ExecutionOutcome& outcome) {
    NNBURST_MARK(execution__begin, this);
    const exec::Executable& executable = runner_.executable();
    Result<> result = executable.model->run(bindings, executable.priority, options, outcome);
    NNBURST_MARK(execution__end, this);
    finish(result, arrival, outcome);
    return result;
}

/// What every outcome has in common, and the time in the driver.
void RequestExecution::finish(const Result<>& result, const OptionalTimePoint& arrival,
                              ExecutionOutcome& outcome) {
    if (!result) {
        outcome.timing = {};
        if (result.error().status != ErrorStatus::OUTPUT_INSUFFICIENT_SIZE) {
            outcome.outputShapes.clear();
        }
    } else if (arrival && outcome.timing.timeOnDevice != kTimeNotAvailable) {
        const auto inDriver = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - *arrival);
        outcome.timing.timeInDriver = static_cast<std::uint64_t>(inDriver.count());
    }
}

Result<> RequestExecution::run(const Request& request, const ExecutionOptions& options,
                               ExecutionOutcome& outcome) {
    NNBURST_TRY(findPools(request));
    return runner_.run(request.inputs, request.outputs, pools_, options, outcome);
}

Result<> RequestExecution::findPools(const Request& request) {
    pools_.clear();
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        if (const auto* token = std::get_if<BufferToken>(&request.pools[i])) {
            NNBURST_TRY_ASSIGN(auto buffer, runner_.executable().buffers->find(*token));
            pools_.push_back(exec::RequestMemory::managed(std::move(buffer)));
            continue;
        }
        const SharedRegion& region = std::get<SharedRegion>(request.pools[i]);
        if (!region) {
            return failure(ErrorStatus::INVALID_ARGUMENT,
                           fmt::format("request pool {} is null", i));
        }
        if (region->isForeign()) {
            pools_.push_back(exec::RequestMemory::copied(*region));
            continue;
        }
        NNBURST_TRY_ASSIGN(exec::RequestMemory pool, map(region));
        pools_.push_back(std::move(pool));
    }
    return {};
}

Result<exec::RequestMemory> RequestExecution::map(const SharedRegion& region) {
    auto entry = std::find_if(mapped_.begin(), mapped_.end(), [&](const MappedRegion& mapped) {
        return mapped.mapping.region() == region;
    });
    if (entry == mapped_.end()) {
        makeRoom();
        NNBURST_TRY_ASSIGN(Mapping mapping, Mapping::map(region));
        entry = mapped_.insert(mapped_.end(), {.mapping = std::move(mapping)});
    }
    entry->lastExecution = execution_;
    return exec::RequestMemory::mapped(entry->mapping);
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
