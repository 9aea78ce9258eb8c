// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Draws models.

#include <string>

#include "nnburst/export.h"
#include "nnburst/types.h"

namespace nnburst {

/// `model` in the language of Graphviz: `dot -Tsvg` draws it. Operands are boxes with their type,
/// dimensions, quantisation, lifetime and, of scalars, value; operations are ellipses; referenced
/// subgraphs are clusters to which the operands of IF and WHILE point. The same model gives the
/// same text. The model need not be valid: what is out of range is drawn as such, and what is too
/// long for a label is cut. Thread-safe.
[[nodiscard]] NNBURST_EXPORT std::string graphDump(const Model& model);

}  // namespace nnburst
