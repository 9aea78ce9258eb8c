// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A subgraph with its constants, from which plans and interpreters are made.

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/dot8/packed_weights.h"
#include "exec/graph/constants.h"
#include "exec/graph/packed_graph.h"
#include "exec/xnnpack/packed_weights.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// A subgraph with its constants. Private memory: the model may be dropped once
/// `constants.dropSources` was called. At a fixed address, since views point into it.
struct Graph {
    Graph(Subgraph given, Constants values, bool relaxed)
        : subgraph(std::move(given)),
          constants(std::move(values)),
          isFolded(subgraph.operations.size(), false),
          isRelaxed(relaxed) {}
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    /// Makes the graph of `subgraph`, which belongs to the valid `model`. It uses the packed
    /// weights in `packed` instead of the values of their constants.
    [[nodiscard]] static Result<std::unique_ptr<Graph>> create(const Model& model,
                                                               const Subgraph& subgraph,
                                                               const PackedGraph& packed = {});

    /// The weights that were packed so far. `constants` must not change during the call.
    [[nodiscard]] PackedGraph packed() const;

    /// Estimate of the bytes that a plan or an interpreter of the graph takes, without the values
    /// of operands and without what its steps keep.
    [[nodiscard]] std::uint64_t structureBytes() const noexcept;

    Subgraph subgraph;
    Constants constants;
    /// For each operation: whether it is not run, because its outputs have become constants or are
    /// not read.
    std::vector<bool> isFolded;
    bool isRelaxed;  ///< Model::relaxComputationFloat32toFloat16
    /// Whether this is Model::main; its inputs come from requests, which have no tensors without
    /// elements.
    bool isMain = false;
    /// The packed weights of all plans and steps of this graph; thread-safe.
    const std::unique_ptr<dot8::PackedWeights> packedWeights =
        std::make_unique<dot8::PackedWeights>();
    const std::unique_ptr<xnnpack::PackedWeights> xnnpackWeights =
        std::make_unique<xnnpack::PackedWeights>();
};

}  // namespace nnburst::exec
