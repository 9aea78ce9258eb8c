// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "burst_path.h"

#include "fail.h"

namespace nnburst::bench {

BurstOptions bothSides(WaitMode mode) {
    return {.clientWait = {.mode = mode}, .driverWait = {.mode = mode}};
}

BurstPath::BurstPath(const Model& model, PreparedModel& prepared, const BurstOptions& options)
    : request_(valueOf(tools::PooledRequest::create(model))),
      burst_(valueOf(prepared.configureExecutionBurst(options))),
      reusable_(valueOf(burst_->createReusableExecution(request_.request(), {}))) {}

BurstPath::BurstPath(const Model& model, Device& device, const BurstOptions& options)
    : BurstPath(model, *valueOf(prepareModel(device, model)), options) {}

}  // namespace nnburst::bench
