// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What memory is to be used for: collected use by use, then finished. For one thread at a time
/// until it is finished.

#include <cstdint>
#include <memory>
#include <optional>

#include "nnapi/compilation.h"
#include "nnapi/memory.h"
#include "nnapi/status.h"

namespace nnburst::nnapi {

class MemoryDescription {
  public:
    [[nodiscard]] Status addRole(const Compilation& compilation, bool isOutput, std::uint32_t index,
                                 float frequency);
    [[nodiscard]] Status setDimensions(const Dimensions& dimensions);
    [[nodiscard]] Status finish();

    /// New memory for the uses of a finished description.
    [[nodiscard]] Status allocate(std::shared_ptr<Memory>& memory) const;

  private:
    [[nodiscard]] Status checkOperand(const Operand& operand) const;

    MemoryRoles roles_;
    bool isFinished_ = false;
};

}  // namespace nnburst::nnapi

struct ANeuralNetworksMemoryDesc final {
    nnburst::nnapi::MemoryDescription description;
};
