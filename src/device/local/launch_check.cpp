// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/launch_check.h"

#include <variant>
#include <vector>

#include "model/invalid.h"
#include "model/request_check.h"
#include "model/version_rules.h"

namespace nnburst::device {

namespace {

/// Checks that driver-managed buffers are used for arguments that they were allocated for. What
/// they hold is not looked at: that may change until the execution starts.
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

Result<> checkLaunch(const exec::Executable& executable, const Request& request,
                     const ExecutionOptions& options) {
    NNBURST_TRY(checkMeasure(options.measure));
    std::vector<exec::PoolView> pools;
    for (std::size_t i = 0; i < request.pools.size(); ++i) {
        if (const auto* token = std::get_if<BufferToken>(&request.pools[i])) {
            NNBURST_TRY(executable.buffers->find(*token));
            pools.push_back({.data = nullptr, .sizeBytes = kDriverManagedPoolBytes});
            continue;
        }
        const SharedRegion& region = std::get<SharedRegion>(request.pools[i]);
        if (!region) {
            return invalid("request pool {} is null: must be a region or a buffer", i);
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

}  // namespace nnburst::device
