// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The shared memory of a session's inputs and outputs, and the requests that name it.
///
/// Operands of known size lie in one memory pool. An output of unknown size has a region of its
/// own, which can be exchanged for a larger one. A state has two blocks: a run in phase 0 reads the
/// first and writes the second, the next one, in phase 1, does the reverse.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/model_signature.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::session {

/// The number of phases; runs of a session alternate between them.
inline constexpr std::size_t kPhases = 2;

/// Movable; addresses stay, except of an output that grows. Not thread-safe. Operands are counted
/// as the model counts them.
class OperandMemory {
  public:
    /// Memory for operands of `signature`, whose inputs have known sizes. INVALID_ARGUMENT if a
    /// size is not known to this process, or if the two ends of a state differ.
    [[nodiscard]] static Result<OperandMemory> create(const ModelSignature& signature,
                                                      std::uint64_t openOutputBytes);

    /// `inputDimensions` has one entry for each input: the dimensions that the request must give,
    /// or empty if the model has them.
    [[nodiscard]] Request request(std::size_t phase,
                                  std::span<const Dimensions> inputDimensions) const;

    [[nodiscard]] std::span<std::byte> input(std::size_t index) const noexcept {
        return inputs_[index].bytes();
    }
    [[nodiscard]] std::span<std::byte> output(std::size_t index) const noexcept {
        return outputs_[index].bytes();
    }
    /// Whether the size of this output is not known before a run.
    [[nodiscard]] bool isOpen(std::size_t output) const noexcept {
        return outputs_[output].region.sizeBytes() != 0;
    }
    /// Gives an open output new memory of `sizeBytes`. Requests that were made before name the old
    /// memory.
    [[nodiscard]] Result<> grow(std::size_t output, std::uint64_t sizeBytes);

    /// Sets all states to what they are before the first run.
    void resetStates() noexcept;

  private:
    /// Where an operand lies: in the pool, or in a region of its own.
    struct Place {
        MemoryPool::Block block;
        Mapping region;

        [[nodiscard]] std::span<std::byte> bytes() const noexcept {
            return region.sizeBytes() != 0 ? region.bytes() : block.bytes();
        }
    };

    explicit OperandMemory(MemoryPool pool) noexcept : pool_(std::move(pool)) {}
    Result<> placeInPool(std::uint64_t sizeBytes, std::vector<Place>& places);

    MemoryPool pool_;
    std::vector<Place> inputs_;
    std::vector<Place> outputs_;
    std::vector<ModelState> states_;
    std::vector<std::byte> firstStateBytes_;  ///< one for each of states_
};

}  // namespace nnburst::session
