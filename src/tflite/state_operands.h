// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a model keeps from one execution to the next: variable tensors, and states that no tensor
/// has. Only the main subgraph has any.
///
/// Belongs to one import. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nnburst/model_builder.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::tflite {

class StateOperands {
  public:
    static constexpr std::uint32_t kNoTensor = UINT32_MAX;

    struct State {
        std::uint32_t tensor;  ///< kNoTensor if no tensor has it
        std::uint32_t input;   ///< operand with the value of the last execution
        std::uint32_t next;    ///< operand with the value now, if no tensor has it
    };

    StateOperands(ModelBuilder& builder, bool isMain) : builder_(builder), isMain_(isMain) {}

    /// Adds the state of variable tensor `tensor`. `input` is the model's input with its value.
    void addVariable(std::uint32_t tensor, std::uint32_t input) {
        states_.push_back({.tensor = tensor, .input = input, .next = input});
    }
    /// Adds a state that no tensor has: an input of the model of the type and shape of `value`,
    /// which must be known. Returns its number.
    [[nodiscard]] Result<std::size_t> addState(const Operand& value);
    /// The operand with the value of a state at the current operator.
    [[nodiscard]] std::uint32_t stateValue(std::size_t state) const { return states_[state].next; }
    void setStateValue(std::size_t state, std::uint32_t operand) { states_[state].next = operand; }
    [[nodiscard]] const std::vector<State>& all() const noexcept { return states_; }

  private:
    ModelBuilder& builder_;
    const bool isMain_;
    std::vector<State> states_;
};

}  // namespace nnburst::tflite
