// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// XNNPACK operators with packed weights, shared by the plans of one compiled model.

#include <xnnpack.h>

#include <compare>
#include <cstdint>
#include <map>
#include <memory>

namespace nnburst::exec::xnnpack {

/// One XNNPACK operator. It has the sizes and addresses of one user at a time.
struct Operator {
    struct Delete {
        void operator()(xnn_operator_t created) const noexcept { xnn_delete_operator(created); }
    };

    explicit Operator(xnn_operator_t created) noexcept : handle(created) {}

    std::unique_ptr<xnn_operator, Delete> handle;
    /// The step that reshaped it last; another one must reshape it again before it sets it up.
    const void* reshapedBy = nullptr;
    /// The step that set it up last; another one must set it up again before it runs.
    const void* user = nullptr;
};

using SharedOperator = std::shared_ptr<Operator>;

/// What an operator with packed weights was created for: the operation, and the size of its image
/// where that matters. An operator keeps a table of addresses for the size of its image, which is
/// costly to make and takes heap memory. Another number of batches costs nothing, and neither does
/// another image if there is no table (1x1 convolutions, which have most of the weights).
struct OperatorKey {
    std::uint32_t operation = 0;
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    /// Without padding above and below: `height` is that of a slice (sliced_step.h).
    bool isSlice = false;

    auto operator<=>(const OperatorKey&) const noexcept = default;
};

/// Used by one thread at a time.
class OperatorCache {
  public:
    /// Null if there is no such operator.
    [[nodiscard]] SharedOperator find(const OperatorKey& key) const {
        const auto found = operators_.find(key);
        return found == operators_.end() ? nullptr : found->second;
    }

    void insert(const OperatorKey& key, SharedOperator created) {
        operators_.insert_or_assign(key, std::move(created));
    }

    /// Deletes the operators that no step uses.
    void dropUnused() {
        std::erase_if(operators_, [](const auto& entry) { return entry.second.use_count() == 1; });
    }

  private:
    std::map<OperatorKey, SharedOperator> operators_;
};

}  // namespace nnburst::exec::xnnpack
