// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Resource variables of the main subgraph: VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, and
/// CALL_ONCE of a subgraph that gives them constants at first. A variable that the main subgraph
/// never assigns is a constant; others are states, which are zero at first. Belongs to one import.

#include <tflite_generated.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::tflite {

class FileImport;
class TensorMap;

class ResourceVariables {
  public:
    ResourceVariables(const schema::Model& file, FileImport& import, const schema::SubGraph& graph);

    /// Whether this class imports operators of `code`.
    [[nodiscard]] static bool handles(schema::BuiltinOperator code) noexcept;

    /// Imports one of the main subgraph's operators.
    [[nodiscard]] Result<> importOperator(schema::BuiltinOperator code,
                                          const schema::Operator& declaration, TensorMap& tensors);

  private:
    /// A variable, known by container and name.
    struct Variable {
        bool isAssigned = false;                  ///< by the main subgraph
        const schema::Tensor* initial = nullptr;  ///< a constant of the subgraph that runs once
        std::span<const std::byte> initialBytes{};
        std::optional<std::size_t> state{};       ///< its number in StateOperands
        std::optional<std::uint32_t> constant{};  ///< its operand
    };

    /// Numbers of variables, by the tensors that are their handles in one subgraph.
    using Handles = std::map<std::int32_t, std::size_t>;

    /// The handles that the VAR_HANDLEs of a subgraph write.
    [[nodiscard]] Handles handlesOf(const schema::SubGraph& graph);
    [[nodiscard]] Result<> runOnce(const schema::Operator& declaration);
    [[nodiscard]] Result<> assignOnce(const schema::SubGraph& graph, const schema::Operator& op,
                                      const Handles& handles);
    [[nodiscard]] Result<> read(const schema::Operator& declaration, TensorMap& tensors);
    [[nodiscard]] Result<> assign(const schema::Operator& declaration, TensorMap& tensors);
    [[nodiscard]] Result<Variable*> variableOf(const schema::Operator& declaration);
    /// The state of a variable, whose value has the declaration of `value`.
    [[nodiscard]] Result<std::size_t> stateOf(Variable& variable, const Operand& value,
                                              TensorMap& tensors);

    const schema::Model& file_;
    FileImport& import_;
    std::map<std::string, std::size_t> numbers_;  ///< of the variables, by container and name
    std::vector<Variable> variables_;
    Handles handles_;                     ///< of the main subgraph
    std::set<std::int32_t> haveRunOnce_;  ///< subgraphs of CALL_ONCE
};

}  // namespace nnburst::tflite
