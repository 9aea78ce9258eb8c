// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "checked_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>

#include "exec/xnnpack/random_graph.h"
#include "model/operand_info.h"
#include "support/test_request.h"

namespace nnburst::stress {

namespace {

constexpr std::uint32_t kAlignment = 64;

/// Places for operands of known sizes, one after the other.
std::vector<RequestArgument> place(const Subgraph& graph, const std::vector<std::uint32_t>& indexes,
                                   std::uint32_t& used) {
    std::vector<RequestArgument> arguments;
    for (const std::uint32_t index : indexes) {
        const auto length = static_cast<std::uint32_t>(exec::sizeOf(graph.operands[index]));
        arguments.push_back({.location = {.poolIndex = 0, .offset = used, .length = length}});
        used += (length + kAlignment - 1) / kAlignment * kAlignment;
    }
    return arguments;
}

Result<> executeByBurst(PreparedModel& prepared, const Request& request, bool isReusable) {
    NNBURST_TRY_ASSIGN(const std::unique_ptr<Burst> burst, prepared.configureExecutionBurst({}));
    ExecutionOutcome outcome;
    if (!isReusable) {
        NNBURST_TRY(burst->execute(request, {}, outcome));
        return burst->execute(request, {}, outcome);
    }
    NNBURST_TRY_ASSIGN(const auto reusable, burst->createReusableExecution(request, {}));
    NNBURST_TRY(reusable->compute({}, outcome));
    return reusable->compute({}, outcome);
}

Result<> executeAsynchronously(PreparedModel& prepared, const Request& request) {
    const auto done = std::make_shared<std::promise<Result<>>>();
    auto result = done->get_future();
    (void)prepared.execute(request, {}, [done](const Result<>& status, const ExecutionOutcome&) {
        done->set_value(status);
    });
    return result.get();
}

Result<> executeIn(int way, PreparedModel& prepared, const Request& request) {
    ExecutionOutcome outcome;
    switch (way) {
        case 0:
            return executeByBurst(prepared, request, false);
        case 1:
            return executeByBurst(prepared, request, true);
        case 2:
            return executeAsynchronously(prepared, request);
        default:
            return prepared.executeSynchronously(request, {}, outcome);
    }
}

}  // namespace

CheckedModel::CheckedModel(Device& local, std::uint32_t seed)
    : seed_(seed), model_(exec::makeRandomGraph(seed)) {
    std::uint32_t used = 0;
    inputs_ = place(model_.main, model_.main.inputIndexes, used);
    inputBytes_ = used;
    outputs_ = place(model_.main, model_.main.outputIndexes, used);
    arguments_.resize(used);
    exec::Random random(seed);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        const Operand& operand = model_.main.operands[model_.main.inputIndexes[i]];
        const DataLocation& at = inputs_[i].location;
        const auto values = random.elements(operand.type, at.length / elementBytes(operand.type));
        std::ranges::copy(values, arguments_.begin() + at.offset);
    }
    const Request request = makeRequest();
    if (const auto prepared = prepareModel(local, model_)) {
        ExecutionOutcome outcome;
        (void)(*prepared)->executeSynchronously(request, {}, outcome);
    }
    (void)std::get<SharedRegion>(request.pools[0])->read(0, arguments_);
}

Request CheckedModel::makeRequest() const {
    Request request;
    request.inputs = inputs_;
    request.outputs = outputs_;
    request.pools = {*Region::create(std::max<std::size_t>(arguments_.size(), 1))};
    (void)std::get<SharedRegion>(request.pools[0])
        ->write(0, std::span(arguments_).first(inputBytes_));
    return request;
}

bool CheckedModel::isRight(const Request& request) const {
    std::vector<std::byte> computed(arguments_.size());
    (void)std::get<SharedRegion>(request.pools[0])->read(0, computed);
    return std::ranges::all_of(outputs_, [&](const RequestArgument& output) {
        const DataLocation& at = output.location;
        return std::equal(computed.begin() + at.offset, computed.begin() + at.offset + at.length,
                          arguments_.begin() + at.offset);
    });
}

WorkResult executeAndCheck(PreparedModel& prepared, const CheckedModel& model,
                           std::mt19937& random) {
    const Request request = model.makeRequest();
    const int way = static_cast<int>(random() % 4);
    const Result<> executed = executeIn(way, prepared, request);
    if (!executed) {
        return {.error = executed.error()};
    }
    if (!model.isRight(request)) {
        return {.wrong =
                    fmt::format("random graph {} has a wrong result (way {})", model.seed(), way)};
    }
    return {.isDone = true};
}

}  // namespace nnburst::stress
