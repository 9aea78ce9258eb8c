// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "model_paths.h"

#include "fail.h"
#include "peer.h"

namespace nnburst::bench {
namespace {

Device& localDevice() {
    static const SharedDevice device = valueOf(makeLocalDevice());
    return *device;
}

Device& pinnedDriver() {
    static const SharedDevice device =
        valueOf(spawnDriver({.threads = 1, .processors = {processorPair()->driver}}));
    return *device;
}

Device& unpinnedDriver() {
    static const SharedDevice device = [] {
        const PlacedThread unpinned(Place::ANYWHERE);  // inherited by the driver
        return valueOf(spawnDriver({.threads = 1}));
    }();
    return *device;
}

}  // namespace

ModelPaths::ModelPaths(const Model& model, Driver driver)
    : request_(valueOf(tools::PooledRequest::create(model))),
      remote_(valueOf(
          prepareModel(driver == Driver::PINNED ? pinnedDriver() : unpinnedDriver(), model))),
      localBurst_(
          valueOf(valueOf(prepareModel(localDevice(), model))->configureExecutionBurst({}))),
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
