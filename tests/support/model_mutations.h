// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Mutations of models, in the manner of the HAL's own validation tests. Each of the first four
/// breaks a rule, wherever the model has something to which the rule applies; devices refuse all of
/// them with INVALID_ARGUMENT, in getSupportedOperations as in prepareModel.
///
/// Which mutations leave a model valid depends on the model: `reasonToStayValid` names those
/// mutations of the subjects, each with the rule that allows it.

#include <string>

#include "mutation.h"
#include "nnburst/types.h"

namespace nnburst::test {

/// Types, dimensions, scales, zero points, extra parameters.
[[nodiscard]] Mutations<Model> operandTypeMutations(const Model& model);
/// Lifetimes, locations and numbers of consumers.
[[nodiscard]] Mutations<Model> operandSourceMutations(const Model& model);
/// Types, inputs and outputs of operations, and their order.
[[nodiscard]] Mutations<Model> operationMutations(const Model& model);
/// Inputs and outputs of subgraphs, operands that are missing, memory, extensions.
[[nodiscard]] Mutations<Model> structureMutations(const Model& model);

/// All of the above.
[[nodiscard]] Mutations<Model> modelMutations(const Model& model);

/// Why this mutation leaves this subject valid, or null if it does not.
[[nodiscard]] const char* reasonToStayValid(const std::string& subject,
                                            const std::string& mutation);

// ---- For the generators

/// "main", or "subgraph 2".
[[nodiscard]] std::string placeName(std::size_t place);
[[nodiscard]] inline std::size_t placeCount(const Model& model) {
    return 1 + model.referenced.size();
}
/// Index 0 is the main subgraph, the referenced ones follow.
[[nodiscard]] inline Subgraph& subgraphAt(Model& model, std::size_t place) {
    return place == 0 ? model.main : model.referenced[place - 1];
}
[[nodiscard]] inline const Subgraph& subgraphAt(const Model& model, std::size_t place) {
    return place == 0 ? model.main : model.referenced[place - 1];
}

}  // namespace nnburst::test
