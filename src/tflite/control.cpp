// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0

/// \file
/// Converters of operators that run other subgraphs.

#include "tflite/converters.h"
#include "tflite/shapes.h"

namespace nnburst::tflite {

namespace {

/// The shapes of the inputs from `first` on.
std::vector<ValueShape> shapesFrom(OperatorImport& op, std::size_t first) {
    std::vector<ValueShape> shapes;
    for (std::size_t i = first; i < op.inputCount(); ++i) {
        shapes.push_back({.dimensions = op.shape(i), .isScalar = op.isScalar(i)});
    }
    return shapes;
}

/// Imports subgraph `index`, which must have as many inputs as `use` and `outputs` outputs.
Result<ImportedSubgraph> importChecked(OperatorImport& op, std::int32_t index,
                                       const SubgraphUse& use, std::size_t outputs) {
    NNBURST_TRY_ASSIGN(ImportedSubgraph subgraph, op.tensors().file().importReferenced(index, use));
    if (subgraph.inputs.size() != use.inputs.size() || subgraph.outputs.size() != outputs) {
        return invalid("subgraph {} with {} inputs and {} outputs: must have {} and {}", index,
                       subgraph.inputs.size(), subgraph.outputs.size(), use.inputs.size(), outputs);
    }
    return subgraph;
}

/// An operand that refers to the subgraph.
std::uint32_t reference(OperatorImport& op, const ImportedSubgraph& subgraph) {
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
    const SubgraphUse use{.inputs = shapesFrom(op, 1),
                          .keepsOpenSizes = op.tensors().keepsOpenSizes()};
    NNBURST_TRY_ASSIGN(const ImportedSubgraph then,
                       importChecked(op, options->then_subgraph_index(), use, op.outputCount()));
    NNBURST_TRY_ASSIGN(const ImportedSubgraph otherwise,
                       importChecked(op, options->else_subgraph_index(), use, op.outputCount()));
    for (std::size_t i = 0; i < op.outputCount(); ++i) {
        const ValueShape& output = then.outputs[i];
        if (isKnown(output.dimensions) && output == otherwise.outputs[i]) {
            if (output.isScalar) {
                op.inferScalarOutput(i);
            } else {
                op.inferOutputShape(output.dimensions, i);
            }
        }
    }
    std::vector<std::uint32_t> inputs{op.input(0), reference(op, then), reference(op, otherwise)};
    for (std::size_t i = 1; i < op.inputCount(); ++i) {
        inputs.push_back(op.input(i));
    }
    op.add(operation, std::move(inputs), outputsOf(op));
    return {};
}

/// The options' name says what the subgraph computes. TFLite runs the subgraph, too.
Result<> convertComposite(OperatorImport& op, OperationType /*operation*/) {
    const auto* options = op.declaration().builtin_options_2_as_StableHLOCompositeOptions();
    if (options == nullptr) {
        return invalid("must have StableHLOCompositeOptions");
    }
    return op.tensors().file().importInPlace(options->decomposition_subgraph_index(), op);
}

/// Inputs and outputs are the state of the loop: condition and body take it, the body returns it.
Result<> convertWhile(OperatorImport& op, OperationType operation) {
    NNBURST_TRY_ASSIGN(const auto* options, op.options<schema::WhileOptions>());
    const std::size_t count = op.inputCount();
    if (op.outputCount() != count) {
        return invalid("{} outputs for {} inputs: must be the same number", op.outputCount(),
                       count);
    }
    const SubgraphUse use{.inputs = shapesFrom(op, 0),
                          .isLoopBody = true,
                          .keepsOpenSizes = op.tensors().keepsOpenSizes()};
    NNBURST_TRY_ASSIGN(const ImportedSubgraph body,
                       importChecked(op, options->body_subgraph_index(), use, count));
    NNBURST_TRY_ASSIGN(
        const ImportedSubgraph condition,
        importChecked(op, options->cond_subgraph_index(),
                      {.inputs = body.inputs, .keepsOpenSizes = body.keepsOpenSizes}, 1));
    std::vector<std::uint32_t> inputs{reference(op, condition), reference(op, body)};
    for (std::size_t i = 0; i < count; ++i) {
        inputs.push_back(op.input(i));
        // The body may not run at all.
        if (isKnown(op.shape(i)) && op.shape(i) == body.outputs[i].dimensions) {
            op.inferShapeOf(i, i);
        }
    }
    op.add(operation, std::move(inputs), outputsOf(op));
    return {};
}

}  // namespace nnburst::tflite
