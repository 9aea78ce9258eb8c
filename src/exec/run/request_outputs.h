// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Finds the memory of a request's outputs when their shapes are known, and reports the shapes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/run/compiled_model.h"
#include "exec/run/graph_runner.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// The outputs of one run.
class RequestOutputs final : public GraphOutputs {
  public:
    /// As many `shapes` as the request has outputs.
    RequestOutputs(const RequestBindings& bindings, std::vector<OutputShape>& shapes) noexcept
        : bindings_(bindings.outputs), shapes_(shapes) {}

    [[nodiscard]] bool wants(std::size_t output) const noexcept override {
        return !bindings_[output].hasNoValue;
    }

    [[nodiscard]] Result<std::byte*> place(std::size_t output, const Shape& shape,
                                           std::uint64_t sizeBytes) override;

    [[nodiscard]] Result<> sufficient() const override;

  private:
    struct Insufficient {
        std::size_t output;
        std::uint64_t sizeBytes;
    };

    const std::vector<ArgumentBinding>& bindings_;
    std::vector<OutputShape>& shapes_;
    std::optional<Insufficient> insufficient_;  // the first one
};

}  // namespace nnburst::exec
