// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "device/local/launched_request.h"

#include <utility>

#include "device/local/single_execution.h"

namespace nnburst::device {

namespace {

/// The memory of a request that is kept until its execution has ended.
std::uint64_t bytesOf(const Request& request) {
    // The argument, its dimensions in a block of their own, and the buffers that it writes to.
    constexpr std::uint64_t kArgumentBytes = 2 * sizeof(RequestArgument);
    return sizeof(LaunchedRequest) +
           (request.inputs.size() + request.outputs.size()) * kArgumentBytes +
           request.pools.size() * (sizeof(RequestPool) + sizeof(exec::RequestMemory));
}

struct Charges {
    Charge execution;
    Charge memory;
};

Result<Charges> chargeFor(const exec::Executable& executable, const Request& request) {
    const SharedAccount account =
        executable.client == nullptr ? nullptr : executable.client->account();
    Charges charges;
    NNBURST_TRY_ASSIGN(charges.execution, chargeTo(account, Resource::EXECUTIONS, 1));
    NNBURST_TRY_ASSIGN(charges.memory, chargeTo(account, Resource::MEMORY, bytesOf(request)));
    return charges;
}

}  // namespace

Result<std::shared_ptr<LaunchedRequest>> LaunchedRequest::create(const exec::Executable& executable,
                                                                 const Request& request,
                                                                 const ExecutionOptions& options,
                                                                 LaunchKind kind) {
    auto pools = checkLaunch(executable, request, options, kind);
    if (!pools) {
        exec::discardOutputs(executable, bufferOutputs(request));
        return tl::unexpected<Error>(std::move(pools.error()));
    }
    auto charges = chargeFor(executable, request);
    if (!charges) {
        exec::discardOutputs(executable, bufferOutputs(request));
        return tl::unexpected<Error>(std::move(charges.error()));
    }
    return std::shared_ptr<LaunchedRequest>(
        new LaunchedRequest(executable, request, std::move(*pools), std::move(charges->execution),
                            std::move(charges->memory)));
}

LaunchedRequest::LaunchedRequest(const exec::Executable& executable, const Request& request,
                                 std::vector<exec::RequestMemory> pools, Charge execution,
                                 Charge memory)
    : execution_(std::move(execution)),
      memory_(std::move(memory)),
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
