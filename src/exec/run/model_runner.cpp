// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#include "exec/run/model_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "exec/graph/graph_check.h"
#include "log/assert.h"

namespace nnburst::exec {

namespace {

/// The dimensions that hold for an argument.
std::span<const std::uint32_t> dimensionsOf(const ArgumentBinding& argument,
                                            const Operand& operand) noexcept {
    return argument.dimensions.empty() ? std::span<const std::uint32_t>(operand.dimensions)
                                       : argument.dimensions;
}

/// `prepared`, with an error that names the referenced subgraph `index`.
Result<> ofReferenced(std::size_t index, Result<> prepared) {
    if (!prepared) {
        prepared.error().message =
            fmt::format("referenced subgraph {}: {}", index, prepared.error().message);
    }
    return prepared;
}

}  // namespace

Result<ModelGraphs> ModelGraphs::create(const Model& model, const PackedModel& packed) {
    const std::size_t count = model.referenced.size() + 1;
    NNBURST_ASSERT(packed.graphs.empty() || packed.graphs.size() == count,
                   "a model of {} subgraphs, of which {} are packed", count, packed.graphs.size());
    ModelGraphs graphs;
    graphs.constantBytes = model.operandValues.size();
    for (const SharedRegion& pool : model.pools) {
        graphs.constantBytes += pool->sizeBytes();
    }
    const SharedAccount filterAccount = dot8::makeFilterAccount(graphs.constantBytes);
    const auto create = [&](const Subgraph& subgraph, std::size_t index) {
        return SharedGraph::create(model, subgraph,
                                   packed.graphs.empty() ? PackedGraph() : packed.graphs[index],
                                   filterAccount);
    };
    for (std::size_t index = 0; index < model.referenced.size(); ++index) {
        NNBURST_TRY_ASSIGN(graphs.referenced.emplace_back(),
                           create(model.referenced[index], index + 1));
    }
    NNBURST_TRY_ASSIGN(graphs.main, create(model.main, 0));
    return graphs;
}

std::uint64_t ModelGraphs::additionalFilterBytes() const noexcept {
    std::uint64_t bytes = main->graph->packedWeights->memoryBytes();
    for (const auto& graph : referenced) {
        bytes += graph->graph->packedWeights->memoryBytes();
    }
    return bytes - std::min(bytes, constantBytes);
}

std::uint64_t ModelGraphs::resultBytes() const noexcept {
    std::uint64_t bytes = main->graph->constants.resultBytes();
    for (const auto& graph : referenced) {
        bytes += graph->graph->constants.resultBytes();
    }
    return bytes;
}

ModelRunner::ModelRunner(const Kernels& kernels, ModelGraphs& graphs,
                         const ArgumentBinder& arguments, std::uint32_t index)
    : arguments_(arguments),
      index_(index),
      referenced_(graphs.referenced.size()),
      main_(kernels, *graphs.main, referenced_),
      given_(arguments.inputs().size()) {
    for (std::size_t graph = 0; graph < referenced_.size(); ++graph) {
        referenced_[graph] =
            std::make_unique<GraphRunner>(kernels, *graphs.referenced[graph], referenced_);
    }
}

Result<> ModelRunner::prepareFirst(const PreparationLimits& limits) {
    const TimePoint foldingEnd = GraphCheck::endOfFolding();
    for (std::size_t index = 0; index < referenced_.size(); ++index) {
        NNBURST_TRY(ofReferenced(index, referenced_[index]->prepareFirst(foldingEnd, limits)));
    }
    return main_.prepareFirst(foldingEnd, limits);
}

Result<> ModelRunner::prepareAs(const ModelRunner& first, const PreparationLimits& limits) {
    for (std::size_t index = 0; index < referenced_.size(); ++index) {
        NNBURST_TRY(
            ofReferenced(index, referenced_[index]->prepareAs(*first.referenced_[index], limits)));
    }
    return main_.prepareAs(first.main_, limits);
}

/// Runs the plan in `bindings.memo`. The shapes are those of the last run; the addresses are set
/// again if another request has used the plan since.
Result<> ModelRunner::runAgain(RequestBindings& bindings, std::vector<OutputShape>& shapes,
                               const RunLimits& limits) {
    const RunMemo& memo = bindings.memo;
    NNBURST_ASSERT(main_.recalls(memo), "a plan of generation {}", memo.generation);
    Plan& plan = *memo.plan;
    NNBURST_ASSERT(shapes.size() == plan.outputs().size(), "{} shapes for {} outputs",
                   shapes.size(), plan.outputs().size());
    if (memo.placement != plan.placement()) {
        placeAgain(bindings);
    }
    OutputShape* reported = shapes.data();
    for (const Plan::Output& computed : plan.outputs()) {
        reportShape(computed.shape, *reported);
        reported->isSufficient = true;
        ++reported;
    }
    return plan.runAtOnce(limits);
}

void ModelRunner::placeAgain(RequestBindings& bindings) noexcept {
    const std::span<std::byte*> addresses = main_.argumentAddresses();
    NNBURST_ASSERT(bindings.inputs.size() + bindings.outputs.size() == addresses.size(),
                   "bindings of {} inputs and {} outputs for a graph of {} arguments",
                   bindings.inputs.size(), bindings.outputs.size(), addresses.size());
    auto address = addresses.begin();
    for (const auto* arguments : {&bindings.inputs, &bindings.outputs}) {
        for (const ArgumentBinding& argument : *arguments) {
            *address++ = argument.data;
        }
    }
    bindings.memo.plan->place(addresses);
    bindings.memo.placement = bindings.memo.plan->placement();
}

Result<> ModelRunner::runAnew(RequestBindings& bindings, std::vector<OutputShape>& shapes,
                              const RunLimits& limits) {
    const std::span<const Operand> inputs = arguments_.inputs();
    NNBURST_ASSERT(bindings.inputs.size() == inputs.size() &&
                       bindings.outputs.size() == arguments_.outputs().size(),
                   "bindings of {} inputs and {} outputs; the model has {} and {}",
                   bindings.inputs.size(), bindings.outputs.size(), inputs.size(),
                   arguments_.outputs().size());
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        const ArgumentBinding& argument = bindings.inputs[input];
        given_[input] = {.shape = Shape(dimensionsOf(argument, inputs[input])),
                         .data = argument.data,
                         .isOmitted = argument.hasNoValue};
    }
    bindings.memo = {.runner = index_};
    RequestOutputs outputs(bindings, shapes);
    return main_.run(given_, outputs, limits,
                     outputs.haveFixedAddresses() ? &bindings.memo : nullptr);
}

bool ModelRunner::releaseIfIdle() {
    if (hasRun_) {
        hasRun_ = false;
        return false;
    }
    if (!isReleased_) {
        main_.releaseScratch();
        for (const auto& subgraph : referenced_) {
            subgraph->releaseScratch();
        }
        isReleased_ = true;
    }
    return true;
}

std::uint64_t ModelRunner::memoryBytes() const noexcept {
    std::uint64_t total = main_.memoryBytes();
    for (const auto& subgraph : referenced_) {
        total += subgraph->memoryBytes();
    }
    return total;
}

}  // namespace nnburst::exec
