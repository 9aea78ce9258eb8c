// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Extracts operations of a model into a model of their own.

#include <cstdint>
#include <span>
#include <vector>

#include "nnburst/types.h"
#include "runtime/operand_uses.h"

namespace nnburst::runtime {

/// Constants in pools are shared with the whole model; those in its operand values are copied.
struct Submodel {
    Model model;
    /// The operands of the whole model's main subgraph that are the inputs of `model`, in order.
    std::vector<std::uint32_t> inputs;
    /// The same for its outputs: operands that other operations read, or that are outputs of the
    /// whole model.
    std::vector<std::uint32_t> outputs;
};

/// `operations` of the main subgraph of `whole`, in an order in which they can be executed. `uses`
/// are those of the main subgraph. If all inputs of the operations are constants, the submodel has
/// an input of the whole model that it does not use, since the HAL has no models without inputs. It
/// has no outputs, and is no valid model, if nothing uses the results of the operations.
[[nodiscard]] Submodel makeSubmodel(const Model& whole, std::span<const OperandUse> uses,
                                    std::span<const std::uint32_t> operations);

/// The inputs of the main subgraph of `model`, then its outputs, without operations: what requests
/// are checked with.
[[nodiscard]] Model interfaceOf(const Model& model);

}  // namespace nnburst::runtime
