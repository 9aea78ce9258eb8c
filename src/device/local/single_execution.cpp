// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/single_execution.h"

#include "device/local/region_mappings.h"

namespace nnburst::device {

Result<> executeOnce(const exec::Executable& executable, const Request& request,
                     const ExecutionOptions& options, const OptionalTimePoint& arrival,
                     ExecutionOutcome& outcome, std::span<const exec::RequestMemory> found) {
    RegionMappings mappings;
    RequestRegions memory(mappings, request, found);
    return exec::ExecutionSession(executable)
        .run({request.inputs, request.outputs}, memory, options, arrival, outcome);
}

}  // namespace nnburst::device
