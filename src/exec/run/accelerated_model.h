// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Compiled models that an accelerator (nnburst/driver.h) computes.

#include <memory>
#include <vector>

#include "exec/run/compiled_model.h"
#include "nnburst/driver.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// One entry for each operation of the main subgraph of `model`, which is valid: whether
/// `accelerator` computes it. It is not asked about IF, WHILE and operands of open dimensions.
[[nodiscard]] std::vector<bool> supportedOperations(const Accelerator& accelerator,
                                                    const Model& model);

/// A model that `accelerator` computes, in turn with the other models of `engine`. The model may be
/// dropped afterwards. GENERAL_FAILURE if the accelerator does not support one of its operations,
/// INVALID_ARGUMENT if it is not valid, and errors of Accelerator::compile.
[[nodiscard]] Result<std::shared_ptr<CompiledModel>> compileFor(
    const std::shared_ptr<Accelerator>& accelerator, const std::shared_ptr<Engine>& engine,
    const Model& model);

}  // namespace nnburst::exec
