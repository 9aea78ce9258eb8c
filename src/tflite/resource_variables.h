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
        const schema::Tensor* initial = nullptr;  ///< a constant of the subgraph that runs once
        std::span<const std::byte> initialBytes{};
        std::optional<std::size_t> state{};       ///< its number in the TensorMap
        std::optional<std::uint32_t> constant{};  ///< its operand
    };

    [[nodiscard]] Result<> runOnce(const schema::Operator& declaration);
    [[nodiscard]] Result<> assignOnce(const schema::SubGraph& graph, const schema::Operator& op,
                                      const std::map<std::int32_t, std::string>& handles);
    [[nodiscard]] Result<> read(const schema::Operator& declaration, TensorMap& tensors);
    [[nodiscard]] Result<> assign(const schema::Operator& declaration, TensorMap& tensors);
    [[nodiscard]] Result<Variable*> variableOf(const schema::Operator& declaration);
    /// The state of a variable, whose value has the declaration of `value`.
    [[nodiscard]] Result<std::size_t> stateOf(Variable& variable, const Operand& value,
                                              TensorMap& tensors);

    const schema::Model& file_;
    FileImport& import_;
    std::map<std::int32_t, std::string> handles_;  ///< names of variables, by tensor
    std::set<std::string> assigned_;               ///< variables that the main subgraph assigns
    std::map<std::string, Variable> variables_;
};

}  // namespace nnburst::tflite
