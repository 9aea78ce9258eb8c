// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Frames that are made before a stream begins, so that sending one costs a copy, as for a camera's
/// frame.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "support/pooled_request.h"

namespace nnburst::stream {

/// Immutable: threads may share it.
class FrameBank {
  public:
    /// Makes 16 frames; fewer if they are large, so that all take at most 64 MiB, but at least one.
    /// With a `directory` as many of the frames there as fit: images, or files of the elements of
    /// all inputs without states. INVALID_ARGUMENT if there is none that fits.
    [[nodiscard]] static Result<FrameBank> create(const TfliteModel& model,
                                                  const std::string& directory = {});

    /// Writes the inputs of frame `number`; numbers from size() on repeat the frames. States stay.
    /// Never allocates.
    void write(std::uint64_t number, const tools::PooledRequest& operands) const;

    [[nodiscard]] std::size_t size() const noexcept { return frames_.size(); }
    [[nodiscard]] std::size_t frameBytes() const noexcept { return frames_.front().size(); }

  private:
    Result<> readFrames(const TfliteModel& model, const std::string& directory,
                        std::size_t frameBytes);

    std::vector<std::vector<std::byte>> frames_;  ///< inputs without states, concatenated
    std::vector<std::size_t> inputs_;             ///< indices of inputs that are not states
};

}  // namespace nnburst::stream
