// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A subgraph as the executor keeps it.

#include <cstdint>
#include <memory>
#include <vector>

#include "exec/dot8/packed_weights.h"
#include "exec/graph/constants.h"
#include "exec/graph/packed_graph.h"
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

    /// `subgraph`, one of those of `model`, which is valid. Has the filters of `packed`, and not
    /// the values of its constants.
    [[nodiscard]] static Result<std::unique_ptr<Graph>> create(const Model& model,
                                                               const Subgraph& subgraph,
                                                               const PackedGraph& packed = {});

    /// What has been packed so far. Nothing changes `constants` meanwhile.
    [[nodiscard]] PackedGraph packed() const;

    Subgraph subgraph;
    Constants constants;
    /// One an operation that is not run: its outputs have become constants, or nothing reads them.
    std::vector<bool> isFolded;
    bool isRelaxed;  ///< Model::relaxComputationFloat32toFloat16
    /// Of all plans and steps of this graph; itself thread-safe.
    const std::unique_ptr<dot8::PackedWeights> packedWeights =
        std::make_unique<dot8::PackedWeights>();
};

}  // namespace nnburst::exec
