// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scales of the columns of a matrix, from its sums to outputs, for the rounding of the reference
/// kernels (SumRow).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exec/dot8/microkernel.h"
#include "exec/operation/activation.h"
#include "exec/operation/operation.h"

namespace nnburst::exec::dot8 {

class ReferenceScales {
  public:
    /// Of an operation that is covered (isCovered), whose output has `range`.
    ReferenceScales(const OperationView& operation, QuantizedRange range);

    /// `count` outputs from column `first` on.
    [[nodiscard]] SumRow row(const std::int32_t* sums, std::size_t first, std::size_t count,
                             std::uint8_t* output) const noexcept;

  private:
    std::vector<std::int32_t> fractions_;
    std::vector<std::int32_t> leftShifts_;
    std::vector<std::int32_t> rightShifts_;
    QuantizedRange range_;
    std::int32_t zeroPoint_;
};

}  // namespace nnburst::exec::dot8
