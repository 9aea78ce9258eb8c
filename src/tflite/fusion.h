// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Groups of operators that converters of networks write for one operation of the HAL, found before
/// a subgraph is imported. The last operator of a group is imported as the operation; the others
/// are left out, as nothing else reads what they compute.
///
/// - PRELU(x, a): ADD(RELU(x), MUL(-a, RELU(NEG(x)))), or ADD(RELU(x), MUL(a / 2, SUB(x, ABS(x))))
/// - SOFTMAX(x) along the last axis: DIV(e, SUM(e)), e = EXP(SUB(x, REDUCE_MAX(x)))
///
/// All in FLOAT32. A PRELU gives the same numbers; a SOFTMAX the same but for the last bits.

#include <tflite_generated.h>

#include <cstdint>
#include <map>
#include <set>

#include "nnburst/result.h"

namespace nnburst::tflite {

class TensorMap;

/// What the last operator of a group computes.
struct FusedOperator {
    enum class Kind : std::uint8_t { PRELU, SOFTMAX } kind = Kind::PRELU;
    std::int32_t input = 0;
    /// Of PRELU: a tensor of constants, and what to multiply these with.
    std::int32_t factors = 0;
    float scale = 1.0F;
    std::int32_t output = 0;
};

class Fusions {
  public:
    [[nodiscard]] static Fusions find(const schema::Model& file, const schema::SubGraph& graph);

    /// The operator is part of a group, and not its last one.
    [[nodiscard]] bool isLeftOut(std::uint32_t index) const { return leftOut_.contains(index); }
    /// The group that ends with this operator; null if there is none.
    [[nodiscard]] const FusedOperator* endingAt(std::uint32_t index) const {
        const auto found = fused_.find(index);
        return found == fused_.end() ? nullptr : &found->second;
    }

  private:
    std::set<std::uint32_t> leftOut_;
    std::map<std::uint32_t, FusedOperator> fused_;
};

/// Adds the operation of a group.
[[nodiscard]] Result<> addFused(TensorMap& tensors, const FusedOperator& fused);

}  // namespace nnburst::tflite
