// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that run other subgraphs.

#include "tflite/converters.h"

namespace nnburst::tflite {

namespace {

/// Imports subgraph `index`, which must have these numbers of inputs and outputs; returns a
/// reference to it.
Result<std::uint32_t> reference(OperatorImport& op, std::int32_t index, std::size_t inputs,
                                std::size_t outputs) {
    NNBURST_TRY_ASSIGN(const ImportedSubgraph subgraph,
                       op.tensors().file().importReferenced(index));
    if (subgraph.inputs != inputs || subgraph.outputs != outputs) {
        return invalid("subgraph {} with {} inputs and {} outputs: must have {} and {}", index,
                       subgraph.inputs, subgraph.outputs, inputs, outputs);
    }
    return op.tensors().builder().addSubgraphReference(subgraph.referenced);
}

std::vector<std::uint32_t> outputsOf(const OperatorImport& op) {
    std::vector<std::uint32_t> outputs;
    for (std::size_t i = 0; i < op.outputCount(); ++i) {
        outputs.push_back(op.output(i));
    }
    return outputs;
}

}  // namespace

/// The first input is the condition; the others go to the subgraph.
Result<> convertIf(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::IfOptions>());
    const std::size_t arguments = op.inputCount() - 1;
    NNBURST_TRY_ASSIGN(const std::uint32_t then,
                       reference(op, options->then_subgraph_index(), arguments, op.outputCount()));
    NNBURST_TRY_ASSIGN(const std::uint32_t otherwise,
                       reference(op, options->else_subgraph_index(), arguments, op.outputCount()));
    std::vector<std::uint32_t> inputs{op.input(0), then, otherwise};
    for (std::size_t i = 1; i < op.inputCount(); ++i) {
        inputs.push_back(op.input(i));
    }
    op.add(operation, std::move(inputs), outputsOf(op));
    return {};
}

/// Inputs and outputs are the state of the loop: condition and body take it, the body returns it.
Result<> convertWhile(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::WhileOptions>());
    const std::size_t count = op.inputCount();
    if (op.outputCount() != count) {
        return invalid("{} outputs for {} inputs: must be the same number", op.outputCount(),
                       count);
    }
    NNBURST_TRY_ASSIGN(const std::uint32_t condition,
                       reference(op, options->cond_subgraph_index(), count, 1));
    NNBURST_TRY_ASSIGN(const std::uint32_t body,
                       reference(op, options->body_subgraph_index(), count, count));
    std::vector<std::uint32_t> inputs{condition, body};
    for (std::size_t i = 0; i < count; ++i) {
        inputs.push_back(op.input(i));
    }
    op.add(operation, std::move(inputs), outputsOf(op));
    return {};
}

}  // namespace nnburst::tflite
