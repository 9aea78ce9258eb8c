// Copyright 2026 The nnburst authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// MobileNet v1 by direct calls of XNNPACK, without nnburst's executor: what a program would do
/// that runs only this network. Other paths are compared with it.

#include <pthreadpool.h>
#include <xnnpack.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/xnnpack/release.h"
#include "memory/aligned_buffer.h"
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

    /// Computes the output from the input. False if XNNPACK failed.
    [[nodiscard]] bool run() noexcept;

  private:
    struct Deleter {
        void operator()(xnn_operator_t op) const noexcept { xnn_delete_operator(op); }
    };
    using Operator = std::unique_ptr<xnn_operator, Deleter>;

    /// Sets `created` up for the first input and the output of `operation`, and keeps it.
    void add(xnn_operator_t created, const exec::xnnpack::SetUp& setUp, const Operation& operation);
    void addConvolution(const Operation& operation);
    void addAveragePool(const Operation& operation);
    void addSoftmax(const Operation& operation);
    [[nodiscard]] const Operand& operand(std::uint32_t index) const;
    /// The address of a value: of a constant in the model, or of a buffer of this object.
    template <class T>
    [[nodiscard]] T* values(std::uint32_t index);
    [[nodiscard]] std::int32_t scalar(std::uint32_t index);

    struct ThreadsDeleter {
        void operator()(pthreadpool_t threads) const noexcept { pthreadpool_destroy(threads); }
    };

    const Model& model_;
    std::unique_ptr<pthreadpool, ThreadsDeleter> threads_;  ///< null for one thread
    std::vector<Mapping> pools_;
    std::vector<std::vector<std::byte>> buffers_;  ///< one for each operand; empty for constants
    std::vector<std::uint32_t> aliases_;           ///< the operand whose buffer an operand uses
    std::vector<AlignedBuffer> workspaces_;
    std::vector<Operator> operators_;
};

}  // namespace nnburst::bench
