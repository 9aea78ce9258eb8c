// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The values of a subgraph's constant operands. Values that decide addresses or lengths are in
/// private memory, which no other process can write.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/aligned_buffer.h"
#include "nnburst/memory.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// The constants of a subgraph. They are copied to private memory before anything looks at them,
/// because their values may decide addresses and lengths. Large tensors of weights are not copied
/// at first: they stay in the model's memory until they are packed (`dropSources`) or copied
/// (`keep`). A client that writes there changes only its own results.
class Constants {
  public:
    /// Tensors of weights of at most this size are copied at once, which is cheaper than keeping
    /// track of them.
    static constexpr std::uint64_t kSmallTensorBytes = 4096;

    /// Limit on the copies that `load` makes for all subgraphs of a model together, and on all
    /// copies for one subgraph: constants may overlap in a client's memory, so that a small model
    /// could ask for any number of copies of it.
    static constexpr std::uint64_t kMaximumCopiedBytes = std::uint64_t{8} << 30;

    /// What `load` copies for all subgraphs of the valid `model` together. Operands that name the
    /// same bytes are copied each. RESOURCE_EXHAUSTED_PERSISTENT if it is more than
    /// kMaximumCopiedBytes.
    [[nodiscard]] static Result<std::uint64_t> bytesToCopy(const Model& model);

    /// Finds the constants of `subgraph` in `model`, which is valid and outlives this object or
    /// the call of dropSources. The values of `dropped` are treated as dropped already.
    [[nodiscard]] static Result<Constants> load(const Model& model, const Subgraph& subgraph,
                                                std::span<const std::uint32_t> dropped = {});

    /// The value of an operand; null if it is not a constant, or was dropped.
    [[nodiscard]] std::byte* data(std::uint32_t operand) const noexcept {
        return values_[operand].data;
    }

    /// Whether the operand is a constant whose value was dropped.
    [[nodiscard]] bool isDropped(std::uint32_t operand) const noexcept {
        return values_[operand].isDropped;
    }

    /// Copies the value of `operand` to private memory, if it is a constant that was not copied
    /// yet. GENERAL_FAILURE if the value was dropped.
    [[nodiscard]] Result<> keep(std::uint32_t operand);

    /// Makes `value`, in private memory already, the value of `operand`.
    [[nodiscard]] Result<> adopt(std::uint32_t operand, AlignedBuffer value,
                                 std::uint64_t sizeBytes);

    /// Whether results of operations on constants may take `sizeBytes` more: a small model could
    /// ask for any number of large ones.
    [[nodiscard]] bool hasRoomForResults(std::uint64_t sizeBytes) const noexcept;
    /// As `adopt`, for a result of an operation on constants.
    [[nodiscard]] Result<> adoptResult(std::uint32_t operand, AlignedBuffer value,
                                       std::uint64_t sizeBytes);
    [[nodiscard]] std::uint64_t resultBytes() const noexcept { return resultBytes_; }

    /// Of all constants that the subgraph has.
    [[nodiscard]] std::uint64_t valueBytes() const noexcept { return valueBytes_; }

    /// Adds an operand with `value`, in private memory already; gives its index.
    [[nodiscard]] Result<std::uint32_t> add(AlignedBuffer value, std::uint64_t sizeBytes);

    /// Copies the values of all constants to private memory.
    [[nodiscard]] Result<> keepAll();

    /// Drops all values that are not in private memory, and the references to the model's memory.
    void dropSources();

  private:
    /// Copies a value out of memory that cannot be mapped.
    Result<> copy(std::uint32_t operand, const Region& pool, const DataLocation& location);
    Result<> countCopy(std::uint64_t sizeBytes);

    struct Value {
        std::byte* data = nullptr;
        std::uint32_t sizeBytes = 0;
        bool isCopied = false;
        bool isDropped = false;
    };

    std::vector<Value> values_;  // one for each operand
    std::vector<AlignedBuffer> copies_;
    std::vector<Mapping> mappings_;
    std::uint64_t copiedBytes_ = 0;
    std::uint64_t valueBytes_ = 0;  // also of dropped ones
    std::uint64_t resultBytes_ = 0;
};

}  // namespace nnburst::exec
