// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/launched_request.h"

#include <utility>

#include "device/local/single_execution.h"

namespace nnburst::device {

Result<std::shared_ptr<LaunchedRequest>> LaunchedRequest::create(const exec::Executable& executable,
                                                                 const Request& request,
                                                                 const ExecutionOptions& options,
                                                                 LaunchKind kind) {
    auto pools = checkLaunch(executable, request, options, kind);
    if (!pools) {
        exec::discardOutputs(executable, bufferOutputs(request));
        return tl::unexpected<Error>(std::move(pools.error()));
    }
    auto charge = chargeTo(executable.client == nullptr ? nullptr : executable.client->account(),
                           Resource::EXECUTIONS, 1);
    if (!charge) {
        exec::discardOutputs(executable, bufferOutputs(request));
        return tl::unexpected<Error>(std::move(charge.error()));
    }
    return std::shared_ptr<LaunchedRequest>(
        new LaunchedRequest(executable, request, std::move(*pools), std::move(*charge)));
}

LaunchedRequest::LaunchedRequest(const exec::Executable& executable, const Request& request,
                                 std::vector<exec::RequestMemory> pools, Charge charge)
    : charge_(std::move(charge)),
      executable_(executable),
      request_(request),
      pools_(std::move(pools)),
      pendingWrites_({request_.inputs, request_.outputs}, pools_) {}

LaunchedRequest::~LaunchedRequest() {
    fail();
}

Result<> LaunchedRequest::run(const ExecutionOptions& options, const OptionalTimePoint& arrival,
                              ExecutionOutcome& outcome) {
    Result<> status = executeOnce(executable_, request_, options, arrival, outcome, pools_);
    hasEnded_ = true;
    pendingWrites_.end();
    return status;
}

void LaunchedRequest::fail() {
    if (!hasEnded_) {
        hasEnded_ = true;
        exec::discardOutputs(executable_, bufferOutputs(request_));
        pendingWrites_.end();
    }
}

}  // namespace nnburst::device
