// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Resolves the arguments of requests for one model to memory of this process.

#include <span>
#include <vector>

#include "exec/run/request_bindings.h"
#include "model/request_check.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Immutable and thread-safe.
class ArgumentBinder {
  public:
    explicit ArgumentBinder(const Model& model);

    /// The main inputs and outputs of the model.
    [[nodiscard]] std::span<const Operand> inputs() const noexcept { return inputs_; }
    [[nodiscard]] std::span<const Operand> outputs() const noexcept { return outputs_; }

    /// As CompiledModel::bind.
    [[nodiscard]] Result<> bind(std::span<const RequestArgument> inputs,
                                std::span<const RequestArgument> outputs,
                                std::span<const PoolView> pools, RequestBindings& bindings) const;

  private:
    std::vector<Operand> inputs_;
    std::vector<Operand> outputs_;
    std::vector<ExpectedArgument> expectedInputs_;   // of `inputs_`
    std::vector<ExpectedArgument> expectedOutputs_;  // of `outputs_`
};

}  // namespace nnburst::exec
