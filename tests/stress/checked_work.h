// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Work of honest clients: random models, executed in every way, whose results must be those of a
/// device in the client's own process, bit for bit.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "nnburst/device.h"

namespace nnburst::stress {

/// A random model with random inputs and the right outputs.
class CheckedModel {
  public:
    /// The same for the same `seed`. `local` computes what is right.
    CheckedModel(Device& local, std::uint32_t seed);

    [[nodiscard]] const Model& model() const noexcept { return model_; }
    [[nodiscard]] std::uint32_t seed() const noexcept { return seed_; }
    /// A request with memory of its own; the outputs hold nothing right yet.
    [[nodiscard]] Request makeRequest() const;
    [[nodiscard]] bool isRight(const Request& request) const;

  private:
    std::uint32_t seed_;
    Model model_;
    std::vector<std::byte> arguments_;  ///< inputs, then outputs, as in memory
    std::uint32_t inputBytes_ = 0;
    std::vector<RequestArgument> inputs_;
    std::vector<RequestArgument> outputs_;
};

/// What a call of honest work gave.
struct WorkResult {
    bool isDone = false;
    Error error;        ///< if the driver refused something
    std::string wrong;  ///< if something is wrong that no driver may do
};

/// Executes `model` in a way that `random` chooses: a burst, a reusable execution, a synchronous
/// or an asynchronous call.
[[nodiscard]] WorkResult executeAndCheck(PreparedModel& prepared, const CheckedModel& model,
                                         std::mt19937& random);

}  // namespace nnburst::stress
