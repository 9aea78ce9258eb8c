// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// MobileNet v1 by direct calls of XNNPACK, without anything of nnburst's execution: what a program
/// would do that knows this one network. The measure for the rest.

#include <pthreadpool.h>
#include <xnnpack.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nnburst/memory.h"
#include "nnburst/types.h"

namespace nnburst::bench {

/// One operator for each convolution, pooling and softmax, created and set up once. Not
/// thread-safe. Ends the program with a message if the model is not such a network.
class DirectMobileNet {
  public:
    /// `model` is what makeMobileNetV1 gives; it must outlive this object. It runs on `threads`
    /// threads, the calling one included.
    explicit DirectMobileNet(const Model& model, std::uint32_t threads = 1);

    [[nodiscard]] std::span<std::byte> input() noexcept;
    [[nodiscard]] std::span<std::byte> output() noexcept;

    /// Computes output from input. False if XNNPACK refused.
    [[nodiscard]] bool run() noexcept;

  private:
    struct Deleter {
        void operator()(xnn_operator_t op) const noexcept { xnn_delete_operator(op); }
    };
    using Operator = std::unique_ptr<xnn_operator, Deleter>;

    void addConvolution(const Operation& operation);
    void addAveragePool(const Operation& operation);
    void addSoftmax(const Operation& operation);
    [[nodiscard]] const Operand& operand(std::uint32_t index) const;
    /// Where a value lies: a constant in the model, or a buffer of this object.
    template <class T>
    [[nodiscard]] T* values(std::uint32_t index);
    [[nodiscard]] std::int32_t scalar(std::uint32_t index);

    struct ThreadsDeleter {
        void operator()(pthreadpool_t threads) const noexcept { pthreadpool_destroy(threads); }
    };

    const Model& model_;
    std::unique_ptr<pthreadpool, ThreadsDeleter> threads_;  ///< null for one
    std::vector<Mapping> pools_;
    std::vector<std::vector<std::byte>> buffers_;  ///< one an operand; empty for constants
    std::vector<std::uint32_t> aliases_;           ///< the operand whose buffer an operand uses
    std::vector<Operator> operators_;
};

}  // namespace nnburst::bench
