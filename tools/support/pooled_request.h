// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A request that owns the memory of its operands: all inputs and outputs of a model in one shared
/// pool. For streaming programs, which fill the inputs, execute, and read the outputs again and
/// again.

#include <cstddef>
#include <span>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::tools {

/// Movable; the addresses stay. Not thread-safe.
class PooledRequest {
  public:
    /// Makes a pool and a request for `model`. INVALID_ARGUMENT if dimensions of an input or output
    /// are unknown.
    [[nodiscard]] static Result<PooledRequest> create(const Model& model);

    [[nodiscard]] const Request& request() const noexcept { return request_; }
    /// The bytes of an operand, by its index among the model's inputs or outputs.
    [[nodiscard]] std::span<std::byte> input(std::size_t index) const noexcept {
        return inputs_[index].bytes();
    }
    [[nodiscard]] std::span<std::byte> output(std::size_t index) const noexcept {
        return outputs_[index].bytes();
    }

  private:
    Request request_;
    std::vector<MemoryPool::Block> inputs_;
    std::vector<MemoryPool::Block> outputs_;
};

}  // namespace nnburst::tools
