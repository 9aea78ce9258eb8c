// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Constants that a TFLite file holds in sparse form. The elements are the leaves of a tree: each
/// of its levels is one dimension of the tensor, in the order of `traversal_order`. The children of
/// a node in a DENSE level are all indices of that dimension; those in a SPARSE_CSR level are
/// array_indices[array_segments[n]] to array_indices[array_segments[n + 1] - 1] for node n of the
/// level above. The buffer has one element for each leaf; all other elements are zero.
///
/// A tensor may be divided into blocks: then the first levels go over the blocks, and for each
/// entry of `block_map` a DENSE level goes over the elements of a block along that dimension.

#include <tflite_generated.h>

#include <cstddef>
#include <span>
#include <vector>

#include "nnburst/result.h"

namespace nnburst::tflite {

/// The bytes of all elements of `tensor`, which is sparse, from its buffer's contents `packed`.
/// `elementBytes` is the size of an element. The caller has limited the size of the result.
[[nodiscard]] Result<std::vector<std::byte>> densify(const schema::Tensor& tensor,
                                                     std::span<const std::byte> packed,
                                                     std::size_t elementBytes);

}  // namespace nnburst::tflite
