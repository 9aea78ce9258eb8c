// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Sends the same frames through one model on three paths: in this process, through a burst to a
/// driver process, and by RPC to the same driver.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nnburst/device.h"
#include "nnburst/result.h"
#include "nnburst/tflite.h"
#include "support/pooled_request.h"

namespace nnburst::demo {

/// The model to stream through, and its name.
struct StreamedModel {
    std::string name;
    Model model;
    std::vector<ModelState> states;  ///< fed back from frame to frame
};

enum class Path : std::uint8_t { IN_PROCESS, BURST, RPC };
inline constexpr std::array kPaths{Path::IN_PROCESS, Path::BURST, Path::RPC};

/// Not thread-safe. Each path has operands of its own, and states of its own.
class Streamer {
  public:
    /// Prepares `model` on a local device and on a new driver process. `model` must outlive this
    /// object.
    [[nodiscard]] static Result<Streamer> create(const StreamedModel& model,
                                                 const DriverOptions& options);

    /// Writes the pseudo-random inputs of frame `number`, the same on every machine: floats in
    /// [-1, 1), bytes of all values, zero for other types. The fed-back states stay.
    void writeFrame(Path path, std::uint64_t number);

    /// Executes the frame that was written, and returns how long that took.
    [[nodiscard]] Result<std::chrono::nanoseconds> execute(Path path);

    /// Feeds the states back and returns a checksum (FNV-1a) of all output bytes.
    [[nodiscard]] std::uint64_t finishFrame(Path path);

    /// Bytes of all inputs of a frame.
    [[nodiscard]] std::size_t frameBytes() const;

  private:
    struct Lane {
        tools::PooledRequest operands;
        ExecutionOutcome outcome;
    };

    explicit Streamer(const StreamedModel& model) noexcept : model_(&model) {}

    [[nodiscard]] Lane& lane(Path path) noexcept { return lanes_[static_cast<std::size_t>(path)]; }

    const StreamedModel* model_;
    std::vector<Lane> lanes_;           ///< one for each path
    std::unique_ptr<Burst> inProcess_;  ///< the memory stays mapped, as for a burst to a driver
    SharedPreparedModel remote_;
    std::unique_ptr<Burst> burst_;
};

}  // namespace nnburst::demo
