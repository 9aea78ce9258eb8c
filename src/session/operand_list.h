// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The inputs or the outputs of a session: those of the model, without its states. Finds them by
/// name or index; errors list the operands that exist.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nnburst/element_type.h"
#include "nnburst/model_signature.h"
#include "nnburst/result.h"

namespace nnburst::session {

/// Not thread-safe.
class OperandList {
  public:
    /// `kind` is "input" or "output", `ofModel` all operands of this kind, `isState` one flag each.
    OperandList(const char* kind, const std::vector<NamedOperand>& ofModel,
                const std::vector<bool>& isState);

    [[nodiscard]] std::span<const NamedOperand> operands() const noexcept { return operands_; }
    [[nodiscard]] NamedOperand& operand(std::size_t index) noexcept { return operands_[index]; }
    /// Where operand `index` of this list stands among the model's operands of this kind.
    [[nodiscard]] std::size_t modelIndex(std::size_t index) const noexcept {
        return modelIndexes_[index];
    }

    /// The operand of this name, whose elements are of `type`; gives its index in this list.
    [[nodiscard]] Result<std::size_t> find(std::string_view name, ElementType type) const;
    /// The same by the index in this list.
    [[nodiscard]] Result<std::size_t> find(std::size_t index, ElementType type) const;
    /// "the inputs are: 0 TENSOR_FLOAT32 "image" of dimensions 1x128x128x3", for messages.
    [[nodiscard]] std::string listing() const;

  private:
    const char* kind_;
    std::vector<NamedOperand> operands_;
    std::vector<std::size_t> modelIndexes_;
};

}  // namespace nnburst::session
