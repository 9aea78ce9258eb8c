// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Finds the memory of a request's outputs when their shapes are known, and reports the shapes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/run/graph_runner.h"
#include "exec/run/request_bindings.h"
#include "nnburst/result.h"
#include "nnburst/types.h"

namespace nnburst::exec {

/// Reports `shape` as that of an output. Shapes are short, and mostly those of the last run.
inline void reportShape(const Shape& shape, OutputShape& reported) {
    const std::span<const std::uint32_t> sizes = shape.sizes();
    reported.dimensions.resize(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        reported.dimensions[i] = sizes[i];
    }
}

/// The outputs of one run.
class RequestOutputs final : public GraphOutputs {
  public:
    /// As many `shapes` as the request has outputs.
    RequestOutputs(const RequestBindings& bindings, std::vector<OutputShape>& shapes) noexcept
        : bindings_(bindings.outputs), shapes_(shapes) {}

    /// Each output lies where its binding says, and not where `place` finds memory for it.
    [[nodiscard]] bool haveFixedAddresses() const noexcept {
        return std::all_of(bindings_.begin(), bindings_.end(),
                           [](const ArgumentBinding& output) { return output.memory == nullptr; });
    }

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
