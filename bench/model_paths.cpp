// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model_paths.h"

#include "fail.h"

namespace nnburst::bench {

ModelPaths::ModelPaths(const Model& model, DriverPlacement placement, std::uint32_t threads)
    : request_(valueOf(tools::PooledRequest::create(model))),
      remote_(valueOf(prepareModel(driver(placement, threads), model))),
      localBurst_(
          valueOf(valueOf(prepareModel(localDevice(threads), model))->configureExecutionBurst({}))),
      burst_(valueOf(remote_->configureExecutionBurst({}))),
      localReusable_(valueOf(localBurst_->createReusableExecution(request_.request(), {}))),
      reusable_(valueOf(burst_->createReusableExecution(request_.request(), {}))) {}

bool ModelPaths::runLocal() {
    return localBurst_->execute(request_.request(), {}, outcome_).has_value();
}

bool ModelPaths::runBurst() {
    return burst_->execute(request_.request(), {}, outcome_).has_value();
}

bool ModelPaths::runReusable() {
    return reusable_->compute({}, outcome_).has_value();
}

bool ModelPaths::runLocalReusable() {
    return localReusable_->compute({}, outcome_).has_value();
}

bool ModelPaths::runRpc() {
    return remote_->executeSynchronously(request_.request(), {}, outcome_).has_value();
}

}  // namespace nnburst::bench
