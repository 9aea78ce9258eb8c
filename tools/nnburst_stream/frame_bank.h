// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Frames that are made before a stream begins, so that sending one costs a copy: what a camera
/// would do.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "support/pooled_request.h"

namespace nnburst::stream {

/// Immutable: threads may share it.
class FrameBank {
  public:
    /// Makes at most 16 frames, and of large ones fewer, so that they take 64 MiB if that is enough
    /// for one.
    [[nodiscard]] static Result<FrameBank> create(const TfliteModel& model);

    /// Writes the inputs of frame `number`; those with numbers beyond size() come again. States
    /// stay. Never allocates.
    void write(std::uint64_t number, const tools::PooledRequest& operands) const;

    [[nodiscard]] std::size_t size() const noexcept { return frames_.size(); }
    [[nodiscard]] std::size_t frameBytes() const noexcept { return frames_.front().size(); }

  private:
    std::vector<std::vector<std::byte>> frames_;  ///< inputs without states, one after the other
    std::vector<std::size_t> inputs_;             ///< that are no states
};

}  // namespace nnburst::stream
