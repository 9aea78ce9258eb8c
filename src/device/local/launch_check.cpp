// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/launch_check.h"

#include <utility>
#include <variant>

#include "exec/run/buffer_uses.h"
#include "model/invalid.h"
#include "model/request_check.h"
#include "model/version_rules.h"

namespace nnburst::device {

namespace {

/// The pools of `request`, with their sizes and buffers alone.
Result<std::vector<exec::RequestMemory>> findPools(const exec::Executable& executable,
                                                   const Request& request) {
    std::vector<exec::RequestMemory> pools;
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        if (const auto* token = std::get_if<BufferToken>(&request.pools[i])) {
            pools.push_back(exec::RequestMemory::managed(*token));
            NNBURST_TRY_ASSIGN(pools.back().buffer,
                               executable.buffers->find(*token, executable.preparedModel));
            continue;
        }
        const SharedRegion& region = std::get<SharedRegion>(request.pools[i]);
        if (!region) {
            return invalid("request pool {} is null: must be a region or a buffer", i);
        }
        pools.push_back(exec::RequestMemory::copied(*region));
    }
    return pools;
}

}  // namespace

Result<std::vector<exec::RequestMemory>> checkLaunch(const exec::Executable& executable,
                                                     const Request& request,
                                                     const ExecutionOptions& options,
                                                     LaunchKind kind) {
    NNBURST_TRY(checkMeasure(options.measure));
    NNBURST_TRY_ASSIGN(std::vector<exec::RequestMemory> pools, findPools(executable, request));
    std::vector<exec::PoolView> views;
    views.reserve(pools.size());
    for (const exec::RequestMemory& pool : pools) {
        views.push_back(pool.view);
    }
    exec::RequestBindings bindings;
    NNBURST_TRY(executable.model->bind(request.inputs, request.outputs, views, bindings));
    NNBURST_TRY(executable.model->checkOmitted(request.inputs, executable.isCancelled()));
    for (std::size_t i = 0; i < request.outputs.size(); ++i) {
        NNBURST_TRY(
            checkOutput(executable.version, i, executable.model->outputs()[i], request.outputs[i]));
    }
    const exec::RequestArguments arguments{request.inputs, request.outputs};
    NNBURST_TRY(exec::checkBufferUses(executable, arguments, pools));
    NNBURST_TRY(exec::checkBufferContents(arguments, pools, kind == LaunchKind::AFTER_FENCES));
    return pools;
}

}  // namespace nnburst::device
