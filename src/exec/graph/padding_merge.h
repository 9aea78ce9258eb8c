// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Merges PAD into the convolutions that read the padded image.

#include "exec/graph/graph.h"
#include "exec/graph/shape_inference.h"
#include "nnburst/result.h"

namespace nnburst::exec {

/// For each PAD whose output is read only as the image of convolutions: gives these the image
/// without padding and the sizes of the padding as explicit arguments, and removes the PAD, so that
/// no padded copy is made. Covers paddings that are constant and lie along height and width, with
/// NHWC and without implicit padding SAME. A PAD that has to compare the output's declared size
/// with that of requests stays, and so does one whose image may have no rows or columns. `shapes`
/// has visited all operations; it does not know the operands that are added.
[[nodiscard]] Result<> mergePaddings(Graph& graph, const ShapeInference& shapes);

}  // namespace nnburst::exec
