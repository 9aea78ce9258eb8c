// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the subgraphs of one TFLite file share while they are imported: the file, the limit on
/// constants, the operators that cannot be imported, and the model that they are added to. Belongs
/// to one import. Not thread-safe.

#include <tflite_generated.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "nnburst/model_builder.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "tflite/import_problems.h"

namespace nnburst::tflite {

/// Limit on the size of all constants, as a multiple of the size of the file. Several tensors may
/// share one buffer of the file; a file that exceeds this factor is an attack.
inline constexpr std::uint64_t kMaximumExpansion = 16;
/// Bytes of constants beyond that limit: for constants that operators add, such as shapes.
inline constexpr std::uint64_t kAdditionalBytes = 1 << 20;
/// Limit on subgraphs that are run by operators of subgraphs: each level takes stack.
inline constexpr std::size_t kMaximumSubgraphDepth = 16;

/// The shape of an input or output of a subgraph, as far as it is known.
struct ValueShape {
    Dimensions dimensions;
    bool isScalar = false;  ///< it has no dimensions in the file, and one of size 1 as an operand

    bool operator==(const ValueShape&) const = default;
};

/// A subgraph that the model has.
struct ImportedSubgraph {
    std::uint32_t referenced;  ///< its index in Model::referenced
    std::vector<ValueShape> inputs;
    std::vector<ValueShape> outputs;
    bool keepsOpenSizes;  ///< as SubgraphUse has it
};

class OperatorImport;

/// How an operator runs a subgraph.
struct SubgraphUse {
    std::vector<ValueShape> inputs{};  ///< shapes of the values that it gives the subgraph
    bool isLoopBody = false;           ///< the outputs of one run are the inputs of the next
    /// A loop that changes sizes runs it. Open sizes stay open, also in the subgraphs that it runs.
    bool keepsOpenSizes = false;
    /// The subgraph is imported in place of this operator, if it is not null: its inputs are the
    /// operands of the operator's inputs.
    OperatorImport* inPlaceOf = nullptr;
};

class TensorMap;

class FileImport {
  public:
    /// `fileBytes` is the size of the file; `file`, which is verified, has a subgraph.
    FileImport(const schema::Model& file, std::uint64_t fileBytes, const TfliteOptions& options)
        : file_(file),
          fileBytes_(fileBytes),
          options_(options),
          constantBytesLeft_(fileBytes * kMaximumExpansion + kAdditionalBytes) {}

    [[nodiscard]] const TfliteOptions& options() const noexcept { return options_; }
    /// The contents of a buffer; empty if it has none.
    [[nodiscard]] Result<std::span<const std::byte>> buffer(std::uint32_t index) const;
    /// Call before memory of this size is taken for a constant.
    Result<> takeConstantBytes(std::uint64_t sizeBytes);
    /// Call once for each subgraph, before its operators are read. Counts their inputs and outputs,
    /// and the characters of their variables' names. Together they are bounded by the size of the
    /// file: an input takes 4 bytes, a character 1, but operators may share them.
    Result<> takeArguments(const schema::SubGraph& graph);

    /// To be called if the model uses the extension org.nnburst.tflite.
    void nameExtension() noexcept { usesExtension_ = true; }

    /// Imports the main subgraph, or that of the signature of the options, and what it refers to.
    [[nodiscard]] Result<TfliteModel> importModel();
    /// Imports subgraph `index` of the file, unless that was done before. Sizes of its inputs
    /// become those of the first use, or where that does not know them those of the shape in the
    /// file. Open ones stay open if a loop may change them. An error without a
    /// message is about operators that are among the problems already.
    [[nodiscard]] Result<ImportedSubgraph> importReferenced(std::int32_t index,
                                                            const SubgraphUse& use);
    /// Imports subgraph `index` in place of `op`: as operations of the graph that has `op`.
    [[nodiscard]] Result<> importInPlace(std::int32_t index, OperatorImport& op);

  private:
    class SubgraphOperators;

    /// A subgraph of the file that becomes one of Model::referenced.
    struct Referenced {
        std::int32_t index;  ///< in the file
        ModelBuilder builder;
        std::vector<std::uint32_t> inputs;
        std::vector<std::uint32_t> outputs;
    };

    /// The shapes that the options have for each of the main subgraph's inputs; none for others.
    [[nodiscard]] Result<std::vector<ValueShape>> givenShapes(
        const std::vector<std::string>& inputNames) const;
    /// Imports the operators of subgraph `index`. Operators that cannot be imported become
    /// problems, and operators that read what these compute are left out.
    Result<> importOperators(std::int32_t index, const schema::SubGraph& graph, TensorMap& tensors,
                             const SubgraphUse& use);
    [[nodiscard]] Result<ImportedSubgraph> importSubgraph(std::int32_t index,
                                                          const SubgraphUse& use);
    /// What importInPlace does with a subgraph that may be imported.
    [[nodiscard]] Result<> addInPlace(std::int32_t index, OperatorImport& op);
    /// Calls `import`, which imports subgraph `index` and returns a result, unless the subgraph
    /// cannot be imported.
    template <class Import>
    [[nodiscard]] auto importNested(std::int32_t index, Import import) -> decltype(import());
    /// Drops the entries of `referenced_` from `first` on, so that they can be imported again.
    void dropReferenced(std::size_t first);

    const schema::Model& file_;
    const std::uint64_t fileBytes_;
    const TfliteOptions options_;
    std::int32_t main_ = 0;  ///< the subgraph that becomes the model's main one
    ImportProblems problems_;
    bool usesExtension_ = false;
    std::uint64_t constantBytesLeft_;
    std::uint64_t arguments_ = 0;  ///< that takeArguments has counted
    ModelBuilder builder_;
    std::vector<Referenced> referenced_;  ///< by their index in Model::referenced
    std::map<std::int32_t, ImportedSubgraph> imported_;
    std::set<std::int32_t> failed_;        ///< subgraphs with operators among the problems
    std::vector<std::int32_t> importing_;  ///< the subgraphs being imported, outermost first
};

}  // namespace nnburst::tflite
