// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A picture of a model.

#include <string>

#include "nnburst/types.h"

namespace nnburst {

/// `model` in the language of Graphviz: `dot -Tsvg` draws it. Operands are boxes with their type,
/// dimensions and quantisation, operations ellipses; referenced subgraphs are clusters to which IF
/// and WHILE point. The model need not be valid: what is out of range is drawn as such.
[[nodiscard]] std::string graphDump(const Model& model);

}  // namespace nnburst
